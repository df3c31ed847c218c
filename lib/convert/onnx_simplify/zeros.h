// Values that are zeros, however many elements they have.
#pragma once

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Whether all elements of an expression, or of the fields of a tuple, are known to be zeros. Looks at a few expressions
// only.
auto IsZeros(const Function& function, ExprId id) -> bool;

}  // namespace relayopt
