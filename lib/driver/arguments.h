// The command line as words for CLI11.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flags.h"
#include "relayopt/support/result.h"

namespace relayopt {

// Returns the words of a text as a shell splits it: quotes, backslashes, and `#` comments at the start of a word.
auto SplitWords(std::string_view text) -> std::vector<std::string>;

// Where a word comes from.
enum class WordOrigin : uint8_t { kCommandLine, kEnvironment, kReproducer };

// A flag that occurs on a command line.
struct NamedFlag {
  const FlagDef* flag;
  // Whether the command line itself names it, and not only RELAYOPT_OPTIONS.
  bool is_typed = false;
  // Whether the last value leaves the flag switched on; true for flags that are not switches.
  bool is_on = true;
};

struct CommandLine {
  // For CLI11: inputs, unknown options as they are, and for each flag its canonical name and then its value. The last
  // word is the name of a flag if that flag lacks its value; the words after it are left out.
  std::vector<std::string> words;
  // The first unknown option as it was typed.
  std::string unknown;
  // In the order of their first occurrence.
  std::vector<NamedFlag> flags;
};

// Translates what CLI11 does not support, by the rows of flags: the words of RELAYOPT_OPTIONS before those of `argv`,
// the content of `@FILE`, names with one dash, synonyms, values that only `=` may attach, switches, `-O3`. Fails when a
// reproducer cannot be read, or requests what needs --trust.
auto TranslateArguments(std::span<char* const> argv) -> Result<CommandLine>;

// Returns the row of a word such as `--passes=x`, `-passes`, `-p` or `-O3`, or null if there is none. `value` becomes
// the value that is attached to the name, if there is one.
auto FlagOfWord(std::string_view word, std::optional<std::string_view>& value) -> const FlagDef*;

}  // namespace relayopt
