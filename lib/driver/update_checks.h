// --update-checks: rewrites the check lines of tests.
#pragma once

#include "options.h"
#include "reporter.h"

namespace relayopt {

// For each file: runs the RUN lines that pipe relayopt into FileCheck, and writes their output as check lines
// (CheckLines) replacing the check lines with the same prefix, or at the end. The rest of the file stays. Prints a line
// about the result for each file, and why RUN lines were skipped. Returns the exit status.
auto UpdateChecks(const ToolOptions& options, Reporter& reporter) -> int;

}  // namespace relayopt
