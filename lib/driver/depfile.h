// --depfile: what a run has read, for make and Ninja.
#pragma once

#include "options.h"
#include "reporter.h"

namespace relayopt {

// Writes a rule that makes the output depend on every file that was read until now: input, pipelines, words of options,
// tensors, tables and plugins. Does nothing without --depfile; the exit status.
auto WriteDepfile(const ToolOptions& options, Reporter& reporter) -> int;

}  // namespace relayopt
