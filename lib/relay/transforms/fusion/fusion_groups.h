// Finds groups of operators that one kernel can compute.
#pragma once

#include <string>

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

struct FusionLimits {
  // If false, every operator is a kernel of its own.
  bool fuse = true;
  // The maximum number of expressions in a group.
  size_t max_size = 256;
  // The maximum number of arguments of a kernel, including those for results; 0 for no limit.
  size_t max_args = 0;
};

// For every expression the last one of its group, which computes the group's result; an expression without a group is
// its own last one. All other values are used only inside their group. `function` must have its types.
auto FindFusionGroups(const Function& function, const FusionLimits& limits) -> SideTable<ExprId, ExprId>;

// For every operator why its value did not join the group of what all its users lead to, as a clause; returns empty if
// it did, where nothing uses it, and for the result of the function.
auto ExplainFusion(const Function& function, const FusionLimits& limits) -> SideTable<ExprId, std::string>;

}  // namespace relayopt
