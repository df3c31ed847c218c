// The operators that make terms: they match types and fold literals, as the reference's `a + b`, `floordiv(a, b)`,
// `cast` do.
#pragma once

#include <optional>

#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// There are three ways to make `a + b`, and the difference is visible:
//   terms.Binary(kAdd, a, b)      the plain constructor: types must agree, nothing folds
//   Fold(terms, kAdd, a, b)       types must agree, literals fold
//   Add(terms, a, b)              scalars are broadcast, types matched by casts, literals fold
// What cannot be folded (a division by a literal zero, an unsigned result below zero) is left as it is.

// Brings both to one type: a scalar meets a vector, a narrower type a wider one, an integer a float, a signed an
// unsigned one of its width. False, and nothing changed, where they do not match: handles, vectors of different
// lengths.
auto MatchTypes(Terms& terms, PrimExpr& a, PrimExpr& b) -> bool;
// Whether MatchTypes succeeds on values of these types.
auto TypesMatch(DataType a, DataType b) -> bool;

// What the operation folds to, if it does; `a` and `b` have one type. Literals; neutral and absorbing operands; min and
// max of a variable and itself.
auto TryFold(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> std::optional<PrimExpr>;
// The folded term or else the plain one.
auto Fold(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr;
// The same with types matched first. They must match (RELAYOPT_CHECK).
auto Operate(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr;

inline auto Add(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kAdd, a, b); }
inline auto Sub(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kSub, a, b); }
inline auto Mul(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kMul, a, b); }
inline auto TruncDiv(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kDiv, a, b); }
inline auto TruncMod(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kMod, a, b); }
inline auto FloorDiv(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kFloorDiv, a, b); }
inline auto FloorMod(Terms& t, PrimExpr a, PrimExpr b) -> PrimExpr { return Operate(t, PrimKind::kFloorMod, a, b); }
// The infinite ends of intervals are respected.
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
// A condition as a truth value: an integer says whether it is not 0. So do the operands of And, Or and Not.
auto Truth(Terms& terms, PrimExpr condition) -> PrimExpr;
// A negated literal (the smallest integer stays itself), else `0 - a`.
auto Negate(Terms& terms, PrimExpr a) -> PrimExpr;
// ceil(a / b) as `floordiv(a + b - 1, b)`, built with these operators.
auto CeilDiv(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;

// `value` as `type`: itself if it has it, literals converted (integers modulo 2^bits), broadcasts and ramps cast
// inside. A scalar becomes a vector by broadcast.
auto CastTo(Terms& terms, DataType type, PrimExpr value) -> PrimExpr;

// Integer operands of types that match; two literals of index type fold, a shift by literal 0 vanishes.
auto ShiftLeft(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto ShiftRight(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto BitwiseAnd(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto BitwiseOr(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto BitwiseXor(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;
auto BitwiseNot(Terms& terms, PrimExpr a) -> PrimExpr;

// The lazy conditional: values matched, a literal condition chooses.
auto IfThenElse(Terms& terms, PrimExpr condition, PrimExpr true_value, PrimExpr false_value) -> PrimExpr;
// A literal condition is returned as it is.
auto Likely(Terms& terms, PrimExpr condition) -> PrimExpr;
auto Abs(Terms& terms, PrimExpr a) -> PrimExpr;
// Integers come back as they are, float literals fold (round and nearbyint: half to even).
auto Floor(Terms& terms, PrimExpr a) -> PrimExpr;
auto Ceil(Terms& terms, PrimExpr a) -> PrimExpr;
auto Round(Terms& terms, PrimExpr a) -> PrimExpr;
auto NearbyInt(Terms& terms, PrimExpr a) -> PrimExpr;
auto Trunc(Terms& terms, PrimExpr a) -> PrimExpr;

// A literal of this type: broadcast for vectors, a float literal for float types. Integers are taken modulo 2^bits;
// what uint64 literals cannot hold is a call of `large_uint_imm`.
auto MakeConst(Terms& terms, DataType type, int64_t value) -> PrimExpr;
auto MakeUInt(Terms& terms, DataType type, uint64_t value) -> PrimExpr;
auto MakeFloat(Terms& terms, DataType type, double value) -> PrimExpr;
inline auto MakeZero(Terms& t, DataType type) -> PrimExpr { return MakeConst(t, type, 0); }
// The ends of a scalar or vector type; none for handles.
auto MinValue(Terms& terms, DataType type) -> std::optional<PrimExpr>;
auto MaxValue(Terms& terms, DataType type) -> std::optional<PrimExpr>;
// Only of float16, float32 and float64.
auto Infinity(Terms& terms, DataType type) -> std::optional<PrimExpr>;

// Division of integers; the divisor is not 0. The smallest integer by -1 wraps.
auto FloorDivInt(int64_t a, int64_t b) -> int64_t;
auto FloorModInt(int64_t a, int64_t b) -> int64_t;
auto TruncDivInt(int64_t a, int64_t b) -> int64_t;
auto TruncModInt(int64_t a, int64_t b) -> int64_t;

}  // namespace relayopt::arith
