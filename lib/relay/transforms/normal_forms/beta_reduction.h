// Replaces calls of function literals by copies of their bodies.
#pragma once

#include <optional>

#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Replaces calls of function literals by their bodies, with arguments in place of parameters. Arguments with effects
// are bound by let, so that effects keep their number and order. Returns nothing if there is no such call. The function
// must have its types.
auto BetaReduce(const Module& module, const Function& function, PassContext& context) -> std::optional<Function>;

}  // namespace relayopt
