// Completion scripts for shells.
#pragma once

#include <string>
#include <string_view>

namespace relayopt {

// A script for `bash`, `zsh` or `fish` that completes options, and names of passes, which it asks the tool for, also
// inside pipelines.
auto CompletionScript(std::string_view shell) -> std::string;

}  // namespace relayopt
