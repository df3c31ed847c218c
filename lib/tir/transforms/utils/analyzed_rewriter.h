// The frame of passes that rewrite a program using what holds at each position.
#pragma once

#include <span>
#include <vector>

#include "lib/tir/transforms/utils/decided_branches.h"
#include "lib/tir/transforms/utils/scoped_terms.h"
#include "relayopt/arith/iter_map.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

// A rewrite with an analyzer that knows the ranges of loops and threads, the values of lets and the conditions around a
// position, also inside of `if_then_else` and Select. As TVM: branches whose condition is a literal are decided.
//
// Derived classes call Enter, EnterPart and Leave of this class.
class AnalyzedRewriter : public Rewriter {
 public:
  explicit AnalyzedRewriter(const PrimFunc& func);

 protected:
  auto Enter(Stmt stmt) -> Descent override;
  void EnterPart(Stmt stmt, size_t part, Exprs exprs) override;
  auto Leave(Stmt stmt, Parts parts) -> StmtId override;
  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override;

  auto analyzer() -> arith::Analyzer& { return analyzer_; }
  // The extents of the function's buffers are not negative.
  void MarkBufferMapShapes();
  // Indices in the simplest form that the loops and conditions around allow (arith/iter_map.h).
  auto SimplifyIndices(std::span<const PrimExpr> indices) -> std::vector<PrimExpr>;

  // Registers the variable of a loop, a thread or a block from here on.
  void RecordIterator(PrimExpr var, const Range& range);

 private:
  // A condition that holds until it is popped.
  void PushCondition(PrimExpr condition, bool is_predicate);
  void PopCondition();
  void OpenOperand(PrimExpr expr, size_t operand, std::span<const PrimExpr> made);
  auto CloseExpr(PrimExpr expr, std::span<const PrimExpr> made) -> PrimExpr;
  void CountMentions(const Range& range, int change);

  struct Condition {
    bool constraint;
    bool predicate;
  };
  struct Iterator {
    Range range;
    bool recorded = false;
    // The number of ranges of recorded iterators in which it occurs.
    int mentions = 0;
  };

  arith::Analyzer analyzer_;
  std::vector<Condition> conditions_;
  // Conditions on iterators, for SimplifyIndices.
  std::vector<PrimExpr> predicates_;
  // As TVM: an iterator stays known after its loop.
  absl::flat_hash_map<PrimExpr, Iterator> iterators_;
  // The number of recorded iterators that occur in the range of another recorded one.
  int dependent_ = 0;
  TermsWith opens_scopes_;
};

}  // namespace relayopt::tir
