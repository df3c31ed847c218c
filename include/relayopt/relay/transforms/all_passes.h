// The rows of the passes that come with relayopt.
#pragma once

#include "relayopt/pass/pass.h"

namespace relayopt {

#define RELAYOPT_PASS(Name) extern const PassDef k##Name##Pass;
#include "relayopt/relay/transforms/passes.def"
#undef RELAYOPT_PASS

// Makes them known to FindPass, GetPass and pipelines. Cheap; may be called again.
void RegisterAllPasses();

}  // namespace relayopt
