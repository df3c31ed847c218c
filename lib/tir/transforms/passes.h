// The rows of the passes over tensor programs; each is defined in the file of its pass.
#pragma once

#include "relayopt/pass/pass.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

#define RELAYOPT_PASS(Name) extern const PassDef k##Name##Pass;
#include "lib/tir/transforms/passes.def"
#undef RELAYOPT_PASS

}  // namespace relayopt::tir
