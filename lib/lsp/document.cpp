#include "document.h"

#include <algorithm>
#include <utility>

#include "relayopt/driver/session.h"

namespace relayopt {
namespace {

// Decodes the code point at `at`; invalid bytes count as one character each.
auto CodePointBytes(std::string_view text, size_t at) -> size_t {
  const auto first = static_cast<unsigned char>(text[at]);
  const size_t size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return std::min(size, text.size() - at);
}

}  // namespace

Document::Document(std::string uri, std::string text)
    : uri_(std::move(uri)), source_(SourceText::FromString(uri_, std::move(text))) {
  lines_.push_back(0);
  for (size_t i = 0; i < this->text().size(); ++i) {
    if (this->text()[i] == '\n') lines_.push_back(i + 1);
  }
  Session session;
  is_script_ = uri_.ends_with(".py") || uri_.ends_with(".tir");
  names_ = is_script_ ? FindScriptNames(this->text()) : FindRelayNames(this->text());
  auto imported = session.Import(source_, sink_);
  if (!imported) return;
  untyped_ = imported->module;
  if (session.Prepare(imported->module, sink_)) module_ = std::move(imported->module);
}

auto Document::PositionOf(size_t offset) const -> nlohmann::json {
  offset = std::min(offset, text().size());
  const auto line = std::prev(std::ranges::upper_bound(lines_, offset));
  size_t units = 0;
  for (size_t at = *line; at < offset;) {
    const size_t bytes = CodePointBytes(text(), at);
    units += bytes == 4 ? 2 : 1;
    at += bytes;
  }
  return {{"line", line - lines_.begin()}, {"character", units}};
}

auto Document::OffsetOf(const nlohmann::json& position) const -> size_t {
  const auto line = position.at("line").get<size_t>();
  const auto wanted = position.at("character").get<size_t>();
  if (line >= lines_.size()) return text().size();
  size_t at = lines_[line];
  for (size_t units = 0; units < wanted && at < text().size() && text()[at] != '\n';) {
    const size_t bytes = CodePointBytes(text(), at);
    units += bytes == 4 ? 2 : 1;
    at += bytes;
  }
  return at;
}

auto Document::RangeOf(SourceRange range) const -> nlohmann::json {
  if (!range.valid()) return {{"start", PositionOf(0)}, {"end", PositionOf(0)}};
  return {{"start", PositionOf(range.begin)}, {"end", PositionOf(range.end)}};
}

auto Document::WholeRange() const -> nlohmann::json {
  return {{"start", PositionOf(0)}, {"end", PositionOf(text().size())}};
}

}  // namespace relayopt
