// Prints Relay text with the users of each value.
#pragma once

#include <string>

#include "relayopt/module/module.h"
#include "relayopt/module/print.h"

namespace relayopt {

// Prints a module as PrintModule does, with a comment at the end of each line that defines a numbered or named value.
// It lists the values that use it in the order of their lines; `result` stands for the result of a function or a
// branch:
//
// %0 = nn.relu(%x);  // users: %1, result
//
// The parser ignores these comments. Constants are neither left out nor moved to a file.
auto PrintWithUsers(const Module& module, PrintOptions options) -> std::string;

}  // namespace relayopt
