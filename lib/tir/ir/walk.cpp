// Walks over terms, and which terms contain which.
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

void ForEachTerm(Stmt stmt, const std::function<void(PrimExpr)>& visit) {
  TermVisitor visitor(stmt.context().Part<Terms>());
  for (StmtId id = stmt.table().first(stmt.id()); id <= stmt.id(); ++id) {
    for (const PrimExpr expr : stmt.table().exprs(id)) visitor.Visit(expr, visit);
  }
}

auto UsesVar(Stmt stmt, const std::function<bool(PrimExpr)>& pred) -> bool {
  const Terms& terms = stmt.context().Part<Terms>();
  bool uses = false;
  ForEachTerm(stmt, [&](PrimExpr term) { uses = uses || (terms.is_var(term) && pred(term)); });
  return uses;
}

auto Parents(const StmtTable& stmts) -> SideTable<StmtId, StmtId> {
  SideTable<StmtId, StmtId> parents(stmts.size());
  for (StmtId id(0U); id.value() < stmts.size(); ++id) {
    for (const StmtId part : stmts.parts(id)) parents[part] = id;
  }
  return parents;
}

}  // namespace relayopt::tir
