// Which expressions must not lose or change their place.
#pragma once

#include "relayopt/ir/function.h"
#include "relayopt/ir/purity.h"
#include "relayopt/ops/op_def.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Of every expression whether evaluating it may have an effect or see one, as far as the function alone shows: it uses
// references, a stateful operator, or calls a function, which may. Projections of a tuple that has one must not be
// taken apart: what happens in the other fields would be lost or come at another time.
inline auto FindLocalEffects(const Function& function) -> SideTable<ExprId, bool> {
  const auto has_own = [&function](ExprId id) {
    switch (function.kind(id)) {
      case ExprKind::kRefCreate:
      case ExprKind::kRefRead:
      case ExprKind::kRefWrite:
      case ExprKind::kCall: return true;
      case ExprKind::kOpCall: return function.op(id)->stateful;
      default: return false;
    }
  };
  SideTable<ExprId, bool> effects(function.size());
  for (ExprId id(0U); id.value() < function.size(); ++id) {
    effects[id] = has_own(id);
    // What a closure does happens when it is called.
    if (function.kind(id) == ExprKind::kFunction) continue;
    for (const ExprId operand : function.operands(id)) {
      if (effects[operand]) effects[id] = true;
    }
  }
  return effects;
}

// The same with a look into the functions that are called.
inline auto FindEffects(const Module& module, const Function& function, PassContext& context)
    -> SideTable<ExprId, bool> {
  SideTable<ExprId, bool> effects = FindLocalEffects(function);
  std::optional<SideTable<ExprId, Purity>> purity;
  for (ExprId id(0U); id.value() < function.size(); ++id) {
    if (!effects[id]) continue;
    if (!purity) purity = context.Analysis<PurityAnalysis>(module).Analyze(function);
    effects[id] = !(*purity)[id].eval;
  }
  return effects;
}

}  // namespace relayopt
