// Arithmetic on dimensions, folded as the reference folds index expressions.
#pragma once

#include <optional>

#include "relayopt/core/context.h"
#include "relayopt/core/dim.h"

namespace relayopt {

// An operation that overflows 64 bits gives Dim::Null(), which the caller reports. int32 with int64 gives int64; an
// int32 result that does not fit is widened to int64.
//
// With `?` or a symbolic expression as an operand the trivial cases fold (x+0, x-0, x*1, x/1, x*0 = 0); the rest
// becomes a symbolic expression that contains the operands. As TVM: `? * 2` is not `?`.
auto Add(Context& context, const Dim& a, const Dim& b) -> Dim;
auto Sub(Context& context, const Dim& a, const Dim& b) -> Dim;
auto Mul(Context& context, const Dim& a, const Dim& b) -> Dim;
// Rounds toward zero / toward minus infinity; null for a divisor of zero.
auto TruncDiv(Context& context, const Dim& a, const Dim& b) -> Dim;
auto FloorDiv(Context& context, const Dim& a, const Dim& b) -> Dim;
auto FloorMod(Context& context, const Dim& a, const Dim& b) -> Dim;
auto Max(Context& context, const Dim& a, const Dim& b) -> Dim;
auto Min(Context& context, const Dim& a, const Dim& b) -> Dim;

// A symbolic dimension with constant factors collected and cancelled, `b * 32 * 16 // 16` becoming `b * 32`; other
// dimensions as they are. As TVM: extents that are inferred for reshapes are simplified.
auto Simplify(Context& context, const Dim& dim) -> Dim;

// Whether two extents can be shown to be equal: the same, or symbolic and equal once simplified.
auto ProvablyEqual(Context& context, const Dim& a, const Dim& b) -> bool;

// Whether the two can be shown to differ (both constant and unequal): the reference's AssertEQ fails only then.
constexpr auto ProvablyDifferent(const Dim& a, const Dim& b) -> bool {
  return a.is_int() && b.is_int() && a.value() != b.value();
}

// The product, or nothing when an extent is not constant or it overflows.
auto NumElements(Shape shape) -> std::optional<int64_t>;

// The objects that `?` and integers become inside a symbolic expression.
auto AsObject(Context& context, const Dim& dim) -> ObjectId;

// For messages: `3`, `?`, or `<expr>`.
auto ToString(const Dim& dim) -> std::string;
auto ToString(Shape shape) -> std::string;

}  // namespace relayopt
