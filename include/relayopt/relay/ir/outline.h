// The outline of Relay's functions.
#pragma once

#include <cstdint>

#include "relayopt/module/function_kind.h"

namespace relayopt {

// Returns a number for the operators that the expressions below the root call, in any order: a text has each such call
// once.
auto OutlineOfRelay(const GlobalFunction& function) -> uint64_t;

// Whether two functions have equal tables of expressions, with their types and spans. Those with matches count as
// different.
auto HaveSameTables(const GlobalFunction& a, const GlobalFunction& b) -> bool;

}  // namespace relayopt
