// The rows of the passes over Relay that come with relayopt, and of the functions that they work on.
#pragma once

#include "relayopt/pass/pass.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

#define RELAYOPT_PASS(Name) extern const PassDef k##Name##Pass;
#include "relayopt/relay/transforms/passes.def"
#undef RELAYOPT_PASS

// The row of functions of Relay.
extern const FunctionKindDef kRelayFunctionKind;

// Makes all of them known: before passes are looked up and before modules are printed. Cheap; may be called again.
void RegisterAllPasses();

// The InferType pass.
auto InferTypePass() -> const PassRef&;

}  // namespace relayopt
