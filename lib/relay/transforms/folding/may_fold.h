// A quick look at whether there is anything that FoldConstant could compute.
#pragma once

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Returns false only if no call has operands that are all known, nothing asks for a shape, and no known value is bound,
// projected or branched on, so that FoldConstant would leave the function as it is.
auto MayFold(const Function& function) -> bool;

}  // namespace relayopt
