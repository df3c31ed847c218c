// Mutates programs: makes small changes to a given one.
#pragma once

#include <cstdint>
#include <optional>

#include "relayopt/module/module.h"

namespace relayopt {

// Applies a few changes chosen by the seed. In functions of Relay these are: another operator of the same kind, another
// operand of the same type, an operator inserted before an operand, another value of a scalar, a slightly different
// attribute, a second result. In tensor programs: another operator, number or variable; a statement removed,
// duplicated, moved or made conditional. The module must have its types. The result is well-formed and has some types;
// type inference has to find out whether it is well-typed, and the evaluator whether a tensor program stays within its
// buffers. Returns nothing if no change was possible.
auto MutateProgram(const Module& module, uint64_t seed) -> std::optional<Module>;

}  // namespace relayopt
