// Analysis of integer terms: bounds, remainders, order, and simplification.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// The integers [min, max], whose ends may be infinite. Empty if min > max, which contradicting constraints lead to.
struct ConstBound {
  static constexpr int64_t kPosInf = INT64_MAX;
  static constexpr int64_t kNegInf = -kPosInf;  // so the smallest 64-bit integer is not representable
  int64_t min = kNegInf;
  int64_t max = kPosInf;

  auto is_const() const -> bool { return min == max && min != kNegInf && min != kPosInf; }
  friend auto operator==(const ConstBound&, const ConstBound&) -> bool = default;
};

// The integers coefficient * t + base for all integers t. A coefficient of 0 stands for just `base`; otherwise 0 <=
// base < coefficient.
struct ModularSet {
  int64_t coefficient = 1;
  int64_t base = 0;

  auto is_const() const -> bool { return coefficient == 0; }
  friend auto operator==(const ModularSet&, const ModularSet&) -> bool = default;
};

// The interval [min, max] between two terms; the ends may be `terms.neg_inf()` and `terms.pos_inf()`.
struct IntSet {
  PrimExpr min;
  PrimExpr max;

  // As TVM: a set is a single point when its ends are the same term.
  auto is_point() const -> bool { return min == max; }
  friend auto operator==(const IntSet&, const IntSet&) -> bool = default;
};

// Optional extensions of the rewrite simplifier; bits that may be combined. (They are options of `tir.Simplify`.)
enum SimplifyFlags : uint32_t {
  kNoSimplifyFlags = 0,
  kTransitivelyProveInequalities = 1,
  kConvertBooleanToAndOfOrs = 2,
  kApplyConstraintsToBooleanBranches = 4,
};

// How much effort a proof may take. kSymbolicBound also tries bounds that contain variables.
enum class ProofStrength : uint8_t { kDefault, kSymbolicBound };

// Settings of an analyzer, fixed when it is created.
struct AnalyzerOptions {
  // Leaves out rewrites that may change bits of floats or lose a NaN, such as `x - x` to 0, or `x / 3.0` to a product.
  bool strict_fp = false;
};

// Keeps facts about variables and conditions, and answers questions that assume them. Bindings last as long as the
// analyzer, constraints until the end of their scope. Not thread-safe; several analyzers may share the terms.
//
// As TVM: arithmetic is taken never to overflow, so that `x + 1 > x` is provable for int32.
class Analyzer {
 public:
  explicit Analyzer(Terms& terms, AnalyzerOptions options = {});
  Analyzer(const Analyzer&) = delete;
  auto operator=(const Analyzer&) -> Analyzer& = delete;
  ~Analyzer();

  auto terms() const -> Terms&;

  // Binds `var` to a value: it will be replaced by the value, simplified. Binding again replaces what was known.
  void Bind(PrimExpr var, PrimExpr value);
  // The same for the variable of a let, whose value may be large: values of values of values grow exponentially
  // (v1 = v0 * v0, v2 = v1 * v1, ...). Returns false if the value is too large to replace the variable, of which only
  // bounds and remainders are known then.
  auto BindLet(PrimExpr var, PrimExpr value) -> bool;
  // States that `var` lies in the range. An extent of literal 1 binds it to the minimum. The range is assumed not to be
  // empty.
  void Bind(PrimExpr var, const Range& range);
  // To be called at the end of the loop over `var`. The loop may have had no iterations, so facts about other variables
  // that follow from its range (such as that its extent is positive) are dropped. Facts about `var` stay.
  void EndLoop(PrimExpr var);
  // States that the extent `e` of a buffer is not negative; used only when `e` contains a single variable.
  void MarkGlobalNonNegative(PrimExpr e);

  // While the scope exists, `condition` is assumed. Scopes must end in reverse order.
  class [[nodiscard]] Scope {
   public:
    Scope(Scope&& other) noexcept : analyzer_(std::exchange(other.analyzer_, nullptr)) {}
    auto operator=(Scope&&) -> Scope& = delete;
    ~Scope() {
      if (analyzer_ != nullptr) analyzer_->LeaveConstraint();
    }

   private:
    friend class Analyzer;
    explicit Scope(Analyzer* analyzer) : analyzer_(analyzer) {}
    Analyzer* analyzer_;
  };
  auto Assume(PrimExpr condition) -> Scope;
  // The same for walks with an explicit stack.
  void EnterConstraint(PrimExpr condition);
  void LeaveConstraint();

  // Simplifies a term by alternating between the canonical and the rewrite simplifier: canonical first, then `steps`
  // further steps.
  auto Simplify(PrimExpr e, int steps = 2) -> PrimExpr;
  auto RewriteSimplify(PrimExpr e) -> PrimExpr;
  auto CanonicalSimplify(PrimExpr e) -> PrimExpr;
  // Sets SimplifyFlags. As TVM: they affect the rewrite simplifier only.
  void set_flags(uint32_t flags);
  auto flags() const -> uint32_t;
  // Returns the number of rewrites so far.
  auto num_rewrites() const -> int64_t;
  // Appends the names of the rules that fire to `log` from now on, in order; null ends it. `canonical` stands for the
  // canonical simplifier, whose steps have no rules.
  void LogRules(std::vector<std::string_view>* log);

  // Whether the boolean or integer term can be proved to be always true.
  auto CanProve(PrimExpr e, ProofStrength strength = ProofStrength::kDefault) -> bool;
  auto CanProveGreaterEqual(PrimExpr e, int64_t lower) -> bool;
  auto CanProveLess(PrimExpr e, int64_t upper) -> bool;
  auto CanProveEqual(PrimExpr a, PrimExpr b) -> bool;
  // Whether `a <= shape` can be proved, possibly after leaving literal factors out of `shape`.
  auto CanProveLessEqualThanSymbolicShapeValue(PrimExpr a, PrimExpr shape) -> bool;

  auto Bound(PrimExpr e) -> ConstBound;
  auto Modular(PrimExpr e) -> ModularSet;
  // Sets of values for variables, from which the values of `e` are computed.
  struct VarSet {
    PrimExpr var;
    IntSet set;
  };
  auto Set(PrimExpr e, std::span<const VarSet> vars) -> IntSet;
  // Returns the values of `e`, from what the analyzer knows of variables.
  auto Set(PrimExpr e) -> IntSet;

  struct Parts;
  auto parts() -> Parts& { return *parts_; }

 private:
  void BindSimplified(PrimExpr var, PrimExpr value, PrimExpr simple);
  auto ChangeBinding(PrimExpr var, PrimExpr value) -> bool;

  std::unique_ptr<Parts> parts_;
};

// Returns the operands of a conjunction, left to right. With `with_compounds` each And itself precedes its operands.
auto ExtractConstraints(const Terms& terms, PrimExpr e, bool with_compounds = false) -> std::vector<PrimExpr>;
// Removes a negation, and replaces `>` and `>=`, at the root of `e`: `!(x < y)` becomes `y <= x`, `!(x or y)` a
// conjunction.
auto NormalizeBoolean(Terms& terms, PrimExpr e) -> PrimExpr;

}  // namespace relayopt::arith
