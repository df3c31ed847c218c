// Programs near a given one.
#pragma once

#include <cstdint>
#include <optional>

#include "relayopt/module/module.h"

namespace relayopt {

// The module with a few changes that the seed chooses. In functions of Relay: an operator for another of the same kind,
// another operand of the same type, an operator in front of an operand, another number for a scalar, an attribute that
// is a little different, a second result. The module must have its types; the result has some of them, and is
// well-formed: whether it is well-typed inference tells. In tensor programs: another operator, number or variable, a
// statement less, twice, later or under a condition; whether the program stays in its buffers the evaluator tells.
// Nothing when no change worked.
auto MutateProgram(const Module& module, uint64_t seed) -> std::optional<Module>;

}  // namespace relayopt
