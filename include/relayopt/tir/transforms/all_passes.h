// The passes over tensor programs that come with relayopt, and their kind of functions.
#pragma once

namespace relayopt::tir {

// Registers the passes and the kind. To be called before passes are looked up or modules are printed. Cheap; may be
// called again.
void RegisterAllPasses();

}  // namespace relayopt::tir
