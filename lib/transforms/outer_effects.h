// Closures that hold effects of the code around them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "relayopt/ir/purity.h"
#include "relayopt/ir/scopes.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// An expression that a closure shares with code outside of it belongs to the scope around both, and is evaluated there.
// If it has effects or makes a reference, the closure must neither be dropped nor moved: the expression would go with
// it to another place. Tells of every expression whether it is such a closure or evaluates one.
inline auto HoldOuterEffects(const Function& function, const Scopes& scopes, const SideTable<ExprId, Purity>& purity)
    -> SideTable<ExprId, bool> {
  constexpr uint32_t kNone = UINT32_MAX;
  // How deep the outermost scope is to which an effect belongs: of all in the expression, and of those that leave a
  // closure in it.
  SideTable<ExprId, uint32_t> effects(function.size(), kNone);
  SideTable<ExprId, uint32_t> leaving(function.size(), kNone);
  SideTable<ExprId, bool> holds(function.size());
  for (ExprId id(0U); id.value() < function.size(); ++id) {
    if (!scopes.of[id]) continue;
    uint32_t effect = kNone;
    uint32_t leaves = kNone;
    if (!purity[id].eval || function.kind(id) == ExprKind::kRefCreate) effect = scopes[scopes.of[id]].depth;
    for (const ExprId operand : function.operands(id)) {
      effect = std::min(effect, uint32_t{effects[operand]});
      leaves = std::min(leaves, uint32_t{leaving[operand]});
    }
    if (function.kind(id) == ExprKind::kFunction) {
      const uint32_t inside = scopes[scopes.first[id]].depth;
      if (effect >= inside) effect = kNone;
      leaves = effect;
    }
    effects[id] = effect;
    leaving[id] = leaves;
    holds[id] = leaves != kNone;
  }
  return holds;
}

}  // namespace relayopt
