// Several inputs in one run.
#pragma once

#include "options.h"
#include "reporter.h"

namespace relayopt {

// Runs the pipeline over each input in a process of its own, up to --threads at once, and writes the results to
// --out-dir under the names of the inputs. Messages appear in the order of the inputs, not in the order of completion.
// Failures and crashes do not affect other inputs; the status is that of the first input that failed.
auto RunBatch(const ToolOptions& options, Reporter& reporter) -> int;

}  // namespace relayopt
