// Annotated results that keep inference from finding better ones.
#pragma once

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Whether there are annotated results with unknown extents that may be forgotten.
auto HasUnknownResults(GlobalId id, const Function& function) -> bool;

// Forgets annotated results with unknown extents, so that better ones can be inferred. Returns whether there were any.
// Functions that call themselves keep them.
auto ForgetUnknownResults(GlobalId id, Function& function) -> bool;

}  // namespace relayopt
