// Modules are prepared for being written in another system by a pipeline of passes.
#pragma once

#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/result.h"

namespace relayopt {

// The module after the pipeline. Where functions that are values, algebraic data types or references are left, which no
// other system has, partial evaluation is tried before the pipeline: what it does away with has a form then.
auto PrepareFor(const Module& module, std::string_view pipeline) -> Result<Module>;

// Whether an expression takes a function and does more than calling it or giving it a name. A function that is marked
// Closure gives one that it is called with at once.
auto UsesFunctionAsValue(const Function& function, ExprId id) -> bool;

}  // namespace relayopt
