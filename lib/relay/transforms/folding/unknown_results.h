// Annotated results that keep inference from finding better ones.
#pragma once

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Forgets annotated results with unknown extents, so that better ones can be inferred; whether there were any. A
// function that calls itself needs them.
auto ForgetUnknownResults(GlobalId id, Function& function) -> bool;

}  // namespace relayopt
