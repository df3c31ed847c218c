// Ranges of variables from systems of comparisons.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayopt/arith/iter_map.h"

namespace relayopt::arith {

// A range for each variable that the comparisons (of integers, linear where they are to be of use) and the ranges that
// it has already say something of; none for the others. Nothing where the ranges do not say all that the comparisons
// say, or where they contradict each other.
auto SolveInequalitiesToRange(Terms& terms, std::span<const PrimExpr> vars, std::span<const IterRange> ranges,
                              std::span<const PrimExpr> relations) -> std::optional<std::vector<std::optional<Range>>>;

}  // namespace relayopt::arith
