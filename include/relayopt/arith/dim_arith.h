// Arithmetic on dimensions, which folds as TVM folds index expressions.
#pragma once

#include <optional>

#include "relayopt/core/context.h"
#include "relayopt/core/dim.h"

namespace relayopt {

// Add and its siblings return Dim::Null() when 64 bits overflow; the caller reports it. int32 with int64 gives int64,
// and an int32 result that does not fit is widened to int64.
//
// With `?` or a symbolic expression as operand only trivial cases fold (x+0, x-0, x*1, x/1, x*0 = 0); anything else
// becomes a symbolic expression of the operands. As TVM: `? * 2` does not become `?`.
auto Add(Context& context, const Dim& a, const Dim& b) -> Dim;
auto Sub(Context& context, const Dim& a, const Dim& b) -> Dim;
auto Mul(Context& context, const Dim& a, const Dim& b) -> Dim;
// Division rounding toward zero, and toward minus infinity; returns null if the divisor is zero.
auto TruncDiv(Context& context, const Dim& a, const Dim& b) -> Dim;
auto FloorDiv(Context& context, const Dim& a, const Dim& b) -> Dim;
auto FloorMod(Context& context, const Dim& a, const Dim& b) -> Dim;
auto Max(Context& context, const Dim& a, const Dim& b) -> Dim;
auto Min(Context& context, const Dim& a, const Dim& b) -> Dim;

// Collects and cancels constant factors in a symbolic dimension, so that `b * 32 * 16 // 16` becomes `b * 32`; returns
// other dimensions unchanged. As TVM: extents inferred for reshapes are simplified.
auto Simplify(Context& context, const Dim& dim) -> Dim;

// Whether two extents are provably equal: they are the same, or symbolic and the same after simplification.
auto ProvablyEqual(Context& context, const Dim& a, const Dim& b) -> bool;

// Whether two extents provably differ, which is when both are constant. As TVM: AssertEQ fails only then.
constexpr auto ProvablyDifferent(const Dim& a, const Dim& b) -> bool {
  return a.is_int() && b.is_int() && a.value() != b.value();
}

// Returns the product of the extents, or nothing if an extent is not constant, or the product overflows.
auto NumElements(Shape shape) -> std::optional<int64_t>;

// Returns the object that represents a dimension inside a symbolic expression; used for `?` and integers.
auto AsObject(Context& context, const Dim& dim) -> ObjectId;

// Returns the dimension in messages: `3`, `?`, or `<expr>`.
auto ToString(const Dim& dim) -> std::string;
auto ToString(Shape shape) -> std::string;

}  // namespace relayopt
