#include "document.h"

#include <algorithm>
#include <utility>

#include "relayopt/driver/session.h"

namespace relayopt {
namespace {

// Long lines have a mark for each so many bytes, and an offset in them is looked up from the nearest one.
constexpr size_t kBytesBetweenMarks = 256;

// Returns how many bytes the code point at `at` has; invalid bytes count as one character each.
auto CodePointBytes(std::string_view text, size_t at) -> size_t {
  const auto first = static_cast<unsigned char>(text[at]);
  const size_t size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  size_t bytes = 1;
  while (bytes < size && at + bytes < text.size() && (text[at + bytes] & 0xc0) == 0x80) ++bytes;
  return bytes;
}

auto Utf16Units(size_t bytes) -> size_t { return bytes == 4 ? 2 : 1; }

}  // namespace

Document::Document(std::string uri, std::string text)
    : uri_(std::move(uri)), source_(SourceText::FromString(uri_, std::move(text))) {
  SetMarks();
  Session session;
  is_script_ = uri_.ends_with(".py") || uri_.ends_with(".tir");
  names_ = is_script_ ? FindScriptNames(this->text()) : FindRelayNames(this->text());
  auto imported = session.Import(source_, sink_);
  if (!imported) return;
  untyped_ = imported->module;
  if (session.Prepare(imported->module, sink_)) module_ = std::move(imported->module);
}

void Document::SetMarks() {
  marks_.push_back({});
  Mark here;
  while (here.offset < text().size()) {
    const bool ends_line = text()[here.offset] == '\n';
    const size_t bytes = CodePointBytes(text(), here.offset);
    here.offset += bytes;
    here.units = ends_line ? 0 : here.units + Utf16Units(bytes);
    if (ends_line) ++here.line;
    if (ends_line || here.offset - marks_.back().offset >= kBytesBetweenMarks) marks_.push_back(here);
  }
}

auto Document::PositionOf(size_t offset) const -> nlohmann::json {
  offset = std::min(offset, text().size());
  Mark at = *std::prev(std::ranges::upper_bound(marks_, offset, {}, &Mark::offset));
  while (at.offset < offset) {
    const size_t bytes = CodePointBytes(text(), at.offset);
    at.units += Utf16Units(bytes);
    at.offset += bytes;
  }
  return {{"line", at.line}, {"character", at.units}};
}

auto Document::OffsetOf(const nlohmann::json& position) const -> size_t {
  const std::pair wanted(position.at("line").get<size_t>(), position.at("character").get<size_t>());
  if (wanted.first > marks_.back().line) return text().size();
  const auto place = [](const Mark& mark) { return std::pair(mark.line, mark.units); };
  Mark at = *std::prev(std::ranges::upper_bound(marks_, wanted, {}, place));
  while (at.units < wanted.second && at.offset < text().size() && text()[at.offset] != '\n') {
    const size_t bytes = CodePointBytes(text(), at.offset);
    at.units += Utf16Units(bytes);
    at.offset += bytes;
  }
  return at.offset;
}

auto Document::RangeOf(SourceRange range) const -> nlohmann::json {
  if (!range.valid()) return {{"start", PositionOf(0)}, {"end", PositionOf(0)}};
  return {{"start", PositionOf(range.begin)}, {"end", PositionOf(range.end)}};
}

auto Document::WholeRange() const -> nlohmann::json {
  return {{"start", PositionOf(0)}, {"end", PositionOf(text().size())}};
}

}  // namespace relayopt
