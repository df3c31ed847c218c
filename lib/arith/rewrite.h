// The rewrite simplifier: rules at every node, operands first.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/arith/memo.h"
#include "lib/arith/rules.h"
#include "lib/arith/transitive.h"
#include "relayopt/arith/analyzer.h"

namespace relayopt::arith {

class ConstBounds;
class ModularSets;

// A visit is a machine with a stack of its own, so that the depth of terms costs memory and no stack:
//
//   a frame waits at a node until its operands have results, then the node is *finished*: rebuilt, folded, and offered
//   to the rules of its kind in order. The first rule that matches replaces it. A rule may ask for proofs, which visit
//   other terms, and may have its result visited again, up to five deep.
//
// What a visit finds is remembered by term and depth until the constraints or bindings change. Only conditionals open
// scopes of constraints on the way.
//
// Example: `(i*8 + j) // 8` with j in [0, 8). Results of i, j, i*8, i*8 + j are themselves. At the root the residue
// rule matches with x = i, c1 = 8, y = j, c2 = 8: `j // 8` is 0 by the bounds of j and so is `(i*0 + j) // 8`: the
// result is i*1 + 0, which folds to i.
class RewriteSimplifier {
 public:
  RewriteSimplifier(Terms& terms, Analyzer& analyzer);
  virtual ~RewriteSimplifier() = default;

  // Two passes, the second only if the first changed something.
  auto Simplify(PrimExpr e) -> PrimExpr;
  // One pass.
  virtual auto Visit(PrimExpr e) -> PrimExpr;

  // From now on `var` is replaced. `is_new` if it was not seen, so that all that is remembered stays true.
  void SetVar(PrimExpr var, PrimExpr value, bool is_new);
  // Whether the variable was visited while nothing replaced it.
  auto HasSeen(PrimExpr var) const -> bool { return seen_.contains(var); }
  void ForgetVar(PrimExpr var) { vars_.erase(var); }
  virtual void Invalidate() { memo_.Invalidate(); }
  void EnterConstraint(PrimExpr condition);
  void LeaveConstraint();
  virtual void PushLayer() { memo_.Push(); }
  virtual void PopLayer() { memo_.Pop(); }

  // `!condition`, simplified.
  auto SimplifyNegation(PrimExpr negation) -> PrimExpr;
  auto TryCompare(PrimExpr e, int64_t value) -> CompareResult;
  auto TryCompare(PrimExpr a, PrimExpr b) -> CompareResult;

  uint32_t flags = kNoSimplifyFlags;
  bool strict_fp = false;
  int64_t num_rewrites = 0;
  std::vector<std::string_view>* log = nullptr;

 protected:
  // The progress of visiting a node.
  struct Frame {
    PrimExpr e;
    uint8_t step = 0;
    bool raw = false;             // wanted is what CanonicalSimplifier keeps of sums
    PrimExpr first, second = {};  // results that cannot be looked up again
  };

  // The steps of visiting a node, which the canonical simplifier overrides. HasResult: whether the node has a result
  // already; otherwise it needs a frame.
  virtual auto HasResult(const Frame& wanted) -> bool;
  // Does what can be done at frame `at` of the stack. True when the node has its result.
  virtual auto Step(size_t at) -> bool;

  auto Key(PrimExpr e) const -> uint64_t { return uint64_t{e.value()} << 3 | static_cast<uint64_t>(depth_); }
  // Returns the result of a term that has one.
  auto ResultOf(PrimExpr e) -> PrimExpr;
  void Remember(PrimExpr e, PrimExpr result) { memo_.Insert(Key(e), result); }
  // Pushes a frame for each operand without result. True if there was none.
  auto NeedOperands(PrimExpr e) -> bool;
  auto Need(PrimExpr e) -> bool;
  void RunFrom(size_t bottom);
  auto AtLeaf(PrimExpr e) -> std::optional<PrimExpr>;

  // Returns the node with the results of its operands, by the plain constructor.
  auto Rebuilt(PrimExpr e) -> PrimExpr;
  // `e` has simplified operands: folding, matching with constraints, rules.
  auto Finish(PrimExpr e) -> PrimExpr;
  auto ApplyRules(PrimExpr e) -> std::optional<PrimExpr>;
  // Whether sums that a rewrite of `e` computes as operands may leave their types although `e` does not overflow.
  auto MayOverflow(PrimExpr e, std::span<const PrimExpr> sums) -> bool;
  // Whether the difference of two terms may leave even the integers that terms are computed with.
  auto DifferenceMayWrap(PrimExpr a, PrimExpr b) -> bool;
  auto CompareBounds(PrimExpr a, PrimExpr b) -> CompareResult;
  // Whether the bounds of the term prove that it does not leave its type.
  auto FitsByBounds(PrimExpr e) -> bool;
  auto IsAboutFloats(const RuleBinding& binding) const -> bool;

  auto MatchConstraint(PrimExpr e) -> std::optional<PrimExpr>;
  auto VisitAgain(PrimExpr e) -> PrimExpr;
  auto StepConditional(size_t at, bool select) -> bool;
  auto StepLet(size_t at) -> bool;
  auto StepLogic(size_t at) -> bool;

  Terms& terms_;
  Analyzer& analyzer_;
  int depth_ = 0;
  int nesting_ = 0;
  int entering_ = 0;  // how many conditions are being simplified inside of each other
  std::vector<Frame> stack_;
  MemoLayers<PrimExpr> memo_;

 private:
  auto FinishComparison(PrimExpr e) -> PrimExpr;
  auto ApplyEQ(PrimExpr a, PrimExpr b) -> PrimExpr;
  auto ApplyLT(PrimExpr a, PrimExpr b) -> PrimExpr;
  auto ApplyNot(PrimExpr a) -> PrimExpr;
  auto FinishNE(PrimExpr e) -> PrimExpr;
  auto FinishLE(PrimExpr e) -> PrimExpr;
  auto FinishCall(PrimExpr e) -> PrimExpr;
  auto ApplyNative(const Rule& rule, PrimExpr e, const RuleBinding& binding) -> std::optional<PrimExpr>;
  auto DivideByFloat(PrimExpr e) -> std::optional<PrimExpr>;
  auto DivideRamp(PrimExpr e) -> std::optional<PrimExpr>;
  auto RampRemainder(PrimExpr e) -> std::optional<PrimExpr>;
  auto Residue(PrimExpr e) -> std::optional<PrimExpr>;
  auto ModularRemainder(PrimExpr e) -> std::optional<PrimExpr>;
  auto DisjointBounds(PrimExpr e) -> std::optional<PrimExpr>;
  auto MergeConstants(PrimExpr e) -> std::optional<PrimExpr>;
  auto Proved(PrimKind op, PrimExpr e, int64_t value) -> bool;
  auto SimplifyAsAndOfOrs(PrimExpr e) -> PrimExpr;
  void Fired(std::string_view id);

  absl::flat_hash_map<PrimExpr, PrimExpr> vars_;
  absl::flat_hash_set<PrimExpr> seen_;
  PrimExpr last_seen_;
  std::vector<PrimExpr> literal_constraints_;
  absl::flat_hash_map<PrimExpr, std::vector<uint32_t>> constraint_places_;
  std::vector<size_t> constraint_scopes_;
  RuleProver prover_;
};

}  // namespace relayopt::arith
