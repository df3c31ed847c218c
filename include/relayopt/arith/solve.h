// Solves systems of comparisons for the ranges of variables.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayopt/arith/iter_map.h"

namespace relayopt::arith {

// Solves integer comparisons (only linear ones contribute) for the ranges of `vars`, whose ranges known before are in
// `ranges`. A variable without any known bound has no range in the result. Nothing at all when ranges cannot express
// all that the comparisons say, or when the comparisons contradict each other.
auto SolveInequalitiesToRange(Terms& terms, std::span<const PrimExpr> vars, std::span<const IterRange> ranges,
                              std::span<const PrimExpr> relations) -> std::optional<std::vector<std::optional<Range>>>;

}  // namespace relayopt::arith
