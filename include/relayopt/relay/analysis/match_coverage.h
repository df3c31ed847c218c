// Finds the values that a match does not handle.
#pragma once

#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Patterns, written as in Relay text with `_` for anything, that together cover the values which no clause of the match
// handles; returns empty if the match is exhaustive. At most three are returned. Deciding exhaustiveness takes
// exponential time in general: after a fixed effort the rest counts as handled.
auto UnmatchedCases(const Module& module, const Function& function, ExprId match) -> std::vector<std::string>;

}  // namespace relayopt
