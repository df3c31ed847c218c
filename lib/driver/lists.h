// The texts that --list-* and --help-* print and --gen-docs writes.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "flags.h"
#include "options.h"
#include "reporter.h"

namespace relayopt {

// The flags that ask for lists and descriptions.
auto ListFlags() -> std::span<const FlagDef>;

// Returns the text that the options ask for instead of a run, or empty if they ask for none. Nothing, with a message,
// when a name is unknown or a file cannot be written.
auto ListsAndHelp(const ToolOptions& options, Reporter& reporter) -> std::optional<std::string>;

}  // namespace relayopt
