// Opaque operators for names that are not in the table.
#pragma once

#include <string_view>

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Returns the row of an operator of this name that relayopt knows nothing about: any arguments, a result of the type
// that the program states, never merged, moved or dropped. Returns the same row for the same name; it is valid until
// the process ends. Thread-safe.
auto UnregisteredOp(std::string_view name) -> const OpDef*;

}  // namespace relayopt
