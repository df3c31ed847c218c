// Reverse-mode differentiation of functions without control flow.
#pragma once

#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Returns the function that returns its value and the gradients of its parameters. `function` must have types.
auto DifferentiateFirstOrder(const Function& function, PassContext& context) -> Result<Function>;

}  // namespace relayopt
