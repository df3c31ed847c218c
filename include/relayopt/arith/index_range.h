// The assumption about the values of indices that simplification makes.
//
// As TVM: `x + c1` may become `x + c2` for another literal c2 with the same remainder, a literal may move from one side
// of a comparison to the other, and so on, without a proof that the new sum stays in its type. Such rewrites hold if
// operands and results of sums, differences and products are not near the ends of their type. Rewrites that bring in
// literals near the ends need a proof.
#pragma once

#include <cstdint>

#include "relayopt/core/data_type.h"

namespace relayopt::arith {

// Returns whether `value` is at least half of the greatest number of the type, or at most half of the least one. False
// for types other than those of indices, int32 and int64.
auto IsNearEnd(DataType type, int64_t value) -> bool;

}  // namespace relayopt::arith
