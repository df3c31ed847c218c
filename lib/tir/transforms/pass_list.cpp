// The list of the passes over tensor programs.
#include "relayopt/tir/script/module_text.h"
#include "relayopt/tir/transforms/all_passes.h"

namespace relayopt::tir {

void RegisterAllPasses() { RegisterFunctionKind(kPrimFuncKind); }

}  // namespace relayopt::tir
