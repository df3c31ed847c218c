// Random well-typed programs.
#pragma once

#include <cstdint>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// How large the programs are.
struct ProgramOptions {
  // Steps (operator calls, bindings, branches, ...) of @main; nested scopes have fewer each.
  int steps = 24;
  // Scopes inside one another.
  int depth = 3;
  // Of operator calls without a defined value, how many stay; with the others passes can be judged by results.
  int percent_undefined = 1;
  // Some tensors have extents `?`.
  bool dynamic_shapes = true;
};

// A module made from the seed: closures, also as arguments and in tuples, branches, lets, nested patterns, references,
// recursion of global and local functions, generic functions, calls between functions, sharing within and across
// scopes, and calls of operators of the table with odd attributes. Types are known as far as rules tell them; inference
// completes them. The same seed gives the same text on every machine.
auto GenerateProgram(uint64_t seed, const ProgramOptions& options = {}) -> Module;

}  // namespace relayopt
