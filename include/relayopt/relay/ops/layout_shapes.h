// Layouts inside type rules: shapes are moved to a canonical layout and back, and what is wrong is reported.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/type_rule.h"

namespace relayopt {

// `shape` of a tensor in layout `from` once it is in layout `to`. Reports and returns nothing when one of the layouts
// is none, they have different axes, or the shape does not fit `from`; `what` names the tensor in these messages.
auto ConvertShape(RuleContext& rule, std::string_view what, std::string_view from, std::string_view to, Shape shape)
    -> std::optional<std::vector<Dim>>;

// The layout that `text` (the attribute `field`) names; reports and returns nothing when it is none.
auto ParseLayout(RuleContext& rule, std::string_view field, std::string_view text) -> std::optional<Layout>;

}  // namespace relayopt
