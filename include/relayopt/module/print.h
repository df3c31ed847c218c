// Printing of modules, whatever the kinds of their functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/support/text_sink.h"

namespace relayopt {

// How the metadata section is printed.
enum class MetadataPrinting : uint8_t {
  kSection,  // the `#[metadata]` section at the end
  kOmitted,  // a comment that says it was left out; attribute values print as TVM prints them then
  kSilent,   // left out without a word
};

// After which expressions a comment shows the type.
enum class TypePrinting : uint8_t {
  kAll,
  kCalls,
  kNone,
};

// A constant that the text only names, because it is written to a file of tensors.
struct ExternalConstant {
  std::string name;
  ConstantId constant;
};

// How a module is printed. The defaults print all that the text can hold, as TVM does.
struct PrintOptions {
  // Which expressions are followed by a comment with `ty=`.
  TypePrinting types = TypePrinting::kAll;
  // Whether these comments show `span=`, the position in the original model.
  bool spans = false;
  MetadataPrinting metadata = MetadataPrinting::kSection;
  // Constants of the metadata section with more elements than this are left out; a placeholder with their type replaces
  // them. Such a text begins with a comment that says so, and cannot be read back.
  std::optional<uint64_t> elide_constants_if_larger = {};
  // When not null, constants of the metadata section are replaced by names and appended to this list. A constant is
  // named as in ConstantNames, or else `constant_N`; no name is used twice. ReadOptions::constants is the inverse.
  std::vector<ExternalConstant>* external_constants = nullptr;
};

// Prints a module: the text of its first kind of functions, then for each further kind a line `#[NAME]` and its text.
// Text goes to the sink as it is made, so that memory use stays small, except where constants are left out, which keeps
// the text short anyway.
void PrintModule(const Module& module, const PrintOptions& options, TextSink& sink);
auto PrintModule(const Module& module, const PrintOptions& options = {}) -> std::string;

// Returns the kind that the text of the module begins with; its row says how comments at the top are written.
auto TextKindOf(const Module& module) -> const FunctionKindDef&;

// Prints one function of a module, as a module of its own without type definitions (for the print-IR instruments).
auto PrintFunction(const Module& module, GlobalId function, const PrintOptions& options = {}) -> std::string;

}  // namespace relayopt
