// Decides which expressions must not be removed or moved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "relayopt/relay/analysis/purity.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Whether the expression by itself may have an effect or depend on one, as far as the function alone shows: it uses
// references or a stateful operator, or calls a function.
inline auto HasOwnEffect(const Function& function, ExprId id) -> bool {
  switch (function.kind(id)) {
    case ExprKind::kRefCreate:
    case ExprKind::kRefRead:
    case ExprKind::kRefWrite:
    case ExprKind::kCall: return true;
    case ExprKind::kOpCall: return function.op(id)->stateful;
    default: return false;
  }
}

// For every expression, whether evaluating it with its operands may have an effect or depend on one. A projection must
// not be simplified to a field when its tuple has effects: those of the other fields would be lost or reordered.
inline auto FindLocalEffects(const Function& function) -> SideTable<ExprId, bool> {
  SideTable<ExprId, bool> effects(function.size());
  for (const ExprId id : function.ids()) {
    effects[id] = HasOwnEffect(function, id);
    // The effects of a closure happen when it is called.
    if (function.kind(id) == ExprKind::kFunction) continue;
    for (const ExprId operand : function.operands(id)) {
      if (effects[operand]) effects[id] = true;
    }
  }
  return effects;
}

// The same, but also considers the bodies of called functions.
inline auto FindEffects(const Module& module, const Function& function) -> SideTable<ExprId, bool> {
  SideTable<ExprId, bool> effects = FindLocalEffects(function);
  std::optional<SideTable<ExprId, Purity>> purity;
  for (const ExprId id : function.ids()) {
    if (!effects[id]) continue;
    if (!purity) purity = module.Analysis<PurityAnalysis>().Analyze(function);
    effects[id] = !(*purity)[id].eval;
  }
  return effects;
}

// An expression that a closure shares with code outside of it belongs to the scope around both, and is evaluated there.
// If it has effects or makes a reference, the closure must neither be dropped nor moved: the expression would move with
// it. For every expression, whether it is such a closure or evaluates one.
inline auto HoldOuterEffects(const Function& function, const Scopes& scopes, const SideTable<ExprId, Purity>& purity)
    -> SideTable<ExprId, bool> {
  constexpr uint32_t kNone = UINT32_MAX;
  // The depth of the outermost scope to which an effect belongs: for all effects in the expression, and for those that
  // leave a closure in it.
  SideTable<ExprId, uint32_t> effects(function.size(), kNone);
  SideTable<ExprId, uint32_t> leaving(function.size(), kNone);
  SideTable<ExprId, bool> holds(function.size());
  for (const ExprId id : function.ids()) {
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
