// Literals that do not fit in their types, or are close to the limit.
#pragma once

#include <optional>

#include "relayopt/arith/index_range.h"
#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

constexpr auto IsSumOrProduct(PrimKind kind) -> bool {
  return kind == PrimKind::kAdd || kind == PrimKind::kSub || kind == PrimKind::kMul;
}

// Whether a literal near the end of its type takes part in the value of a term.
auto HasLiteralNearEnd(const Terms& terms, PrimExpr e) -> bool;

// Whether the sum, difference or product is in the type if both operands are literals. True for other terms.
auto LiteralFits(const Terms& terms, PrimKind op, PrimExpr a, PrimExpr b) -> bool;

// As TryFold, but does not wrap literals of index types around: what overflows stays a term of two literals, whose
// bounds are known. Whoever compares would take the wrapped number for the true one.
auto FoldIfFits(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> std::optional<PrimExpr>;
// As Fold, likewise.
auto FoldUnlessOverflow(Terms& terms, PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr;

}  // namespace relayopt::arith
