// Completion scripts for shells.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace relayopt {

// A script for `bash`, `zsh` or `fish` that completes the options declared in `app`, and names of passes, which it asks
// the tool for, also inside pipelines.
auto CompletionScript(const CLI::App& app, std::string_view shell) -> std::string;

}  // namespace relayopt
