// Makers of terms that match types and fold literals, as `a + b`, `floordiv(a, b)` and `cast` of TVM do.
#pragma once

#include <optional>

#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// There are three ways to make `a + b`, and the difference is visible:
//   terms.Binary(kAdd, a, b)      the plain constructor: types must agree, nothing folds
//   Fold(terms, kAdd, a, b)       types must agree, literals fold
//   Add(terms, a, b)              scalars are broadcast, types matched by casts, literals fold
// What cannot be folded (a division by a literal zero, an unsigned result below zero) is left as it is.

// Brings both operands to one type: scalars are broadcast to vectors, narrow types widened, integers converted to
// floats, signed integers to unsigned ones of the same width. False, with nothing changed, when that is impossible
// (handles, vectors of different lengths).
auto MatchTypes(Terms& terms, PrimExpr& a, PrimExpr& b) -> bool;
// Whether MatchTypes would succeed on values of these types.
auto TypesMatch(DataType a, DataType b) -> bool;

// Folds the operation: literals, neutral and absorbing operands, min and max of a variable with itself. Returns nothing
// if none of these applies. `a` and `b` have one type.
auto TryFold(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> std::optional<PrimExpr>;
// Returns the folded term, or the plain one when nothing folds.
auto Fold(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr;
// Like Fold, but matches types first, which must be possible (RELAYOPT_CHECK).
auto Operate(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr;

inline auto Add(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kAdd, a, b); }
inline auto Sub(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kSub, a, b); }
inline auto Mul(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kMul, a, b); }
inline auto TruncDiv(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kDiv, a, b); }
inline auto TruncMod(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kMod, a, b); }
inline auto FloorDiv(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kFloorDiv, a, b); }
inline auto FloorMod(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kFloorMod, a, b); }
// Min and max also fold with the infinite ends of intervals.
auto Min(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto Max(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
inline auto Eq(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kEQ, a, b); }
inline auto Ne(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kNE, a, b); }
inline auto Lt(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kLT, a, b); }
inline auto Le(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kLE, a, b); }
inline auto Gt(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kGT, a, b); }
inline auto Ge(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kGE, a, b); }
inline auto And(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kAnd, a, b); }
inline auto Or(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kOr, a, b); }
auto Not(Terms& terms, PrimExpr a) -> PrimExpr;
// A condition as a truth value: an integer is true when it is not 0. The operands of And, Or and Not are converted
// likewise.
auto Truth(Terms& terms, PrimExpr condition) -> PrimExpr;
// Negation: of a literal, folded (the smallest integer stays itself); otherwise `0 - a`.
auto Negate(Terms& terms, PrimExpr a) -> PrimExpr;
// ceil(a / b), as `floordiv(a + b - 1, b)` made by these operators.
auto CeilDiv(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;

// `value` converted to `type`: unchanged when it has that type; literals are converted (integers modulo 2^bits); the
// cast goes inside of broadcasts and ramps; a scalar is broadcast to a vector.
auto CastTo(Terms& terms, DataType type, PrimExpr value) -> PrimExpr;

// Shifts and bit operations. The types of the integer operands are matched; two literals of index type fold, and a
// shift by literal 0 disappears.
auto ShiftLeft(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto ShiftRight(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto BitwiseAnd(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto BitwiseOr(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto BitwiseXor(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto BitwiseNot(Terms& terms, PrimExpr a) -> PrimExpr;

// Returns the lazy conditional. The types of both values are matched, and a literal condition selects one.
auto IfThenElse(Terms& terms, PrimExpr condition, PrimExpr true_value, PrimExpr false_value) -> PrimExpr;
// Marks a condition as likely to hold; a literal condition is returned as it is.
auto Likely(Terms& terms, PrimExpr condition) -> PrimExpr;
auto Abs(Terms& terms, PrimExpr a) -> PrimExpr;
// Rounding and the like: integers are returned unchanged, float literals fold (round and nearbyint: half to even).
auto Floor(Terms& terms, PrimExpr a) -> PrimExpr;
auto Ceil(Terms& terms, PrimExpr a) -> PrimExpr;
auto Round(Terms& terms, PrimExpr a) -> PrimExpr;
auto NearbyInt(Terms& terms, PrimExpr a) -> PrimExpr;
auto Trunc(Terms& terms, PrimExpr a) -> PrimExpr;

// Returns a literal of this type, broadcast for vectors, a FloatImm for float types. Integers are taken modulo 2^bits;
// one that a uint64 literal cannot represent becomes a call of `large_uint_imm`.
auto MakeConst(Terms& terms, DataType type, int64_t value) -> PrimExpr;
auto MakeUInt(Terms& terms, DataType type, uint64_t value) -> PrimExpr;
auto MakeFloat(Terms& terms, DataType type, double value) -> PrimExpr;
inline auto MakeZero(Terms& t, DataType type) -> PrimExpr { return MakeConst(t, type, 0); }
// Returns the least and greatest value of a scalar or vector type, or nothing for handles.
auto MinValue(Terms& terms, DataType type) -> std::optional<PrimExpr>;
auto MaxValue(Terms& terms, DataType type) -> std::optional<PrimExpr>;
// Whether a float literal of this type can have this value, which need not be rounded; infinities and NaN can.
auto FitsFloat(DataType type, double value) -> bool;
// Only for float16, float32 and float64.
auto Infinity(Terms& terms, DataType type) -> std::optional<PrimExpr>;

// Division of integers by a divisor that is not 0. The smallest integer divided by -1 wraps around.
auto FloorDivInt(int64_t a, int64_t b) -> int64_t;
auto FloorModInt(int64_t a, int64_t b) -> int64_t;
auto TruncDivInt(int64_t a, int64_t b) -> int64_t;
auto TruncModInt(int64_t a, int64_t b) -> int64_t;

}  // namespace relayopt::arith
