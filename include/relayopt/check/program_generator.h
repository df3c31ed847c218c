// Generates random well-typed programs.
#pragma once

#include <cstdint>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// The size and the features of the programs.
struct ProgramOptions {
  // The number of steps (operator calls, bindings, branches, ...) in @main; nested scopes have fewer.
  int steps = 24;
  // The depth to which scopes are nested.
  int depth = 3;
  // The percentage of operator calls without a defined value that are kept. The fewer there are, the more often the
  // results of passes can be compared.
  int percent_undefined = 1;
  // Whether some tensors have extents `?`.
  bool dynamic_shapes = true;
};

// Generates a module from the seed. It contains closures (also as arguments and in tuples), branches, lets, nested
// patterns, references, recursion of global and local functions, generic functions, calls between functions, sharing
// within and across scopes, and calls of all kinds of operators with unusual attributes. Types are set as far as type
// rules give them; inference completes them. The same seed gives the same text on every machine.
auto GenerateProgram(uint64_t seed, const ProgramOptions& options = {}) -> Module;

}  // namespace relayopt
