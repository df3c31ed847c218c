// Reading the texts of a row.
#include "op_row.h"

namespace relayopt::onnx {

namespace {

constexpr auto Trim(std::string_view text) -> std::string_view {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Removes the text up to the next `separator` from `rest`, and returns it.
auto Next(std::string_view& rest, char separator) -> std::string_view {
  const size_t end = rest.find(separator);
  const std::string_view piece = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return Trim(piece);
}

}  // namespace

auto FindAttribute(const OpRow& row, std::string_view name) -> std::optional<AttributeRow> {
  for (std::string_view rest = row.attributes; !rest.empty();) {
    std::string_view piece = Next(rest, ';');
    AttributeRow attribute;
    attribute.type = Next(piece, ' ');
    const size_t equals = piece.find('=');
    attribute.name = Trim(piece.substr(0, equals));
    if (equals != std::string_view::npos) attribute.default_text = Trim(piece.substr(equals + 1));
    if (attribute.name == name) return attribute;
  }
  return std::nullopt;
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
