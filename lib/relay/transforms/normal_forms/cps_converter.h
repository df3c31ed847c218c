// Conversion of one function to continuation-passing style, for ToCPS.
#pragma once

#include <functional>

#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Returns the function in continuation-passing style. It must have types, and no expression in it but variables, names
// and constants may have several users. `cps_of` names the converted form of a global function.
auto ConvertToCps(const Function& function, const std::function<GlobalId(GlobalId)>& cps_of, PassContext& context)
    -> Result<Function>;

}  // namespace relayopt
