// What attributes of functions mean.
#pragma once

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Whether function passes leave a global function alone: it has `Compiler` (a string), `Extern` or `SkipOptimization`
// (not 0).
auto IsSkippedByFunctionPasses(const Function& function) -> bool;

}  // namespace relayopt
