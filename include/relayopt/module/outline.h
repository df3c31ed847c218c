// What tells modules apart, and most equal ones from others, without their texts.
#pragma once

#include <cstdint>

namespace relayopt {

class Module;

// Returns a number that modules with equal texts have in common, and most others do not. Much cheaper than the text.
auto OutlineOf(const Module& module) -> uint64_t;

// Whether two modules of one context have the same functions, so that their texts are equal. False does not say that
// they differ.
auto HaveSameFunctions(const Module& a, const Module& b) -> bool;

}  // namespace relayopt
