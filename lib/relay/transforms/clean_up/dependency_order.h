// Computes evaluation orders with dependencies in addition to operands.
#pragma once

#include <vector>

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Returns the expressions that the root reaches, each after everything that it needs. `needed(id, i)` is the i-th of
// the `count(id)` expressions that `id` needs. These relations must have no cycle.
template <typename Count, typename Needed>
auto DependencyOrder(const Function& function, Count&& count, Needed&& needed) -> std::vector<ExprId> {
  struct Frame {
    ExprId id;
    size_t next;
  };
  std::vector<ExprId> order;
  SideTable<ExprId, bool> seen(function.size());
  std::vector<Frame> stack = {{function.root(), 0}};
  seen[function.root()] = true;
  while (!stack.empty()) {
    const ExprId id = stack.back().id;
    if (stack.back().next == count(id)) {
      order.push_back(id);
      stack.pop_back();
      continue;
    }
    const ExprId next = needed(id, stack.back().next++);
    if (!next || seen[next]) continue;
    seen[next] = true;
    stack.push_back({next, 0});
  }
  return order;
}

}  // namespace relayopt
