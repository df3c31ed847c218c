// --update-checks: the check lines of tests are written anew.
#pragma once

#include "options.h"
#include "reporter.h"

namespace relayopt {

// For each file: runs the RUN lines that pipe relayopt into FileCheck, and puts what they print, as check lines
// (CheckLines), where the check lines of their prefix are, or at the end. Everything else in the file stays. A line for
// each file says what became of it, and why RUN lines were left alone. The exit status.
auto UpdateChecks(const ToolOptions& options, Reporter& reporter) -> int;

}  // namespace relayopt
