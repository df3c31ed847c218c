// The passes over Relay that come with relayopt, and their kind of functions.
#pragma once

#include "relayopt/pass/pass.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

#define RELAYOPT_PASS(Name) extern const PassDef k##Name##Pass;
#include "relayopt/relay/transforms/passes.def"
#undef RELAYOPT_PASS

// The row for functions of Relay.
extern const FunctionKindDef kRelayFunctionKind;

// Registers the passes and the kind. To be called before passes are looked up or modules are printed. Cheap; may be
// called again.
void RegisterAllPasses();

// Returns the InferType pass.
auto InferTypePass() -> const PassRef&;

}  // namespace relayopt
