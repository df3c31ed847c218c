// Several inputs in one run.
#pragma once

#include "options.h"
#include "reporter.h"

namespace relayopt {

// Runs the pipeline over each input in a process of its own, --threads of them at once, and writes the results into
// --out-dir under the names of the inputs. Messages come in the order of the inputs, whoever is ready first. A failure
// or a crash of one leaves the others alone; the status is that of the first that failed.
auto RunBatch(const ToolOptions& options, Reporter& reporter) -> int;

}  // namespace relayopt
