// Matching of types and folding of literals.
#include "relayopt/arith/fold.h"

#include <cmath>
#include <limits>
#include <utility>

#include "relayopt/arith/intrinsics.h"
#include "relayopt/arith/strict_floats.h"

namespace relayopt::arith {

// NOLINTBEGIN(misc-no-recursion): a vector is folded by its scalar, which is not a vector.

namespace {

thread_local bool t_floats_are_strict = false;

}  // namespace

auto FloatsAreStrict() -> bool { return t_floats_are_strict; }

StrictFloatsScope::StrictFloatsScope(bool on) : before_(std::exchange(t_floats_are_strict, on)) {}
StrictFloatsScope::~StrictFloatsScope() { t_floats_are_strict = before_; }

namespace {

using enum PrimKind;

// The literal operands of an operation.
struct Literals {
  std::optional<int64_t> ia, ib;
  std::optional<double> fa, fb;
};

auto LiteralsOf(const Terms& terms, PrimExpr a, PrimExpr b) -> Literals {
  Literals out;
  out.ia = terms.AsInt(a);
  out.ib = terms.AsInt(b);
  if (terms.kind(a) == kFloatImm) out.fa = terms.float_value(a);
  if (terms.kind(b) == kFloatImm) out.fb = terms.float_value(b);
  return out;
}

// Returns a literal with this value modulo 2^bits, if the type can hold that.
auto IntResult(Terms& terms, DataType type, uint64_t value) -> std::optional<PrimExpr> {
  const int64_t wrapped = WrapToType(type, static_cast<int64_t>(value));
  if (!FitsType(type, wrapped)) return std::nullopt;
  return terms.IntImm(type, wrapped);
}

// Floats of 32 bits are computed as such; other widths than 32 and 64 are not folded.
template <typename F>
auto FloatResult(Terms& terms, DataType type, double a, double b, F op) -> std::optional<PrimExpr> {
  if (!IsFloat(type)) return std::nullopt;
  if (type.bits == 64) return terms.FloatImm(type, op(a, b));
  if (type.bits == 32) return terms.FloatImm(type, op(static_cast<float>(a), static_cast<float>(b)));
  return std::nullopt;
}

auto FoldAdd(Terms& terms, PrimExpr a, PrimExpr b) -> std::optional<PrimExpr> {
  const auto [ia, ib, fa, fb] = LiteralsOf(terms, a, b);
  const DataType type = terms.dtype(a);
  if (ia && ib) return IntResult(terms, type, static_cast<uint64_t>(*ia) + static_cast<uint64_t>(*ib));
  if (ia == 0) return b;
  if (ib == 0) return a;
  if (fa && fb) {
    if (auto r = FloatResult(terms, type, *fa, *fb, [](auto x, auto y) { return x + y; })) return r;
  }
  if (!fa && !fb) return std::nullopt;
  // -0 + 0 is 0.
  const bool is_strict = FloatsAreStrict();
  const auto adds_nothing = [&](std::optional<double> zero) {
    return zero == 0 && (!is_strict || std::signbit(*zero));
  };
  if (adds_nothing(fa)) return b;
  if (adds_nothing(fb)) return a;
  return std::nullopt;
}

auto FoldSub(Terms& terms, PrimExpr a, PrimExpr b) -> std::optional<PrimExpr> {
  const auto [ia, ib, fa, fb] = LiteralsOf(terms, a, b);
  const DataType type = terms.dtype(a);
  // As TVM: an unsigned literal is not taken below zero, which is an error there.
  if (ia == 0 && ib && *ib > 0 && type.is_uint()) return std::nullopt;
  if (ia && ib) return IntResult(terms, type, static_cast<uint64_t>(*ia) - static_cast<uint64_t>(*ib));
  if (ib == 0) return a;
  if (fa && fb) {
    if (auto r = FloatResult(terms, type, *fa, *fb, [](auto x, auto y) { return x - y; })) return r;
  }
  if (fb == 0 && !(std::signbit(*fb) && FloatsAreStrict())) return a;
  return std::nullopt;
}

auto FoldMul(Terms& terms, PrimExpr a, PrimExpr b) -> std::optional<PrimExpr> {
  const auto [ia, ib, fa, fb] = LiteralsOf(terms, a, b);
  const DataType type = terms.dtype(a);
  if (ia && ib) return IntResult(terms, type, static_cast<uint64_t>(*ia) * static_cast<uint64_t>(*ib));
  if (ia == 1) return b;
  if (ia == 0) return a;
  if (ib == 1) return a;
  if (ib == 0) return b;
  if (fa && fb) {
    if (auto r = FloatResult(terms, type, *fa, *fb, [](auto x, auto y) { return x * y; })) return r;
  }
  if (fa == 1) return b;
  if (fb == 1) return a;
  // Infinity times 0 is NaN, and -1 times 0 is -0.
  if ((fa == 0 || fb == 0) && FloatsAreStrict()) return std::nullopt;
  if (fa == 0) return a;
  if (fb == 0) return b;
  return std::nullopt;
}

// Div and FloorDiv. Division by a literal zero is not folded; it fails when the program runs.
auto FoldDiv(Terms& terms, PrimExpr a, PrimExpr b, bool floor) -> std::optional<PrimExpr> {
  const auto [ia, ib, fa, fb] = LiteralsOf(terms, a, b);
  const DataType type = terms.dtype(a);
  if (ib == 0 || fb == 0) return std::nullopt;
  if (ia && ib) {
    return IntResult(terms, type, static_cast<uint64_t>(floor ? FloorDivInt(*ia, *ib) : TruncDivInt(*ia, *ib)));
  }
  if (ia == 0) return a;
  if (ib == 1) return a;
  if (fa && fb) {
    const auto divide = [floor](auto x, auto y) { return floor ? std::floor(x / y) : x / y; };
    if (auto r = FloatResult(terms, type, *fa, *fb, divide)) return r;
  }
  if (fa != 0 && fb != 1) return std::nullopt;
  const bool is_strict = FloatsAreStrict();
  if (fa == 0 && !is_strict) return a;
  if (fb == 1 && !(floor && is_strict)) return a;
  return std::nullopt;
}

auto FoldMod(Terms& terms, PrimExpr a, PrimExpr b, bool floor) -> std::optional<PrimExpr> {
  const DataType type = terms.dtype(a);
  if (!IsIndexType(type)) return std::nullopt;
  const auto ia = terms.AsInt(a);
  const auto ib = terms.AsInt(b);
  if (ib == 0) return std::nullopt;
  if (ia && ib) {
    return IntResult(terms, type, static_cast<uint64_t>(floor ? FloorModInt(*ia, *ib) : TruncModInt(*ia, *ib)));
  }
  if (ia == 0) return a;
  if (ib == 1) return terms.IntImm(type, 0);
  return std::nullopt;
}

auto FoldMinMax(Terms& terms, PrimExpr a, PrimExpr b, bool min) -> std::optional<PrimExpr> {
  const auto [ia, ib, fa, fb] = LiteralsOf(terms, a, b);
  if (ia && ib) return (min ? *ib < *ia : *ia < *ib) ? b : a;
  // As generated code compares: of zeros the second, and with NaN what the processor's instruction makes of it.
  if (fa && fb) {
    if (std::isnan(*fa) || std::isnan(*fb)) return std::nullopt;
    return (min ? *fa < *fb : *fb < *fa) ? a : b;
  }
  // As TVM: the operands must be the same node. Equal terms that were written twice are two nodes there, except for
  // variables.
  if (a == b && terms.is_var(a)) return a;
  return std::nullopt;
}

template <typename T>
auto Compare(PrimKind kind, T a, T b) -> bool {
  switch (kind) {
    case kEQ: return a == b;
    case kNE: return a != b;
    case kLT: return a < b;
    case kLE: return a <= b;
    case kGT: return a > b;
    default: return a >= b;
  }
}

auto FoldComparison(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> std::optional<PrimExpr> {
  const auto [ia, ib, fa, fb] = LiteralsOf(terms, a, b);
  if (ia && ib) return terms.Bool(Compare(kind, *ia, *ib));
  if (fa && fb) return terms.Bool(Compare(kind, *fa, *fb));
  return std::nullopt;
}

auto FoldLogic(Terms& terms, PrimExpr a, PrimExpr b, bool neutral) -> std::optional<PrimExpr> {
  if (const auto ia = terms.AsInt(a)) return (*ia != 0) == neutral ? b : a;
  if (const auto ib = terms.AsInt(b)) return (*ib != 0) == neutral ? a : b;
  return std::nullopt;
}

}  // namespace

auto TruncDivInt(int64_t a, int64_t b) -> int64_t {
  if (b == -1) return static_cast<int64_t>(-static_cast<uint64_t>(a));
  return a / b;
}

auto TruncModInt(int64_t a, int64_t b) -> int64_t { return b == -1 ? 0 : a % b; }

auto FloorDivInt(int64_t a, int64_t b) -> int64_t {
  if (b == -1) return TruncDivInt(a, b);
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

auto FloorModInt(int64_t a, int64_t b) -> int64_t {
  if (b == -1) return 0;
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

auto TypesMatch(DataType a, DataType b) -> bool {
  if (a == b) return true;
  if (a.lanes != b.lanes && a.lanes != 1 && b.lanes != 1) return false;
  const auto is_number = [](DataType t) { return IsInteger(t) || t.is_float(); };
  if (ElementOf(a) == ElementOf(b)) return a.lanes != 0 && b.lanes != 0;
  return is_number(a) && is_number(b);
}

auto MatchTypes(Terms& terms, PrimExpr& a, PrimExpr& b) -> bool {
  DataType ta = terms.dtype(a);
  DataType tb = terms.dtype(b);
  if (ta == tb) return true;
  if (!TypesMatch(ta, tb)) return false;
  if (ta.lanes == 1 && tb.lanes != 1) a = terms.Broadcast(a, tb.lanes);
  if (tb.lanes == 1 && ta.lanes != 1) b = terms.Broadcast(b, ta.lanes);
  ta = terms.dtype(a);
  tb = terms.dtype(b);
  if (ta == tb) return true;
  // Which side is converted: the first rule that applies decides.
  const auto narrower = [&] { return ta.bits < tb.bits; };
  const auto one_is = [&](auto is) { return is(ta) != is(tb); };
  bool cast_a = false;
  if (IsFloat(ta) && IsFloat(tb)) {
    cast_a = narrower();
  } else if (one_is(IsFloat)) {
    cast_a = IsFloat(tb);
  } else if (one_is([](DataType t) { return t.code == TypeCode::kBFloat; })) {
    cast_a = tb.code == TypeCode::kBFloat;
  } else if (one_is([](DataType t) { return t.is_float(); })) {
    cast_a = tb.is_float();
  } else if (ta.bits != tb.bits) {
    cast_a = narrower();
  } else {
    cast_a = ta.is_int();
  }
  if (cast_a) {
    a = CastTo(terms, tb, a);
  } else {
    b = CastTo(terms, ta, b);
  }
  return true;
}

auto TryFold(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> std::optional<PrimExpr> {
  const auto is_number = [&](PrimExpr e) { return terms.kind(e) == kIntImm || terms.kind(e) == kFloatImm; };
  const bool may_fold = is_number(a) || is_number(b) || (a == b && (kind == kMin || kind == kMax));
  if (!may_fold) return std::nullopt;
  switch (kind) {
    case kAdd: return FoldAdd(terms, a, b);
    case kSub: return FoldSub(terms, a, b);
    case kMul: return FoldMul(terms, a, b);
    case kDiv: return FoldDiv(terms, a, b, false);
    case kFloorDiv: return FoldDiv(terms, a, b, true);
    case kMod: return FoldMod(terms, a, b, false);
    case kFloorMod: return FoldMod(terms, a, b, true);
    case kMin: return FoldMinMax(terms, a, b, true);
    case kMax: return FoldMinMax(terms, a, b, false);
    case kAnd: return FoldLogic(terms, a, b, true);
    case kOr: return FoldLogic(terms, a, b, false);
    default: return FoldComparison(terms, kind, a, b);
  }
}

auto Fold(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr {
  if (const auto folded = TryFold(terms, kind, a, b)) return *folded;
  return terms.Binary(kind, a, b);
}

auto Truth(Terms& terms, PrimExpr condition) -> PrimExpr {
  const DataType type = terms.dtype(condition);
  return IsBool(type) ? condition : Ne(terms, condition, MakeZero(terms, type));
}

auto Operate(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr {
  if (kind == kAnd || kind == kOr) return Fold(terms, kind, Truth(terms, a), Truth(terms, b));
  const bool match = terms.dtype(a) == terms.dtype(b) || MatchTypes(terms, a, b);
  RELAYOPT_CHECK(match, "the operands of an operator have types that match");
  return Fold(terms, kind, a, b);
}

auto Min(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr {
  if (a == terms.pos_inf() || b == terms.neg_inf()) return b;
  if (b == terms.pos_inf() || a == terms.neg_inf()) return a;
  return Operate(terms, kMin, a, b);
}

auto Max(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr {
  if (a == terms.neg_inf() || b == terms.pos_inf()) return b;
  if (b == terms.neg_inf() || a == terms.pos_inf()) return a;
  return Operate(terms, kMax, a, b);
}

auto Not(Terms& terms, PrimExpr a) -> PrimExpr {
  if (const auto value = terms.AsInt(a)) return terms.Bool(*value == 0);
  return terms.Not(Truth(terms, a));
}

auto Negate(Terms& terms, PrimExpr a) -> PrimExpr {
  const DataType type = terms.dtype(a);
  if (const auto value = terms.AsInt(a)) {
    if (const auto folded = IntResult(terms, type, -static_cast<uint64_t>(*value))) return *folded;
  }
  if (terms.kind(a) == kFloatImm) return terms.FloatImm(type, -terms.float_value(a));
  return Sub(terms, MakeZero(terms, type), a);
}

auto CeilDiv(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr {
  return FloorDiv(terms, Sub(terms, Add(terms, a, b), MakeConst(terms, terms.dtype(a), 1)), b);
}

namespace {

// `value` as a literal; infinity where the type has no number so large.
auto FloatOf(Terms& terms, DataType type, double value) -> PrimExpr {
  return MakeFloat(terms, type, FitsFloat(type, value) ? value : RoundToType(type, value));
}

// Returns the literal `value` as a scalar `type`, if that is well-defined.
auto CastLiteral(Terms& terms, DataType type, PrimExpr value) -> std::optional<PrimExpr> {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (const auto i = terms.AsInt(value)) {
    if (IsBool(type)) return terms.Bool(*i != 0);
    if (IsInteger(type)) return MakeConst(terms, type, *i);
    if (type.is_float()) return FloatOf(terms, type, static_cast<double>(*i));
    return std::nullopt;
  }
  if (terms.kind(value) != kFloatImm) return std::nullopt;
  const double f = terms.float_value(value);
  if (type.is_float()) return FloatOf(terms, type, f);
  if (IsBool(type)) return terms.Bool(f != 0);
  // Toward zero; what int64 cannot hold stays a cast.
  if (!IsInteger(type) || !(f > -kTwo63 && f < kTwo63)) return std::nullopt;
  return MakeConst(terms, type, static_cast<int64_t>(f));
}

}  // namespace

auto CastTo(Terms& terms, DataType type, PrimExpr value) -> PrimExpr {
  const DataType from = terms.dtype(value);
  if (from == type) return value;
  if (type.lanes == 1) {
    if (const auto literal = CastLiteral(terms, type, value)) return *literal;
    return terms.Cast(type, value);
  }
  const DataType element = ElementOf(type);
  if (from.lanes == 1) return terms.Broadcast(CastTo(terms, element, value), type.lanes);
  const auto operands = terms.operands(value);
  if (terms.kind(value) == kBroadcast) return terms.Broadcast(CastTo(terms, element, operands[0]), type.lanes);
  // As TVM: the lanes of a ramp are taken not to overflow.
  if (terms.kind(value) == kRamp && IsInteger(type)) {
    const PrimExpr base = operands[0];
    const PrimExpr stride = operands[1];
    return terms.Ramp(CastTo(terms, element, base), CastTo(terms, element, stride), type.lanes);
  }
  return terms.Cast(type, value);
}

namespace {

template <typename F>
auto BitOperation(Terms& terms, CallOpId op, PrimExpr a, PrimExpr b, F fold) -> PrimExpr {
  const bool match = MatchTypes(terms, a, b);
  RELAYOPT_CHECK(match, "the operands of an operator have types that match");
  const DataType type = terms.dtype(a);
  if (IsIndexType(type)) {
    if (const std::optional<PrimExpr> folded = fold(terms.AsInt(a), terms.AsInt(b), a)) return *folded;
  }
  return terms.Call(type, op, {a, b});
}

auto Shift(Terms& terms, PrimExpr a, PrimExpr b, bool left) -> PrimExpr {
  const CallOpId op = left ? terms.ops().shift_left : terms.ops().shift_right;
  const auto fold = [&](std::optional<int64_t> ia, std::optional<int64_t> ib, PrimExpr x) -> std::optional<PrimExpr> {
    const DataType type = terms.dtype(x);
    // An invalid shift amount is not folded.
    if (!ib || *ib < 0 || *ib >= type.bits) return std::nullopt;
    if (*ib == 0) return x;
    if (!ia) return std::nullopt;
    return left ? IntResult(terms, type, static_cast<uint64_t>(*ia) << *ib) : terms.IntImm(type, *ia >> *ib);
  };
  return BitOperation(terms, op, a, b, fold);
}

template <typename F>
auto Bitwise(Terms& terms, CallOpId op, PrimExpr a, PrimExpr b, F compute) -> PrimExpr {
  const auto fold = [&](std::optional<int64_t> ia, std::optional<int64_t> ib, PrimExpr x) -> std::optional<PrimExpr> {
    if (!ia || !ib) return std::nullopt;
    return terms.IntImm(terms.dtype(x), compute(*ia, *ib));
  };
  return BitOperation(terms, op, a, b, fold);
}

template <typename F>
auto Rounding(Terms& terms, CallOpId op, PrimExpr a, F round) -> PrimExpr {
  const DataType type = terms.dtype(a);
  if (IsInteger(type)) return a;
  if (terms.kind(a) == kFloatImm) return terms.FloatImm(type, round(terms.float_value(a)));
  return terms.Call(type, op, {a});
}

// Half to even, whatever the mode of the machine.
auto HalfToEven(double x) -> double {
  const double low = std::floor(x);
  const double part = x - low;
  if (part < 0.5) return low;
  if (part > 0.5) return low + 1;
  return std::fmod(low, 2) == 0 ? low : low + 1;
}

}  // namespace

auto ShiftLeft(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr { return Shift(terms, a, b, true); }
auto ShiftRight(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr { return Shift(terms, a, b, false); }
auto BitwiseAnd(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr {
  return Bitwise(terms, terms.ops().bitwise_and, a, b, [](int64_t x, int64_t y) { return x & y; });
}
auto BitwiseOr(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr {
  return Bitwise(terms, terms.ops().bitwise_or, a, b, [](int64_t x, int64_t y) { return x | y; });
}
auto BitwiseXor(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr {
  return Bitwise(terms, terms.ops().bitwise_xor, a, b, [](int64_t x, int64_t y) { return x ^ y; });
}
auto BitwiseNot(Terms& terms, PrimExpr a) -> PrimExpr {
  return terms.Call(terms.dtype(a), terms.ops().bitwise_not, {a});
}

auto IfThenElse(Terms& terms, PrimExpr condition, PrimExpr true_value, PrimExpr false_value) -> PrimExpr {
  const bool match = MatchTypes(terms, true_value, false_value);
  RELAYOPT_CHECK(match, "the values of a conditional have types that match");
  if (const auto literal = terms.AsInt(condition)) return *literal != 0 ? true_value : false_value;
  return terms.Call(terms.dtype(true_value), terms.ops().if_then_else, {condition, true_value, false_value});
}

auto Likely(Terms& terms, PrimExpr condition) -> PrimExpr {
  if (terms.AsInt(condition)) return condition;
  return terms.Call(terms.dtype(condition), terms.ops().likely, {condition});
}

auto Abs(Terms& terms, PrimExpr a) -> PrimExpr {
  const DataType type = terms.dtype(a);
  if (type.is_uint()) return a;
  if (type.is_int()) {
    if (const auto value = terms.AsInt(a)) return *value < 0 ? Negate(terms, a) : a;
    const PrimExpr zero = MakeZero(terms, type);
    return terms.Select(Ge(terms, a, zero), a, Sub(terms, zero, a));
  }
  if (terms.kind(a) == kFloatImm) return terms.FloatImm(type, std::fabs(terms.float_value(a)));
  return terms.Call(type, terms.ops().fabs, {a});
}

auto Floor(Terms& terms, PrimExpr a) -> PrimExpr {
  return Rounding(terms, terms.ops().floor, a, [](double x) { return std::floor(x); });
}
auto Ceil(Terms& terms, PrimExpr a) -> PrimExpr {
  return Rounding(terms, terms.ops().ceil, a, [](double x) { return std::ceil(x); });
}
auto Round(Terms& terms, PrimExpr a) -> PrimExpr { return Rounding(terms, terms.ops().round, a, HalfToEven); }
auto NearbyInt(Terms& terms, PrimExpr a) -> PrimExpr { return Rounding(terms, terms.ops().nearbyint, a, HalfToEven); }
auto Trunc(Terms& terms, PrimExpr a) -> PrimExpr {
  return Rounding(terms, terms.ops().trunc, a, [](double x) { return std::trunc(x); });
}

auto MakeConst(Terms& terms, DataType type, int64_t value) -> PrimExpr {
  if (type.lanes > 1) return terms.Broadcast(MakeConst(terms, ElementOf(type), value), type.lanes);
  if (type.is_float()) return terms.FloatImm(type, static_cast<double>(value));
  const int64_t wrapped = WrapToType(type, value);
  if (type.is_uint() && wrapped < 0) return MakeUInt(terms, type, static_cast<uint64_t>(wrapped));
  return terms.IntImm(type, wrapped);
}

auto MakeUInt(Terms& terms, DataType type, uint64_t value) -> PrimExpr {
  if (type.lanes > 1) return terms.Broadcast(MakeUInt(terms, ElementOf(type), value), type.lanes);
  if (!type.is_uint() || type.bits < 64 || value < (uint64_t{1} << 63)) {
    return MakeConst(terms, type, static_cast<int64_t>(value));
  }
  const DataType half = DataType::UInt(32);
  const PrimExpr low = terms.IntImm(half, static_cast<int64_t>(value & 0xFFFFFFFF));
  const PrimExpr high = terms.IntImm(half, static_cast<int64_t>(value >> 32));
  return terms.Call(type, terms.ops().large_uint_imm, {low, high});
}

auto MakeFloat(Terms& terms, DataType type, double value) -> PrimExpr {
  if (type.lanes > 1) return terms.Broadcast(MakeFloat(terms, ElementOf(type), value), type.lanes);
  if (type.is_float()) return terms.FloatImm(type, value);
  return MakeConst(terms, type, static_cast<int64_t>(value));
}

namespace {

// Returns the largest finite value. As TVM: bfloat16 has float32's.
auto LargestFloat(DataType type) -> double {
  const DataType element = WithLanes(type, 1);
  return LargestFinite(element == DataType::BFloat(16) ? kFloat32 : element);
}

}  // namespace

auto FitsFloat(DataType type, double value) -> bool {
  return !std::isfinite(value) || std::abs(value) <= LargestFloat(ElementOf(type));
}

auto MinValue(Terms& terms, DataType type) -> std::optional<PrimExpr> {
  if (type.is_float()) return MakeFloat(terms, type, -LargestFloat(type));
  if (type.is_uint()) return MakeConst(terms, type, 0);
  if (!type.is_int()) return std::nullopt;
  return MakeConst(terms, type, type.bits == 1 ? 0 : static_cast<int64_t>(~uint64_t{0} << (type.bits - 1)));
}

auto MaxValue(Terms& terms, DataType type) -> std::optional<PrimExpr> {
  if (type.is_float()) return MakeFloat(terms, type, LargestFloat(type));
  if (type.is_uint()) return MakeUInt(terms, type, ~uint64_t{0} >> (64 - type.bits));
  if (!type.is_int()) return std::nullopt;
  return MakeConst(terms, type, type.bits == 1 ? 1 : static_cast<int64_t>(~uint64_t{0} >> (65 - type.bits)));
}

auto Infinity(Terms& terms, DataType type) -> std::optional<PrimExpr> {
  if (!IsFloat(type)) return std::nullopt;
  return MakeFloat(terms, type, std::numeric_limits<double>::infinity());
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::arith
