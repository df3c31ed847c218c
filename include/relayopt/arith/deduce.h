// Derives bounds of one variable from conditions, and splits linear terms into their coefficients.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayopt/arith/int_set.h"

namespace relayopt::arith {

// An interval of values of `var` for which `condition` holds, whatever values the relaxed variables have. `hint` gives
// the sets of variables, from which the signs of factors are known. Nothing when no interval can be deduced: `var` must
// occur once, in a comparison other than `!=`, below additions, subtractions, multiplications and floor divisions only.
auto DeduceBound(Terms& terms, PrimExpr var, PrimExpr condition, std::span<const Analyzer::VarSet> hint,
                 std::span<const Analyzer::VarSet> relax) -> std::optional<IntSet>;

// Coefficients c, free of the variables and not simplified, such that e = c[0]*vars[0] + c[1]*vars[1] + ... + c.back().
// Returns nothing if `e` is not linear in the variables.
auto DetectLinearEquation(Terms& terms, PrimExpr e, std::span<const PrimExpr> vars)
    -> std::optional<std::vector<PrimExpr>>;

// The least and the greatest value of a variable; invalid where there is no bound.
struct ClipBound {
  PrimExpr min;
  PrimExpr max;
};

// For each variable, the bounds that `condition` imposes on it. Returns nullopt unless the condition is a conjunction
// of comparisons other than `!=`, each of which is linear in exactly one of the variables, with the coefficient 1 or
// -1.
auto DetectClipBound(Terms& terms, PrimExpr condition, std::span<const PrimExpr> vars)
    -> std::optional<std::vector<ClipBound>>;

}  // namespace relayopt::arith
