// Writes Relay text, byte for byte as the reference does.
#pragma once

#include <string>
#include <vector>

#include "relayopt/module/print.h"

namespace relayopt {

// Where things stand in a printed text, as offsets, in the order of the text. For those who show parts of it.
struct PrintTrace {
  // An expression that has a text of its own: that of a line with `%0 = ` or `let %x = ` in front of it, of a result in
  // place, of a function or branch up to its brace; of a parameter its declaration. It ends at `end`, or, where that is
  // 0, with its line.
  struct Place {
    GlobalId function;
    ExprId expr;
    size_t begin = 0;
    size_t end = 0;
  };
  // A mention of `%N`; the definition of a number comes first.
  struct Number {
    size_t begin = 0;
    size_t end = 0;
    bool is_definition = false;
  };
  std::vector<Place> places;
  std::vector<Number> numbers;
};

// The Relay part of a module: type definitions, functions of Relay and the metadata section. PrintModule prints all of
// a module.
void PrintRelay(const Module& module, const PrintOptions& options, TextSink& sink);
auto PrintRelay(const Module& module, const PrintOptions& options = {}) -> std::string;

// The same with a trace; no constants may be left out then.
auto PrintRelay(const Module& module, const PrintOptions& options, PrintTrace& trace) -> std::string;

// One function of Relay, as a module of its own without type definitions.
void PrintRelayFunction(const Module& module, GlobalId function, const PrintOptions& options, TextSink& sink);

// A type as text, for diagnostics: incomplete types and symbolic dimensions print as `?` and by name instead of as
// metadata.
auto TypeToString(const Context& context, TypeId type) -> std::string;

// A floating-point literal's digits without suffix: the reference's six significant digits where they bring back the
// same value, else the fewest digits that do. `bits` is 16, 32 or 64. NaN is `nan`, infinities are `inf` and `-inf`.
auto FloatDigits(double value, int bits) -> std::string;

}  // namespace relayopt
