// Writes Relay text, byte for byte as the reference does.
#pragma once

#include <string>

#include "relayopt/module/print.h"

namespace relayopt {

// The Relay part of a module: type definitions, functions of Relay and the metadata section. PrintModule prints all of
// a module.
void PrintRelay(const Module& module, const PrintOptions& options, TextSink& sink);
auto PrintRelay(const Module& module, const PrintOptions& options = {}) -> std::string;

// One function of Relay, as a module of its own without type definitions.
void PrintRelayFunction(const Module& module, GlobalId function, const PrintOptions& options, TextSink& sink);

// A type as text, for diagnostics: incomplete types and symbolic dimensions print as `?` and by name instead of as
// metadata.
auto TypeToString(const Context& context, TypeId type) -> std::string;

// A floating-point literal's digits without suffix: the reference's six significant digits where they bring back the
// same value, else the fewest digits that do. `bits` is 16, 32 or 64. NaN is `nan`, infinities are `inf` and `-inf`.
auto FloatDigits(double value, int bits) -> std::string;

}  // namespace relayopt
