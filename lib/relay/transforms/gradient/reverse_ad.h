// Reverse-mode differentiation of functions with control flow, closures and references.
#pragma once

#include <functional>

#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// A function on tensors becomes one on pairs of a tensor and a reference to its gradient, with a further parameter
// `bp`: a reference to the function that propagates gradients from the results to the arguments. Functions must have
// types, and no expression in them but variables, names and constants may have several users. `gradient_of` names the
// converted form of a global function.
using GradientOfGlobal = std::function<GlobalId(GlobalId)>;

// Returns the converted function.
auto ConvertToReverse(const Function& function, const GradientOfGlobal& gradient_of, PassContext& context)
    -> Result<Function>;

// Returns the function that returns its value and the gradients of its parameters, which must be tensors.
auto DifferentiateReverse(const Function& function, const GradientOfGlobal& gradient_of, PassContext& context)
    -> Result<Function>;

}  // namespace relayopt
