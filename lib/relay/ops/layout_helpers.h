// Helpers for layout rules of several families.
#pragma once

#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

// `layout` for the data and no axes for the inputs after it, which are scalars.
auto WithScalars(LayoutRuleContext& rule, LayoutId layout) -> bool;

// Returns the layout of the data of an operator whose attribute `axis` names one axis: the new one if that axis is not
// split there, else the old one. The attribute is updated.
auto FollowAxis(LayoutRuleContext& rule) -> LayoutId;

// `data` for the first input, C for those after it.
auto WithChannels(LayoutRuleContext& rule, LayoutId data, LayoutIds outputs) -> bool;

}  // namespace relayopt
