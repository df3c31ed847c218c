// Computes evaluation orders with dependencies in addition to operands.
#pragma once

#include <vector>

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/depth_first.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Returns the expressions that the root reaches, each after everything that it needs. `needed(id, i)` is the i-th of
// the `count(id)` expressions that `id` needs. These relations must have no cycle.
template <typename Count, typename Needed>
auto DependencyOrder(const Function& function, Count&& count, Needed&& needed) -> std::vector<ExprId> {
  std::vector<ExprId> order;
  SideTable<ExprId, bool> seen(function.size());
  const auto enter = [&](ExprId id) {
    if (!id || seen[id]) return false;
    seen[id] = true;
    return true;
  };
  WalkDepthFirst(function.root(), enter, count, needed, [&](ExprId id) { order.push_back(id); });
  return order;
}

}  // namespace relayopt
