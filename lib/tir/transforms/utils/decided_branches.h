// A rewrite that takes the branch that a literal condition chooses.
#pragma once

#include "relayopt/arith/analyzer.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

// Returns the condition without `likely` around it.
auto WithoutLikely(const Terms& terms, PrimExpr condition) -> PrimExpr;

// On the way into part `part` of an `if` the analyzer learns its condition, or its negation. It has to drop it
// (LeaveConstraint) after the last part.
void EnterIfPart(arith::Analyzer& analyzer, PrimExpr condition, size_t part);

// A Rewriter in which a branch, if_then_else or Select with a literal condition is the part that it chooses, after all
// parts were rewritten. As TVM: its passes that know of conditions all do that, whatever they are about. Overrides of
// Leave and RewriteNode must call these.
class BranchDecider : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override;
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override;
};

}  // namespace relayopt::tir
