// Branches with a literal condition.
#include "lib/tir/transforms/utils/decided_branches.h"

#include "relayopt/arith/fold.h"

namespace relayopt::tir {

auto WithoutLikely(const Terms& terms, PrimExpr condition) -> PrimExpr {
  return terms.IsCall(condition, terms.ops().likely) ? terms.operand(condition, 0) : condition;
}

void EnterIfPart(arith::Analyzer& analyzer, PrimExpr condition, size_t part) {
  Terms& terms = analyzer.terms();
  condition = WithoutLikely(terms, condition);
  if (part == 1) analyzer.LeaveConstraint();
  analyzer.EnterConstraint(part == 0 ? condition : analyzer.RewriteSimplify(arith::Not(terms, condition)));
}

auto BranchDecider::Leave(Stmt stmt, Parts parts) -> StmtId {
  if (stmt.is(StmtKind::kIf)) {
    const auto known = terms().AsInt(WithoutLikely(terms(), parts.exprs[0]));
    if (known && *known != 0) return parts.stmts[0];
    if (known) return parts.stmts.size() == 2 ? parts.stmts[1] : builder().NoOp();
  }
  return Rewriter::Leave(stmt, parts);
}

auto BranchDecider::RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr {
  made = Rewriter::RewriteNode(old, made);
  const PrimKind kind = terms().kind(made);
  if (kind == PrimKind::kSelect || (kind == PrimKind::kCall && terms().call_op(made) == terms().ops().if_then_else)) {
    if (const auto known = terms().AsInt(terms().operand(made, 0))) return terms().operand(made, *known != 0 ? 1 : 2);
  }
  return made;
}

}  // namespace relayopt::tir
