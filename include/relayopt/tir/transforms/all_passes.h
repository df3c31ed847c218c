// The rows of the passes over tensor programs that come with relayopt, and of the kind of function they work on.
#pragma once

namespace relayopt::tir {

// Makes them known: before passes are looked up and before modules are printed. Cheap; may be called again.
void RegisterAllPasses();

}  // namespace relayopt::tir
