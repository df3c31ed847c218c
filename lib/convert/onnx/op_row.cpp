// Reading the texts of a row.
#include "op_row.h"

#include <algorithm>
#include <charconv>

#include "relayopt/support/text_pieces.h"

namespace relayopt::onnx {

namespace {

// Removes the text up to the next `separator` from `rest`, and returns it.
auto Next(std::string_view& rest, char separator) -> std::string_view {
  const size_t end = rest.find(separator);
  const std::string_view piece = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return Trimmed(piece);
}

}  // namespace

auto NextAttribute(std::string_view& rest) -> AttributeRow {
  std::string_view piece = Next(rest, ';');
  AttributeRow attribute;
  attribute.type = Next(piece, ' ');
  const size_t equals = piece.find('=');
  attribute.name = Trimmed(piece.substr(0, equals));
  if (equals != std::string_view::npos) attribute.default_text = Trimmed(piece.substr(equals + 1));
  return attribute;
}

auto FloatAttributes(const OpRow& row) -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  for (std::string_view rest = row.attributes; !rest.empty();) {
    const AttributeRow attribute = NextAttribute(rest);
    if (attribute.type == "float") names.push_back(attribute.name);
  }
  return names;
}

auto FindAttribute(const OpRow& row, std::string_view name) -> std::optional<AttributeRow> {
  if (name.empty()) return std::nullopt;
  // The text may also be part of another name, or a default.
  for (size_t at = row.attributes.find(name); at != std::string_view::npos; at = row.attributes.find(name, at + 1)) {
    std::string_view rest = row.attributes.substr(row.attributes.rfind(';', at) + 1);
    const AttributeRow attribute = NextAttribute(rest);
    if (attribute.name == name) return attribute;
  }
  return std::nullopt;
}

namespace {

// Calls `visit` with each version of the row.
template <typename Visit>
void ForEachVersion(const OpRow& row, Visit&& visit) {
  for (std::string_view rest = row.versions; !rest.empty();) {
    int64_t version = 0;
    const std::string_view word = Next(rest, ' ');
    std::from_chars(word.data(), word.data() + word.size(), version);
    visit(version);
  }
}

}  // namespace

auto RowVersion(const OpRow& row, int64_t opset) -> int64_t {
  int64_t best = 0;
  int64_t newest = 1;
  ForEachVersion(row, [&](int64_t version) {
    newest = std::max(newest, version);
    if (version <= opset) best = std::max(best, version);
  });
  return best == 0 ? newest : best;
}

auto FirstVersion(const OpRow& row) -> int64_t {
  int64_t first = INT64_MAX;
  ForEachVersion(row, [&](int64_t version) { first = std::min(first, version); });
  return first;
}

auto InputNameOf(const OpRow& row, size_t i) -> std::string_view {
  std::string_view name;
  std::string_view rest = row.inputs;
  for (size_t k = 0; k <= i && !rest.empty(); ++k) name = Next(rest, ',');
  while (name.ends_with('?') || name.ends_with('.')) name.remove_suffix(1);
  return name;
}

auto InputRangeOf(const OpRow& row) -> InputRange {
  InputRange range;
  for (std::string_view rest = row.inputs; !rest.empty();) {
    const std::string_view name = Next(rest, ',');
    if (name.ends_with("...")) {
      range.most = SIZE_MAX;
      continue;
    }
    if (range.most != SIZE_MAX) ++range.most;
    if (!name.ends_with('?')) range.least = range.most;
  }
  return range;
}

}  // namespace relayopt::onnx
