// Variables that an expression takes from around it.
#pragma once

#include <vector>

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Returns the variables that an expression mentions and does not bind, in the order in which it mentions them.
auto FreeVars(const Function& function, ExprId root) -> std::vector<ExprId>;

}  // namespace relayopt
