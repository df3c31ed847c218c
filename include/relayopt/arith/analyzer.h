// What can be known of integers: bounds, remainders, order, and simpler forms of terms.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// Integers [min, max]; the ends may be infinite. min > max, which contradicting constraints give, holds none.
struct ConstBound {
  static constexpr int64_t kPosInf = INT64_MAX;
  static constexpr int64_t kNegInf = -kPosInf;  // so the smallest 64-bit integer is not representable
  int64_t min = kNegInf;
  int64_t max = kPosInf;

  auto is_const() const -> bool { return min == max && min != kNegInf && min != kPosInf; }
  friend auto operator==(const ConstBound&, const ConstBound&) -> bool = default;
};

// The integers coefficient * t + base. A coefficient of 0: just `base`; otherwise 0 <= base < coefficient.
struct ModularSet {
  int64_t coefficient = 1;
  int64_t base = 0;

  auto is_const() const -> bool { return coefficient == 0; }
  friend auto operator==(const ModularSet&, const ModularSet&) -> bool = default;
};

// The terms [min, max]; ends may be `terms.neg_inf()` and `terms.pos_inf()`.
struct IntSet {
  PrimExpr min;
  PrimExpr max;

  // As TVM: a single point is one whose ends are one and the same term.
  auto is_point() const -> bool { return min == max; }
  friend auto operator==(const IntSet&, const IntSet&) -> bool = default;
};

// What the rewrite simplifier does beyond the usual; bits that may be combined. (Keys of `tir.Simplify`.)
enum SimplifyFlags : uint32_t {
  kNoSimplifyFlags = 0,
  kTransitivelyProveInequalities = 1,
  kConvertBooleanToAndOfOrs = 2,
  kApplyConstraintsToBooleanBranches = 4,
};

enum class ProofStrength : uint8_t { kDefault, kSymbolicBound };

struct AnalyzerOptions {
  // Leaves out what changes the last bit or forgets a NaN: `x - x`, `x / 3.0` as a product.
  bool strict_fp = false;
};

// Holds what is known of variables and conditions, and answers questions under it. Bindings stay as long as the
// analyzer, constraints as long as their scope. Not thread-safe; several analyzers may share the terms.
//
// As TVM: types are taken not to overflow: `x + 1 > x` is provable for int32.
class Analyzer {
 public:
  explicit Analyzer(Terms& terms, AnalyzerOptions options = {});
  Analyzer(const Analyzer&) = delete;
  auto operator=(const Analyzer&) -> Analyzer& = delete;
  ~Analyzer();

  auto terms() const -> Terms&;

  // `var` is this value: it is replaced by it, simplified. Binding again replaces what was known.
  void Bind(PrimExpr var, PrimExpr value);
  // `var` lies in the range. An extent of literal 1 binds it to the minimum. The range is taken not to be empty.
  void Bind(PrimExpr var, const Range& range);
  // The loop over `var` ends: it may have had no iterations, so what its range says of other variables (that the extent
  // is positive) no longer holds. What is known of `var` stays.
  void EndLoop(PrimExpr var);
  // A buffer's extent `e` is not negative: what that says of its only variable.
  void MarkGlobalNonNegative(PrimExpr e);

  // Until the scope ends, `condition` holds. Scopes end in reverse order.
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
  // The same for walks with a stack of their own.
  void EnterConstraint(PrimExpr condition);
  void LeaveConstraint();

  // Canonical, rewrite, canonical, ...: so many steps after the first.
  auto Simplify(PrimExpr e, int steps = 2) -> PrimExpr;
  auto RewriteSimplify(PrimExpr e) -> PrimExpr;
  auto CanonicalSimplify(PrimExpr e) -> PrimExpr;
  // As TVM: of the rewrite simplifier only.
  void set_flags(uint32_t flags);
  auto flags() const -> uint32_t;
  // How many rewrites there have been.
  auto num_rewrites() const -> int64_t;
  // From now on the names of the rules that fire, in order, are written to `log` (null: no more); `canonical` stands
  // for a canonical form that differs without one.
  void LogRules(std::vector<std::string_view>* log);

  // Whether the boolean or integer term is always true.
  auto CanProve(PrimExpr e, ProofStrength strength = ProofStrength::kDefault) -> bool;
  auto CanProveGreaterEqual(PrimExpr e, int64_t lower) -> bool;
  auto CanProveLess(PrimExpr e, int64_t upper) -> bool;
  auto CanProveEqual(PrimExpr a, PrimExpr b) -> bool;
  // `a <= shape` where the shape's literal factors may be left out.
  auto CanProveLessEqualThanSymbolicShapeValue(PrimExpr a, PrimExpr shape) -> bool;

  auto Bound(PrimExpr e) -> ConstBound;
  auto Modular(PrimExpr e) -> ModularSet;
  // The values that `e` takes while the listed variables run through their sets.
  struct VarSet {
    PrimExpr var;
    IntSet set;
  };
  auto Set(PrimExpr e, std::span<const VarSet> vars) -> IntSet;
  // The same with what the analyzer knows of variables.
  auto Set(PrimExpr e) -> IntSet;

  struct Parts;
  auto parts() -> Parts& { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

// The parts of a conjunction, left to right; `with_compounds`: each And before its parts.
auto ExtractConstraints(const Terms& terms, PrimExpr e, bool with_compounds = false) -> std::vector<PrimExpr>;
// The parts of a disjunction.
auto ExtractComponents(const Terms& terms, PrimExpr e) -> std::vector<PrimExpr>;
// `e` with negation and `>`, `>=` removed at the root: `!(x < y)` becomes `y <= x`, `!(x or y)` a conjunction.
auto NormalizeBoolean(Terms& terms, PrimExpr e) -> PrimExpr;

}  // namespace relayopt::arith
