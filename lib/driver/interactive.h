// --interactive: a session in which a user runs passes one by one and looks at the module between them.
#pragma once

#include <vector>

#include "options.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/eval/inputs.h"
#include "reporter.h"
#include "setup.h"

namespace relayopt {

// Reads commands from standard input until it ends, or until `quit`, and answers on standard output. Returns the exit
// status: a failure if a command failed.
auto RunInteractive(const Module& module, const ToolOptions& options, const Setup& setup,
                    const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> int;

}  // namespace relayopt
