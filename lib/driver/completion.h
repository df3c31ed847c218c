// Completion of command lines by shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace relayopt {

// Returns a script for a shell (bash, zsh, fish), which asks the tool by --complete.
auto CompletionScript(std::string_view shell) -> std::string_view;

// Returns the completions of the last word, one per line, each followed by a tab and an explanation if there is one.
// Considers the previous word as well: an option that takes a value, or `--passes=` when the shell has split the word
// there. Returns nothing if file names are expected.
auto CompletionLines(const std::vector<std::string>& words) -> std::string;

}  // namespace relayopt
