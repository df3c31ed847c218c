// Rules that cannot be expressed as text.
#include "lib/arith/parts.h"
#include "relayopt/arith/fold.h"

namespace relayopt::arith {

// NOLINTBEGIN(misc-no-recursion): terms wait on a stack; proofs for rules nest up to kMaxNesting.

namespace {

using enum PrimKind;

// Beyond it the sum over the lanes of a ramp could overflow.
constexpr int64_t kLargestLane = int64_t{1} << 40;

// A ramp with literal stride and the literal that all its lanes are divided by.
struct RampDivision {
  PrimExpr base;
  int64_t stride;
  PrimExpr divisor_term;
  int64_t divisor;
  int lanes;
};

// Whether lanes could overflow with such a number. The least integer has no absolute value.
auto IsTooLarge(int64_t value) -> bool { return value > kLargestLane || value < -kLargestLane; }

auto RampDivisionOf(const Terms& terms, PrimExpr e) -> std::optional<RampDivision> {
  const PrimExpr ramp = terms.operand(e, 0);
  const PrimExpr divisor = terms.operand(terms.operand(e, 1), 0);
  const auto stride = terms.AsInt(terms.operand(ramp, 1));
  const auto value = terms.AsInt(divisor);
  if (!stride || !value || *value == 0 || IsTooLarge(*stride) || IsTooLarge(*value)) return std::nullopt;
  if (!IsIndexType(terms.dtype(divisor))) return std::nullopt;
  return RampDivision{terms.operand(ramp, 0), *stride, divisor, *value, terms.lanes(ramp)};
}

}  // namespace

auto RewriteSimplifier::ApplyNative(const Rule& rule, PrimExpr e, const RuleBinding&) -> std::optional<PrimExpr> {
  switch (rule.row->native) {
    case NativeRule::kNone: return std::nullopt;
    case NativeRule::kDivideByFloat: return DivideByFloat(e);
    case NativeRule::kDivideRamp: return DivideRamp(e);
    case NativeRule::kRampRemainder: return RampRemainder(e);
    case NativeRule::kResidue: return Residue(e);
    case NativeRule::kModularRemainder: return ModularRemainder(e);
    case NativeRule::kDisjointBounds: return DisjointBounds(e);
    case NativeRule::kMergeConstants: return MergeConstants(e);
  }
  return std::nullopt;
}

// As TVM: a division by a float literal multiplies by the reciprocal, computed in double; the last bit may differ.
auto RewriteSimplifier::DivideByFloat(PrimExpr e) -> std::optional<PrimExpr> {
  const PrimExpr divisor = terms_.operand(e, 1);
  if (strict_fp || terms_.kind(divisor) != kFloatImm || terms_.float_value(divisor) == 0) return std::nullopt;
  const PrimExpr reciprocal = MakeFloat(terms_, terms_.dtype(divisor), 1.0 / terms_.float_value(divisor));
  return Fold(terms_, kMul, terms_.operand(e, 0), reciprocal);
}

auto RewriteSimplifier::DivideRamp(PrimExpr e) -> std::optional<PrimExpr> {
  const auto d = RampDivisionOf(terms_, e);
  if (!d) return std::nullopt;
  const bool floor = terms_.kind(e) == kFloorDiv;
  const PrimKind divide = terms_.kind(e);
  // Truncation does not commute with steps across zero.
  const auto non_negative = [&] { return analyzer_.CanProveGreaterEqual(d->base, 0); };
  if (d->stride % d->divisor == 0) {
    if (!floor && !(d->stride >= 0 && non_negative())) return std::nullopt;
    const PrimExpr stride = MakeConst(terms_, terms_.dtype(d->base), d->stride / d->divisor);
    return terms_.Ramp(Fold(terms_, divide, d->base, d->divisor_term), stride, d->lanes);
  }
  const ModularSet set = analyzer_.Modular(d->base);
  if (IsTooLarge(set.base)) return std::nullopt;
  const int64_t last = set.base + (d->lanes - 1) * d->stride;
  const PrimExpr one = terms_.Broadcast(Fold(terms_, divide, d->base, d->divisor_term), d->lanes);
  if (floor) {
    if (FloorDivInt(set.base, d->divisor) != FloorDivInt(last, d->divisor)) return std::nullopt;
    if (set.coefficient % d->divisor == 0) return one;
    if (d->divisor % set.coefficient == 0 && last < set.coefficient) return one;
    return std::nullopt;
  }
  if (last < 0 || set.coefficient % d->divisor != 0 || !non_negative()) return std::nullopt;
  if (TruncDivInt(set.base, d->divisor) != TruncDivInt(last, d->divisor)) return std::nullopt;
  return one;
}

auto RewriteSimplifier::RampRemainder(PrimExpr e) -> std::optional<PrimExpr> {
  const auto d = RampDivisionOf(terms_, e);
  if (!d) return std::nullopt;
  const PrimKind remainder = terms_.kind(e);
  const bool floor = remainder == kFloorMod;
  const DataType type = terms_.dtype(d->base);
  // Remainders with the dividend's sign need one sign in all lanes.
  if (!floor && !(d->stride >= 0 && analyzer_.CanProveGreaterEqual(d->base, 0))) return std::nullopt;
  if (d->stride % d->divisor == 0) {
    return terms_.Broadcast(Fold(terms_, remainder, d->base, d->divisor_term), d->lanes);
  }
  const ModularSet set = analyzer_.Modular(d->base);
  if (IsTooLarge(set.base)) return std::nullopt;
  const int64_t last = set.base + (d->lanes - 1) * d->stride;
  const PrimExpr stride = MakeConst(terms_, type, d->stride);
  const PrimExpr base =
      MakeConst(terms_, type, floor ? FloorModInt(set.base, d->divisor) : TruncModInt(set.base, d->divisor));
  const bool divides = set.coefficient % d->divisor == 0;
  const bool same = floor ? FloorDivInt(set.base, d->divisor) == FloorDivInt(last, d->divisor)
                          : TruncDivInt(set.base, d->divisor) == TruncDivInt(last, d->divisor);
  if (same && divides) return terms_.Ramp(base, stride, d->lanes);
  if (floor && same && d->divisor % set.coefficient == 0 && last < set.coefficient) {
    return terms_.Ramp(Fold(terms_, remainder, d->base, d->divisor_term), stride, d->lanes);
  }
  if (!divides) return std::nullopt;
  return terms_.Binary(remainder, terms_.Ramp(base, stride, d->lanes), terms_.operand(e, 1));
}

// (x*c1 + y) // c2 where what c2 leaves of c1 and y is known.
auto RewriteSimplifier::Residue(PrimExpr e) -> std::optional<PrimExpr> {
  const PrimExpr dividend = terms_.operand(e, 0);
  const DataType type = terms_.dtype(dividend);
  const auto is_scaled = [this](PrimExpr p) {
    return terms_.kind(p) == kMul && terms_.kind(terms_.operand(p, 1)) == kIntImm;
  };
  PrimExpr scaled;
  PrimExpr y = terms_.IntImm(type, 0);
  if (is_scaled(dividend)) {
    scaled = dividend;
  } else if (terms_.kind(dividend) == kAdd) {
    const bool first = is_scaled(terms_.operand(dividend, 0));
    scaled = terms_.operand(dividend, first ? 0 : 1);
    y = terms_.operand(dividend, first ? 1 : 0);
  }
  if (!scaled || !is_scaled(scaled)) return std::nullopt;
  const PrimExpr x = terms_.operand(scaled, 0);
  const int64_t c1 = terms_.int_value(terms_.operand(scaled, 1));
  const PrimExpr divisor = terms_.operand(e, 1);
  const int64_t c2 = terms_.int_value(divisor);
  if (c2 == 0) return std::nullopt;
  const auto literal = [&](int64_t value) { return MakeConst(terms_, type, value); };

  const PrimExpr y_rest = Fold(terms_, kFloorMod, y, divisor);
  const PrimExpr rest = Fold(terms_, kAdd, Fold(terms_, kMul, x, literal(FloorModInt(c1, c2))), y_rest);
  const PrimExpr residue = Fold(terms_, kFloorDiv, rest, divisor);
  PrimExpr y_quotient = Fold(terms_, kFloorDiv, y, divisor);
  if (TryCompare(y_quotient, 0) == kIsEQ) y_quotient = literal(0);
  const ConstBound bound = analyzer_.Bound(residue);
  if (bound.is_const()) {
    const PrimExpr quotient = Fold(terms_, kMul, x, literal(FloorDivInt(c1, c2)));
    return Fold(terms_, kAdd, quotient, Fold(terms_, kAdd, y_quotient, literal(bound.min)));
  }
  if (c1 > 0 && c2 > 0 && c2 % c1 == 0 && analyzer_.CanProveLess(y_rest, c1)) {
    return Fold(terms_, kAdd, Fold(terms_, kFloorDiv, x, literal(c2 / c1)), y_quotient);
  }
  return std::nullopt;
}

auto RewriteSimplifier::ModularRemainder(PrimExpr e) -> std::optional<PrimExpr> {
  const PrimExpr x = terms_.operand(e, 0);
  const int64_t c = terms_.int_value(terms_.operand(e, 1));
  if (c <= 0) return std::nullopt;
  const ModularSet set = analyzer_.Modular(x);
  const bool floor = terms_.kind(e) == kFloorMod;
  if (set.coefficient % c == 0 && (floor || analyzer_.CanProveGreaterEqual(x, 0))) {
    const int64_t rest = floor ? FloorModInt(set.base, c) : TruncModInt(set.base, c);
    return MakeConst(terms_, terms_.dtype(x), rest);
  }
  if (!floor) return std::nullopt;
  const ConstBound bound = analyzer_.Bound(x);
  if (bound.min >= 0 && bound.max < c) return x;
  return std::nullopt;
}

auto RewriteSimplifier::DisjointBounds(PrimExpr e) -> std::optional<PrimExpr> {
  const PrimExpr x = terms_.operand(e, 0);
  const PrimExpr y = terms_.operand(e, 1);
  const ConstBound a = analyzer_.Bound(x);
  const ConstBound b = analyzer_.Bound(y);
  if (terms_.kind(e) == kMin) {
    if (a.max <= b.min) return x;
    if (b.max <= a.min) return y;
  } else {
    if (a.min >= b.max) return x;
    if (b.min >= a.max) return y;
  }
  return std::nullopt;
}

// One literal on one side: `x + 3 < y + 5` becomes `x < y + 2`, `x < y + 1` becomes `x <= y`.
auto RewriteSimplifier::MergeConstants(PrimExpr e) -> std::optional<PrimExpr> {
  struct Side {
    PrimExpr term;
    int64_t offset = 0;
  };
  const auto split = [this](PrimExpr p) -> Side {
    const PrimKind kind = terms_.kind(p);
    if (kind != kAdd && kind != kSub) return {p};
    const auto literal = terms_.AsInt(terms_.operand(p, 1));
    if (literal && *literal != INT64_MIN) return {terms_.operand(p, 0), kind == kAdd ? *literal : -*literal};
    const auto first = kind == kAdd ? terms_.AsInt(terms_.operand(p, 0)) : std::nullopt;
    return first ? Side{terms_.operand(p, 1), *first} : Side{p};
  };
  const Side left = split(terms_.operand(e, 0));
  const Side right = split(terms_.operand(e, 1));
  if (left.offset == 0 && right.offset == 0) return std::nullopt;
  int64_t difference = 0;
  if (__builtin_sub_overflow(right.offset, left.offset, &difference) || difference == INT64_MIN) return std::nullopt;
  // A literal on one side must not leave its type.
  const auto fits = [this](PrimExpr term, int64_t offset) {
    const auto literal = terms_.AsInt(term);
    int64_t sum = 0;
    return !literal || (!__builtin_add_overflow(*literal, offset, &sum) && FitsType(terms_.dtype(term), sum));
  };
  if (!fits(left.term, -difference) || !fits(right.term, difference)) return std::nullopt;
  const auto plus = [this](PrimExpr term, int64_t offset) {
    return Fold(terms_, kAdd, term, MakeConst(terms_, terms_.dtype(term), offset));
  };
  if (!FitsType(terms_.dtype(left.term), difference) || !FitsType(terms_.dtype(left.term), -difference))
    return std::nullopt;
  if (difference == 0) return Fold(terms_, kLT, left.term, right.term);
  if (difference == 1) return Fold(terms_, kLE, left.term, right.term);
  if (difference < 0 && right.offset != 0) {
    const PrimExpr sum = plus(left.term, -difference);
    if (!MayOverflow(e, {&sum, 1})) return Fold(terms_, kLT, sum, right.term);
  } else if (difference > 0 && left.offset != 0) {
    const PrimExpr sum = plus(right.term, difference);
    if (!MayOverflow(e, {&sum, 1})) return Fold(terms_, kLT, left.term, sum);
  }
  return std::nullopt;
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::arith
