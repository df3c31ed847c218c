// --reduce: a smaller module and fewer passes that show the same.
#pragma once

#include <vector>

#include "options.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/eval/inputs.h"
#include "reporter.h"
#include "setup.h"

namespace relayopt {

// Makes the module and the pipeline of the setup smaller as long as they show the fault that --reduce names. The result
// is a test with a RUN line. It goes to standard output, or to the file of -o, which always contains the best one so
// far. Returns the exit status: a failure if the module does not show the fault.
auto RunReduce(const Module& module, const ToolOptions& options, const Setup& setup,
               const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> int;

// Returns the command that reduces a failing module of
// --fuzz in a file; `arguments` are those of its run.
auto ReduceCommand(const std::string& property, const std::string& arguments, const std::string& file) -> std::string;

}  // namespace relayopt
