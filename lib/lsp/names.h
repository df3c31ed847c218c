// The names in a text: where each is defined and used. A scan of the tokens that needs no valid program, so it works
// while somebody types.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "relayopt/support/source.h"

namespace relayopt {

// An occurrence of a name.
struct NameUse {
  SourceRange range;
  // The index of the definition in TextNames::definitions; kUndefined for names that nothing in the text defines.
  uint32_t definition = 0;
  static constexpr uint32_t kUndefined = UINT32_MAX;
};

// The definition of a name.
enum class NameKind : uint8_t { kFunction, kTypeName, kParameter, kVariable, kTemporary };

struct NameDefinition {
  NameKind kind = NameKind::kVariable;
  // The name itself, with its `@` or `%`.
  SourceRange range;
  // For functions and types: the whole definition.
  SourceRange body;
};

struct TextNames {
  std::vector<NameDefinition> definitions;
  // All occurrences, definitions included, in the order of the text.
  std::vector<NameUse> uses;

  // Returns the occurrence at an offset (its end included), or null.
  auto At(size_t offset) const -> const NameUse*;
};

// Finds the names of Relay text. A name of a function is visible everywhere; a parameter in its function; a `let` and a
// temporary `%0 = ...` from there to the end of the block. The innermost visible definition counts.
auto FindRelayNames(std::string_view text) -> TextNames;

// Finds the names of TVMScript: functions (`def`), and the parameters and variables inside of one, where the first
// occurrence is the definition.
auto FindScriptNames(std::string_view text) -> TextNames;

}  // namespace relayopt
