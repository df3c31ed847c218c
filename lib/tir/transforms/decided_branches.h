// A rewrite that chooses what is known for certain where a condition is a literal.
#pragma once

#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

// A Rewriter in which a branch, if_then_else or Select with a literal condition is the part that it chooses, after all
// parts were rewritten. The reference's passes that know of conditions all do that, whatever they are about. Who
// overrides Leave or RewriteNode calls these.
class BranchDecider : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override;
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override;

  // The condition without `likely` around it.
  auto WithoutLikely(PrimExpr condition) const -> PrimExpr;
};

}  // namespace relayopt::tir
