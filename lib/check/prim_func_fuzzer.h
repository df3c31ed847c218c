// Random tensor programs through random passes.
#pragma once

#include "relayopt/check/fuzzer.h"

namespace relayopt {

// As FuzzOnce, with a tensor program and passes over such: the text must be read, what is printed must read back as the
// same program, before and after the passes; the verifier must be content after every pass, and the program must leave
// in memory what it left before it.
auto FuzzPrimFuncOnce(uint64_t seed, const FuzzOptions& options) -> FuzzRun;

}  // namespace relayopt
