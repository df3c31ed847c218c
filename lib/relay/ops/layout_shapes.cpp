// Converts shapes between layouts for type rules.
#include "relayopt/relay/ops/layout_shapes.h"

#include <algorithm>

namespace relayopt {

auto ParseLayout(RuleContext& rule, std::string_view field, std::string_view text) -> std::optional<Layout> {
  auto layout = Layout::Parse(text);
  if (!layout) rule.Error("{}: the layout of {}, \"{}\", is not a layout", rule.op().name, field, text);
  return layout;
}

namespace {

// Whether `text` is a layout of unpacked axes only, each once.
auto IsUnpacked(std::string_view text) -> bool {
  uint32_t seen = 0;
  for (const char c : text) {
    const uint32_t bit = c >= 'A' && c <= 'Z' ? uint32_t{1} << (c - 'A') : 0;
    if (bit == 0 || (seen & bit) != 0) return false;
    seen |= bit;
  }
  return true;
}

// Whether no conversion is needed: a shape of int32 extents in the same unpacked layout. This is true of most
// convolutions and poolings.
auto StaysAsItIs(std::string_view from, std::string_view to, Shape shape) -> bool {
  return from == to && from.size() == shape.size() && IsUnpacked(from) &&
         std::all_of(shape.begin(), shape.end(), [](const Dim& d) { return d.is_int() && d.bits() == 32; });
}

}  // namespace

auto ConvertShape(RuleContext& rule, std::string_view what, std::string_view from, std::string_view to, Shape shape)
    -> std::optional<std::vector<Dim>> {
  if (StaysAsItIs(from, to, shape)) return std::vector<Dim>(shape.begin(), shape.end());
  const std::string_view op = rule.op().name;
  const auto source = ParseLayout(rule, what, from);
  if (!source) return std::nullopt;
  const auto target = from == to ? source : ParseLayout(rule, what, to);
  if (!target) return std::nullopt;
  if (!source->ConvertibleTo(*target)) {
    rule.Error("{}: {} cannot be converted from layout {} to {}", op, what, from, to);
    return std::nullopt;
  }
  if (shape.size() != source->rank()) {
    rule.Error("{}: {} has {} dimensions, its layout {} has {}", op, what, shape.size(), from, source->rank());
    return std::nullopt;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const LayoutAxis& axis = source->axes()[i];
    if (axis.is_primal() || !ProvablyDifferent(shape[i], axis.factor)) continue;
    rule.Error("{}: dimension {} of {} is {}, its layout {} requires {}", op, i, what, ToString(shape[i]), from,
               axis.factor);
    return std::nullopt;
  }
  return source->ForwardShape(rule.context(), *target, shape);
}

}  // namespace relayopt
