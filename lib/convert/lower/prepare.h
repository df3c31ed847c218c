// Prepares modules for another system by a pipeline of passes.
#pragma once

#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/result.h"

namespace relayopt {

// Runs the pipeline on the module. Functions used as values, algebraic data types and references have no form in other
// systems. When such are left, partial evaluation is tried before the pipeline, because it may remove them.
auto PrepareFor(const Module& module, std::string_view pipeline) -> Result<Module>;

// Whether an expression takes a function and does more than calling it or giving it a name. A function that is marked
// Closure gives one that it is called with at once.
auto UsesFunctionAsValue(const Function& function, ExprId id) -> bool;

}  // namespace relayopt
