// Solving comparisons for one variable.
//
// Example: i*4 + j < 20 for i, with j relaxed to [0, 3]. Normal form: i*4 + j <= 19; the left side at most i*4 + 3. The
// sum gives i*4 <= 16, the product i <= 4.
#include "relayopt/arith/deduce.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"

namespace relayopt::arith {

namespace {

using enum PrimKind;

enum class Direction : uint8_t { kAtLeast, kAtMost, kEqual };
enum class Sign : uint8_t { kPositive, kNegative, kZero, kUnknown };

auto Flip(Direction d) -> Direction {
  if (d == Direction::kEqual) return d;
  return d == Direction::kAtLeast ? Direction::kAtMost : Direction::kAtLeast;
}

// Returns the number of occurrences of the variable in the term as a tree, at most 2.
auto Occurrences(const Terms& terms, PrimExpr e, PrimExpr var) -> int {
  absl::flat_hash_map<PrimExpr, int> counts;
  int count = 0;
  for (const PrimExpr part : PostOrder(terms, e)) {
    count = part == var ? 1 : 0;
    for (const PrimExpr operand : terms.operands(part)) count = std::min(2, count + counts[operand]);
    counts[part] = count;
  }
  return count;
}

class BoundDeducer {
 public:
  BoundDeducer(Terms& terms, PrimExpr var, std::span<const Analyzer::VarSet> hint,
               std::span<const Analyzer::VarSet> relax)
      : terms_(terms), analyzer_(terms), var_(var), hint_(hint), relax_(relax) {}

  auto Run(PrimExpr condition) -> std::optional<IntSet> {
    if (!IsComparison(terms_.kind(condition)) || terms_.kind(condition) == kNE) return std::nullopt;
    if (Occurrences(terms_, condition, var_) != 1) return std::nullopt;
    Normalize(condition);
    if (!Relax()) return std::nullopt;
    // Down from the root of the side to the variable.
    while (side_ != var_) {
      if (!Descend()) return std::nullopt;
    }
    if (overflows_) return std::nullopt;
    rest_ = analyzer_.Simplify(rest_);
    switch (direction_) {
      case Direction::kAtLeast: return IntSet{rest_, terms_.pos_inf()};
      case Direction::kAtMost: return IntSet{terms_.neg_inf(), rest_};
      case Direction::kEqual: return PointSet(rest_);
    }
    return std::nullopt;
  }

 private:
  // `side_ direction_ rest_` with the variable in `side_`.
  void Normalize(PrimExpr condition) {
    PrimKind kind = terms_.kind(condition);
    side_ = terms_.operand(condition, 0);
    rest_ = terms_.operand(condition, 1);
    if (!UsesVar(terms_, side_, var_)) {
      std::swap(side_, rest_);
      kind = kind == kLT ? kGT : kind == kLE ? kGE : kind == kGT ? kLT : kind == kGE ? kLE : kind;
    }
    const PrimExpr one = MakeConst(terms_, terms_.dtype(rest_), 1);
    direction_ = kind == kEQ                  ? Direction::kEqual
                 : kind == kLT || kind == kLE ? Direction::kAtMost
                                              : Direction::kAtLeast;
    if (kind == kLT) rest_ = Combined(kSub, rest_, one);
    if (kind == kGT) rest_ = Combined(kAdd, rest_, one);
  }

  // The condition must hold for all values of the relaxed variables.
  auto Relax() -> bool {
    const IntSet a = EvalSet(terms_, side_, relax_);
    const IntSet b = EvalSet(terms_, rest_, relax_);
    if (IsEverythingSet(terms_, a) || IsEverythingSet(terms_, b)) return false;
    if (direction_ == Direction::kEqual && !(a.is_point() && b.is_point())) return false;
    side_ = direction_ == Direction::kAtLeast ? a.min : a.max;
    rest_ = direction_ == Direction::kAtLeast ? b.max : b.min;
    for (const PrimExpr e : {side_, rest_}) {
      if (e == terms_.pos_inf() || e == terms_.neg_inf()) return false;
    }
    return Occurrences(terms_, side_, var_) == 1;
  }

  // Returns a sum, difference or product, and notes where one of two numbers leaves their type: a condition at the end
  // of the type has no bound in it then.
  auto Combined(PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr {
    const auto x = terms_.AsInt(a);
    const auto y = terms_.AsInt(b);
    if (x && y) {
      int64_t result = 0;
      const bool overflows = kind == kAdd   ? __builtin_add_overflow(*x, *y, &result)
                             : kind == kSub ? __builtin_sub_overflow(*x, *y, &result)
                                            : __builtin_mul_overflow(*x, *y, &result);
      overflows_ = overflows_ || overflows || WrapToType(terms_.dtype(a), result) != result;
    }
    return Operate(terms_, kind, a, b);
  }
  auto Negated(PrimExpr a) -> PrimExpr { return Combined(kSub, MakeZero(terms_, terms_.dtype(a)), a); }

  auto SignOf(PrimExpr e) -> Sign {
    if (terms_.dtype(e).is_uint()) return Sign::kPositive;
    const IntSet set = EvalSet(terms_, e, hint_);
    const auto end = [this](PrimExpr x) { return terms_.AsInt(analyzer_.Simplify(x)); };
    if (set.min != terms_.neg_inf() && !IsEmptySet(terms_, set)) {
      const auto low = end(set.min);
      if (low && *low > 0) return Sign::kPositive;
      if (low == 0 && set.max != terms_.pos_inf() && end(set.max) == 0) return Sign::kZero;
    }
    if (set.max != terms_.pos_inf() && !IsEmptySet(terms_, set)) {
      const auto high = end(set.max);
      if (high && *high < 0) return Sign::kNegative;
    }
    return Sign::kUnknown;
  }

  auto Descend() -> bool {
    const PrimKind kind = terms_.kind(side_);
    if (kind != kAdd && kind != kSub && kind != kMul && kind != kFloorDiv) return false;
    const PrimExpr a = terms_.operand(side_, 0);
    const PrimExpr b = terms_.operand(side_, 1);
    const bool left = UsesVar(terms_, a, var_);
    const PrimExpr other = left ? b : a;
    bool done = true;
    switch (kind) {
      case kAdd: rest_ = Combined(kSub, rest_, other); break;
      case kSub:
        if (left) {
          rest_ = Combined(kAdd, rest_, other);
        } else {
          rest_ = Negated(Combined(kSub, rest_, other));
          direction_ = Flip(direction_);
        }
        break;
      case kMul: done = Divide(other); break;
      default: done = left && Multiply(other); break;
    }
    side_ = left ? a : b;
    return done;
  }

  // side * by compared with rest.
  auto Divide(PrimExpr by) -> bool {
    const Sign sign = SignOf(by);
    if (sign == Sign::kUnknown || sign == Sign::kZero) return false;
    if (sign == Sign::kNegative) direction_ = Flip(direction_);
    const PrimExpr zero = MakeZero(terms_, terms_.dtype(rest_));
    const bool exact = analyzer_.CanProve(Eq(terms_, FloorMod(terms_, rest_, by), zero));
    rest_ = FloorDiv(terms_, rest_, by);
    if (exact) return true;
    if (direction_ == Direction::kEqual) return false;
    // The quotient was rounded down.
    if (direction_ == Direction::kAtLeast) rest_ = Combined(kAdd, rest_, MakeConst(terms_, terms_.dtype(rest_), 1));
    return true;
  }

  // side // by compared with rest.
  auto Multiply(PrimExpr by) -> bool {
    const PrimExpr one = MakeConst(terms_, terms_.dtype(by), 1);
    if (analyzer_.CanProveEqual(by, MakeZero(terms_, terms_.dtype(by)))) return false;
    const Sign sign = SignOf(by);
    if (sign == Sign::kUnknown || sign == Sign::kZero || direction_ == Direction::kEqual) return false;
    PrimExpr divisor = by;
    if (sign == Sign::kNegative) {
      divisor = Negated(by);
      rest_ = Negated(rest_);
      direction_ = Flip(direction_);
    }
    rest_ = Combined(kMul, rest_, divisor);
    if (direction_ == Direction::kAtMost) rest_ = Combined(kAdd, rest_, Combined(kSub, divisor, one));
    if (sign == Sign::kNegative) rest_ = Combined(kAdd, Combined(kSub, rest_, divisor), one);
    return true;
  }

  Terms& terms_;
  Analyzer analyzer_;
  PrimExpr var_;
  std::span<const Analyzer::VarSet> hint_;
  std::span<const Analyzer::VarSet> relax_;
  PrimExpr side_;
  PrimExpr rest_;
  Direction direction_ = Direction::kEqual;
  // Whether some intermediate number does not fit in its type.
  bool overflows_ = false;
};

// coefficient * var + base; a coefficient of none is 0.
struct LinearForm {
  PrimExpr coefficient;
  PrimExpr base;
};

// Returns the term as a linear form of one variable, from its leaves.
auto LinearIn(Terms& terms, PrimExpr root, PrimExpr var) -> std::optional<LinearForm> {
  absl::flat_hash_map<PrimExpr, LinearForm> forms;
  for (const PrimExpr e : PostOrder(terms, root)) {
    const PrimKind kind = terms.kind(e);
    const DataType type = terms.dtype(e);
    const auto operands = terms.operands(e);
    if (e == var) {
      forms[e] = {MakeConst(terms, type, 1), MakeZero(terms, type)};
      continue;
    }
    const bool uses = std::any_of(operands.begin(), operands.end(),
                                  [&](PrimExpr operand) { return forms[operand].coefficient.has_value(); });
    if (!uses) {
      forms[e] = {{}, e};
      continue;
    }
    if (kind != kAdd && kind != kSub && kind != kMul) return std::nullopt;
    const LinearForm a = forms[operands[0]];
    const LinearForm b = forms[operands[1]];
    if (kind == kMul) {
      if (a.coefficient && b.coefficient) return std::nullopt;
      const LinearForm& dependent = a.coefficient ? a : b;
      const PrimExpr factor = a.coefficient ? operands[1] : operands[0];
      forms[e] = {Mul(terms, dependent.coefficient, factor), Mul(terms, dependent.base, factor)};
      continue;
    }
    LinearForm sum{a.coefficient, Fold(terms, kind, a.base, b.base)};
    if (b.coefficient) {
      const PrimExpr zero = MakeZero(terms, type);
      sum.coefficient = a.coefficient  ? Fold(terms, kind, a.coefficient, b.coefficient)
                        : kind == kAdd ? b.coefficient
                                       : Sub(terms, zero, b.coefficient);
    }
    forms[e] = sum;
  }
  return forms[root];
}

// Returns a term that is not negative, or is 0 for `==`, exactly if the comparison holds. Returns invalid for other
// conditions.
auto DistanceOf(Terms& terms, PrimExpr comparison) -> PrimExpr {
  const PrimKind kind = terms.kind(comparison);
  if (!IsComparison(kind) || kind == kNE) return {};
  const PrimExpr a = terms.operand(comparison, 0);
  const PrimExpr b = terms.operand(comparison, 1);
  if (!IsIndexType(terms.dtype(a))) return {};
  const PrimExpr difference = kind == kLT || kind == kLE ? Sub(terms, b, a) : Sub(terms, a, b);
  return kind == kLT || kind == kGT ? Sub(terms, difference, MakeConst(terms, terms.dtype(a), 1)) : difference;
}

// Narrows the bounds of the one variable in the comparison. Returns false if there is not one, or no bound.
auto ClipBy(Terms& terms, Analyzer& analyzer, PrimExpr comparison, std::span<const PrimExpr> vars,
            std::vector<ClipBound>& bounds) -> bool {
  std::vector<PrimExpr> free = FreeVars(terms, comparison);
  std::erase_if(free, [&](PrimExpr var) { return std::ranges::find(vars, var) == vars.end(); });
  const PrimExpr distance = DistanceOf(terms, comparison);
  if (free.size() != 1 || !distance) return false;
  const auto form = LinearIn(terms, distance, free[0]);
  if (!form || !form->coefficient) return false;
  const PrimExpr coefficient = analyzer.Simplify(form->coefficient);
  const bool is_positive = terms.IsInt(coefficient, 1);
  if (!is_positive && !terms.IsInt(coefficient, -1)) return false;
  const PrimExpr limit = is_positive ? Negate(terms, form->base) : form->base;
  const bool is_equal = terms.kind(comparison) == kEQ;
  ClipBound& bound = bounds[static_cast<size_t>(std::ranges::find(vars, free[0]) - vars.begin())];
  if (is_positive || is_equal) bound.min = bound.min ? Max(terms, bound.min, limit) : limit;
  if (!is_positive || is_equal) bound.max = bound.max ? Min(terms, bound.max, limit) : limit;
  return true;
}

}  // namespace

auto DetectClipBound(Terms& terms, PrimExpr condition, std::span<const PrimExpr> vars)
    -> std::optional<std::vector<ClipBound>> {
  Analyzer analyzer(terms);
  std::vector<ClipBound> bounds(vars.size());
  std::vector<PrimExpr> parts = {condition};
  while (!parts.empty()) {
    const PrimExpr part = parts.back();
    parts.pop_back();
    if (terms.kind(part) == kAnd) {
      parts.push_back(terms.operand(part, 1));
      parts.push_back(terms.operand(part, 0));
    } else if (!ClipBy(terms, analyzer, part, vars, bounds)) {
      return std::nullopt;
    }
  }
  for (ClipBound& bound : bounds) {
    if (bound.min) bound.min = analyzer.Simplify(bound.min);
    if (bound.max) bound.max = analyzer.Simplify(bound.max);
  }
  return bounds;
}

auto DeduceBound(Terms& terms, PrimExpr var, PrimExpr condition, std::span<const Analyzer::VarSet> hint,
                 std::span<const Analyzer::VarSet> relax) -> std::optional<IntSet> {
  return BoundDeducer(terms, var, hint, relax).Run(condition);
}

auto DetectLinearEquation(Terms& terms, PrimExpr e, std::span<const PrimExpr> vars)
    -> std::optional<std::vector<PrimExpr>> {
  std::vector<PrimExpr> out;
  PrimExpr base = e;
  for (const PrimExpr var : vars) {
    const auto form = LinearIn(terms, base, var);
    if (!form) return std::nullopt;
    out.push_back(form->coefficient ? form->coefficient : MakeZero(terms, terms.dtype(var)));
    base = form->base;
  }
  // A coefficient that uses a later variable is not one.
  const absl::flat_hash_set<PrimExpr> all(vars.begin(), vars.end());
  for (const PrimExpr coefficient : out) {
    if (UsesVar(terms, coefficient, [&](PrimExpr v) { return all.contains(v); })) return std::nullopt;
  }
  out.push_back(base);
  return out;
}

}  // namespace relayopt::arith
