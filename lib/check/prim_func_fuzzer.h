// Random tensor programs through random passes.
#pragma once

#include "relayopt/check/fuzzer.h"

namespace relayopt {

// Like FuzzOnce, for a tensor program and passes over tensor programs. Before and after the passes, the printed text
// must read back as the same program; after every pass the verifier must find no fault, and the program must leave the
// same memory as before it.
auto FuzzPrimFuncOnce(uint64_t seed, const FuzzOptions& options) -> FuzzRun;

}  // namespace relayopt
