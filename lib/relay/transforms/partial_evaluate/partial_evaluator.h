// Partial evaluation of a module.
#pragma once

#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Evaluates every function as far as it can be without knowing its arguments, on explicit stacks. In functions no
// expression but variables, names and constants may have several users.
auto PartiallyEvaluate(const Module& module, PassContext& context) -> Module;

}  // namespace relayopt
