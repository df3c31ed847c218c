// Completion of command lines by shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace relayopt {

// A script for a shell (bash, zsh, fish), which asks the tool by --complete.
auto CompletionScript(std::string_view shell) -> std::string_view;

// What the last of these words may become, a line each, with a tab and an explanation where there is one. The word
// before it decides too: an option that takes a value, `--passes=` when the shell has split the word there. Nothing
// where files are meant.
auto CompletionLines(const std::vector<std::string>& words) -> std::string;

}  // namespace relayopt
