// Moves shapes between layouts on behalf of type rules.
#include "relayopt/ops/layout_shapes.h"

namespace relayopt {

auto ParseLayout(RuleContext& rule, std::string_view field, std::string_view text) -> std::optional<Layout> {
  auto layout = Layout::Parse(text);
  if (!layout) rule.Error("{}: the layout of {}, \"{}\", is not a layout", rule.op().name, field, text);
  return layout;
}

auto ConvertShape(RuleContext& rule, std::string_view what, std::string_view from, std::string_view to, Shape shape)
    -> std::optional<std::vector<Dim>> {
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
    rule.Error("{}: dimension {} of {} is {}, its layout {} wants {}", op, i, what, ToString(shape[i]), from,
               axis.factor);
    return std::nullopt;
  }
  return source->ForwardShape(rule.context(), *target, shape);
}

}  // namespace relayopt
