// Helpers for layout rules of several families.
#pragma once

#include <string_view>

#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

// `layout` for the data and no axes for the inputs behind it, which are scalars.
auto WithScalars(LayoutRuleContext& rule, LayoutId layout) -> bool;

// Returns the layout of the data of an operator whose attribute `axis` names one axis: the new one where that axis is
// in one piece there, else the old one. The attribute follows.
auto FollowAxis(LayoutRuleContext& rule) -> LayoutId;

// `data` for the first input, C for those behind it.
auto WithChannels(LayoutRuleContext& rule, LayoutId data, LayoutIds outputs) -> bool;

}  // namespace relayopt
