// --reduce: a smaller module and fewer passes that show the same.
#pragma once

#include <vector>

#include "options.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/eval/inputs.h"
#include "reporter.h"
#include "setup.h"

namespace relayopt {

// Makes the module and the pipeline of the setup smaller while they show what --reduce asks for. The result, a test
// with a RUN line, goes to -o, where the best so far always is, or to standard output at the end. The exit status: a
// failure when the module does not show it.
auto RunReduce(const Module& module, const ToolOptions& options, const Setup& setup,
               const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> int;

// Returns the command that reduces a failing module of
// --fuzz in a file; `arguments` are those of its run.
auto ReduceCommand(const std::string& property, const std::string& arguments, const std::string& file) -> std::string;

}  // namespace relayopt
