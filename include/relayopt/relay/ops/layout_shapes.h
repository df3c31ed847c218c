// Layouts in type rules: converts shapes to a canonical layout and back, and reports errors.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/type_rule.h"

namespace relayopt {

// Returns the shape after conversion from layout `from` to layout `to`. Reports an error and returns nothing if one of
// them is not a layout, their axes differ, or the shape does not match `from`; `what` names the tensor in messages.
auto ConvertShape(RuleContext& rule, std::string_view what, std::string_view from, std::string_view to, Shape shape)
    -> std::optional<std::vector<Dim>>;

// Parses the layout `text` of the attribute `field`; reports an error and returns nothing if it is malformed.
auto ParseLayout(RuleContext& rule, std::string_view field, std::string_view text) -> std::optional<Layout>;

}  // namespace relayopt
