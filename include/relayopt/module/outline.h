// Outlines: numbers that tell most functions apart without their texts.
#pragma once

#include <cstdint>

#include "relayopt/module/function_kind.h"

namespace relayopt {

class Module;

// Returns a number that functions with equal texts have in common, and most others do not.
using FunctionOutline = auto(*)(const GlobalFunction& function) -> uint64_t;

// Registers how the functions of a kind are outlined; those of other kinds are all alike. Must not be called while
// passes run.
void RegisterOutline(const FunctionKind& kind, FunctionOutline outline);

// Returns a number that modules with equal texts have in common, and most others do not. Much cheaper than the text.
auto OutlineOf(const Module& module) -> uint64_t;

}  // namespace relayopt
