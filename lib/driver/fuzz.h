// --fuzz: random programs through random pipelines.
#pragma once

#include "options.h"
#include "reporter.h"

namespace relayopt {

// Runs as many programs as --fuzz asks for, with seeds from --seed on. A failing one is left as `fuzz-SEED.relay` in
// the current directory, with its command as the first line. The exit status.
auto RunFuzzer(const ToolOptions& options, Reporter& reporter) -> int;

}  // namespace relayopt
