// Operators that broadcast to a given shape, and those that undo a broadcast by summing.
#pragma once

#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

auto BroadcastToRule(RuleContext& rule) -> RuleStatus;
auto BroadcastToLikeRule(RuleContext& rule) -> RuleStatus;
auto CollapseSumLikeRule(RuleContext& rule) -> RuleStatus;
auto CollapseSumToRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kBroadcastToOps[] = {
    {.name = "broadcast_to",
     .inputs = "data",
     .attrs = &kSchema<InitOpAttrs>,
     .type = BroadcastToRule,
     .kernel = BroadcastToKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "d",
     .doc = "broadcasts to a shape"},
    {.name = "broadcast_to_like",
     .inputs = "data, broadcast_type",
     .type = BroadcastToLikeRule,
     .kernel = BroadcastToKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "broadcasts to the shape of another tensor"},
    {.name = "collapse_sum_like",
     .inputs = "data, collapse_type",
     .type = CollapseSumLikeRule,
     .kernel = CollapseSumLikeKernel,
     .fusion = Fusion::kCommReduce,
     .doc = "sums over the axes along which another tensor would be broadcast"},
    {.name = "collapse_sum_to",
     .inputs = "data, shape",
     .attrs = &kSchema<InitOpAttrs>,
     .type = CollapseSumToRule,
     .kernel = CollapseSumToKernel,
     .fusion = Fusion::kCommReduce,
     .attrs_undeclared = true,
     .doc = "sums over the axes along which a tensor of a shape would be broadcast"},
};

}  // namespace relayopt
