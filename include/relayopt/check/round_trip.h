// Whether printed text is read back as the same module.
#pragma once

#include "relayopt/module/module.h"

namespace relayopt {

// Reading may fold what passes leave in tensor programs, so they may be the same only after so many rounds.
inline constexpr int kRoundTrips = 3;

// Whether a module that was printed and read has the same functions. For functions of Relay their text counts. For
// tensor programs the structure does: as in TVM, buffers that share memory get other names when they are read. Both
// modules have one context.
auto AreSameFunctions(const Module& printed, const Module& read) -> bool;

}  // namespace relayopt
