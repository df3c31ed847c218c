// What tells modules apart, and most equal ones from others, without their texts.
#pragma once

#include <cstdint>

#include "relayopt/module/function_kind.h"

namespace relayopt {

class Module;

// Returns a number that functions with equal texts have in common, and most others do not.
using FunctionOutline = auto(*)(const GlobalFunction& function) -> uint64_t;

// Whether two functions of one context are the same but for their places in the source, so that their texts are equal.
// False does not say that they differ.
using FunctionSameness = auto(*)(const GlobalFunction& a, const GlobalFunction& b) -> bool;

// Registers how the functions of a kind are outlined and compared; those of other kinds all have one outline, and are
// the same only as one object. Must not be called while passes run.
void RegisterOutline(const FunctionKind& kind, FunctionOutline outline, FunctionSameness sameness);

// Returns a number that modules with equal texts have in common, and most others do not. Much cheaper than the text.
auto OutlineOf(const Module& module) -> uint64_t;

// Whether two modules of one context have the same functions, so that their texts are equal. False does not say that
// they differ.
auto HaveSameFunctions(const Module& a, const Module& b) -> bool;

}  // namespace relayopt
