// The texts that --list-* and --help-* print and --gen-docs writes.
#pragma once

#include <optional>
#include <string>

#include "options.h"
#include "reporter.h"

namespace relayopt {

// Returns the text that the options ask for instead of a run, or empty if they ask for none. Nothing, with a message,
// when a name is unknown or a file cannot be written.
auto ListsAndHelp(const ToolOptions& options, Reporter& reporter) -> std::optional<std::string>;

}  // namespace relayopt
