// Command line arguments before they are parsed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayopt {

// The arguments in the form in which the options are declared: those of the environment variable RELAYOPT_OPTIONS
// first, `@FILE` replaced with the words in the file, one dash for two accepted, and what other tools call our options
// renamed. `names` are the long names that exist.
auto Arguments(std::span<char* const> argv, const std::vector<std::string>& names) -> std::vector<std::string>;

// The words of a text as a shell splits it: quotes, backslashes, and `#` comments at the start of a word.
auto SplitWords(std::string_view text) -> std::vector<std::string>;

// The part of an argument that names an option, without dashes.
auto OptionName(std::string_view argument) -> std::string;

}  // namespace relayopt
