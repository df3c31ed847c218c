// Which operators are computed by one kernel.
#pragma once

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

struct FusionLimits {
  // False: every operator is a kernel of its own.
  bool fuse = true;
  // Most expressions in a group.
  size_t max_size = 256;
};

// Whether fusion leaves the contents of a function literal alone: it is a kernel already, or meant for an external
// compiler.
auto IsKernel(const Function& function, ExprId literal) -> bool;

// For every expression the last one of its group, which computes the result of the group; what is in no group is its
// own. `function` must have types. Values of expressions before the last are used inside their group only.
auto FindFusionGroups(const Function& function, const FusionLimits& limits) -> SideTable<ExprId, ExprId>;

}  // namespace relayopt
