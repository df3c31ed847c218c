// Prints Relay text, byte for byte as TVM does.
#pragma once

#include <string>
#include <vector>

#include "relayopt/module/print.h"

namespace relayopt {

// The ranges of expressions and numbers in a printed text, as offsets in the order of the text; for programs that show
// parts of it.
struct PrintTrace {
  // An expression with a text of its own. The text of a bound expression is its line including `%0 = ` or `let %x = `,
  // that of a result is the result itself, that of a function or branch ends at its brace, and that of a parameter is
  // its declaration. It ends at `end`, or at the end of the line when that is 0.
  struct Place {
    GlobalId function;
    ExprId expr;
    size_t begin = 0;
    size_t end = 0;
  };
  // An occurrence of `%N`; the first one is its definition.
  struct Number {
    size_t begin = 0;
    size_t end = 0;
    bool is_definition = false;
  };
  std::vector<Place> places;
  std::vector<Number> numbers;
};

// Prints the Relay part of a module: type definitions, functions of Relay and the metadata section. PrintModule prints
// the whole module.
void PrintRelay(const Module& module, const PrintOptions& options, TextSink& sink);
auto PrintRelay(const Module& module, const PrintOptions& options = {}) -> std::string;

// The same, recording a trace; requires that no constants are left out.
auto PrintRelay(const Module& module, const PrintOptions& options, PrintTrace& trace) -> std::string;

// Prints one function of Relay, as a module of its own without type definitions.
void PrintRelayFunction(const Module& module, GlobalId function, const PrintOptions& options, TextSink& sink);

// The name of a global, type or constructor that text can contain: characters that cannot be a part of it become `_`,
// and a global that does not begin with a letter or `_` gets a `v` before it.
auto ReadableModuleName(std::string_view name, bool is_global) -> std::string;

// Returns a type as text for diagnostics: incomplete types print as `?`, and symbolic dimensions by name instead of as
// metadata.
auto TypeToString(const Context& context, TypeId type) -> std::string;

// Returns the digits of a floating-point literal, without suffix: six significant digits as in TVM, if they
// are read back as the same value; otherwise the fewest digits that are. `bits` is 16, 32 or 64. NaN is `nan`,
// infinities are `inf` and `-inf`.
auto FloatDigits(double value, int bits) -> std::string;

}  // namespace relayopt
