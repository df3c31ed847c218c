// Relay text that tells who uses what.
#pragma once

#include <string>

#include "relayopt/module/module.h"
#include "relayopt/module/print.h"

namespace relayopt {

// The text of a module (PrintModule) in which each line that gives a value of Relay a number or a name ends in a
// comment with the values that use it, in the order of their lines; `result` is that of a function or a branch:
//
//   %0 = nn.relu(%x);  // users: %1, result
//
// The comments read as nothing. Constants are neither left out nor left to a file.
auto PrintWithUsers(const Module& module, PrintOptions options) -> std::string;

}  // namespace relayopt
