// --bisect: finds the guilty pass, and its guilty rewrite.
#pragma once

#include <vector>

#include "options.h"
#include "property.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/eval/inputs.h"
#include "reporter.h"
#include "setup.h"

namespace relayopt {

// Finds what --bisect asks for in the pipeline of the setup, run over the module, and prints it on standard output.
// Returns the exit status: a failure if there is no fault to find.
auto RunBisect(const Module& module, const ToolOptions& options, const Setup& setup,
               const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> int;

// Whether the passes crash before another fault can be looked for, which is reported; `flag` is the search.
auto CrashesInstead(const char* flag, const PropertyText& property, const Module& module, const ToolOptions& options,
                    const Setup& setup, const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> bool;

}  // namespace relayopt
