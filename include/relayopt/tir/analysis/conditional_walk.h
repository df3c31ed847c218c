// Walks in the order of evaluation that know under which conditions they are.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "relayopt/arith/fold.h"
#include "relayopt/tir/analysis/condition_bounds.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

// Calls open(stmt) before, and close(stmt) after, the parts of `root` and of every statement inside; the branches of an
// IfThenElse are walked under its condition. When open returns false, the parts are skipped and close is not called.
template <typename Open, typename Close>
void WalkUnderConditions(Stmt root, Terms& terms, ConditionBounds& conditions, Open&& open, Close&& close) {
  Walk(
      root, open,
      [&](Stmt stmt, uint32_t part) {
        const auto branch = stmt.As<IfThenElse>();
        if (!branch) return;
        if (part > 0) conditions.Leave();
        conditions.Enter(part == 0 ? branch->condition() : arith::Not(terms, branch->condition()));
      },
      [&](Stmt stmt) {
        if (stmt.is(StmtKind::kIf)) conditions.Leave();
        close(stmt);
      });
}

// Walks a term and its operands; the alternatives of an if_then_else are walked under its condition. bind(let, true) is
// called before, and bind(let, false) after, the body of a Let. For all other terms visit(expr) returns the terms to
// walk next.
template <typename Visit, typename Bind>
void WalkUnderConditions(PrimExpr root, Terms& terms, ConditionBounds& conditions, Visit&& visit, Bind&& bind) {
  enum class Do : uint8_t { kVisit, kEnter, kLeave, kBind, kUnbind };
  struct Task {
    PrimExpr expr;
    Do what = Do::kVisit;
  };
  std::vector<Task> tasks = {{root}};
  // The last task is done first.
  const auto push = [&](std::initializer_list<Task> in_order) {
    tasks.insert(tasks.end(), std::rbegin(in_order), std::rend(in_order));
  };
  while (!tasks.empty()) {
    const auto [e, what] = tasks.back();
    tasks.pop_back();
    switch (what) {
      case Do::kEnter: conditions.Enter(e); continue;
      case Do::kLeave: conditions.Leave(); continue;
      case Do::kBind: bind(e, true); continue;
      case Do::kUnbind: bind(e, false); continue;
      case Do::kVisit: break;
    }
    const std::span<const PrimExpr> operands = terms.operands(e);
    if (terms.IsCall(e, terms.ops().if_then_else)) {
      push({{operands[0]},
            {operands[0], Do::kEnter},
            {operands[1]},
            {{}, Do::kLeave},
            {arith::Not(terms, operands[0]), Do::kEnter},
            {operands[2]},
            {{}, Do::kLeave}});
    } else if (terms.kind(e) == PrimKind::kLet) {
      push({{operands[1]}, {e, Do::kBind}, {operands[2]}, {e, Do::kUnbind}});
    } else {
      const std::span<const PrimExpr> next = visit(e);
      for (size_t i = next.size(); i-- > 0;) tasks.push_back({next[i]});
    }
  }
}

}  // namespace relayopt::tir
