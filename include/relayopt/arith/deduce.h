// From conditions to bounds of one variable, and linear terms taken apart.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayopt/arith/int_set.h"

namespace relayopt::arith {

// An interval of `var` in which `condition` holds for all values of the relaxed variables. `hint` says through what
// sets variables run, for the signs of factors. Nothing where that cannot be told: the variable must occur once, in a
// comparison other than `!=`, below additions, subtractions, multiplications and floor divisions only.
auto DeduceBound(Terms& terms, PrimExpr var, PrimExpr condition, std::span<const Analyzer::VarSet> hint,
                 std::span<const Analyzer::VarSet> relax) -> std::optional<IntSet>;

// Coefficients c with e = c[0]*vars[0] + c[1]*vars[1] + ... + c.back(), where none uses a variable; not simplified.
// Nothing where `e` is not linear in them.
auto DetectLinearEquation(Terms& terms, PrimExpr e, std::span<const PrimExpr> vars)
    -> std::optional<std::vector<PrimExpr>>;

}  // namespace relayopt::arith
