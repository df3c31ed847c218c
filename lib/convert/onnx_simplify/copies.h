// Calls that give what they take.
#pragma once

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Whether a call gives its first operand as it is: a copy, padding by nothing, a matrix as a matrix, a reduction over
// axes of extent 1 that stay.
auto IsCopy(const Function& function, ExprId id) -> bool;

}  // namespace relayopt
