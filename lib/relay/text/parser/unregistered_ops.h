// Opaque operators for names that are not in the table.
#pragma once

#include <string_view>

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Returns the row of an operator of this name that relayopt knows nothing about: any arguments, a result of whatever
// type the program says, never merged, moved or dropped. The same row for the same name, valid as long as the process
// lives. Thread-safe.
auto UnregisteredOp(std::string_view name) -> const OpDef*;

}  // namespace relayopt
