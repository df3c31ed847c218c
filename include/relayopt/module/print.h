// The text of modules, whatever the kinds of their functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/support/text_sink.h"

namespace relayopt {

enum class MetadataPrinting : uint8_t {
  kSection,  // the `#[metadata]` section at the end
  kOmitted,  // a comment that says it was left out; attribute values print as the reference prints them then
  kSilent,   // left out without a word
};

// After which expressions a comment tells the type.
enum class TypePrinting : uint8_t {
  kAll,
  kCalls,
  kNone,
};

// A constant that a text names and leaves to a file of tensors.
struct ExternalConstant {
  std::string name;
  ConstantId constant;
};

struct PrintOptions {
  // `ty=` in the comments after expressions.
  TypePrinting types = TypePrinting::kAll;
  // `span=` in them: positions in the original model.
  bool spans = false;
  MetadataPrinting metadata = MetadataPrinting::kSection;
  // Constants of the metadata section with more elements than this are left out, whatever they hold: a placeholder with
  // their type stands there. Such a text cannot be read back, and starts with a comment that says so.
  std::optional<uint64_t> elide_constants_if_larger = {};
  // When not null, constants of the metadata section leave their names there and are appended here: those of
  // ConstantNames, else `constant_N`, each name once. ReadOptions::constants brings them back.
  std::vector<ExternalConstant>* external_constants = nullptr;
};

// The text of a module: what its first kind of functions has to say, then for each further one a line `#[NAME]` and its
// part. Memory beyond the module itself stays small: text goes to the sink as it is made, except where constants are
// left out, which makes it short.
void PrintModule(const Module& module, const PrintOptions& options, TextSink& sink);
auto PrintModule(const Module& module, const PrintOptions& options = {}) -> std::string;

// The kind that the text begins with, whose row says how comments in front of it begin.
auto TextKindOf(const Module& module) -> const FunctionKindDef&;

// The text of one function of a module, as a module of its own without type definitions (for print-IR instruments).
auto PrintFunction(const Module& module, GlobalId function, const PrintOptions& options = {}) -> std::string;

}  // namespace relayopt
