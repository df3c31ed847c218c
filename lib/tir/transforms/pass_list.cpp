// The list of the passes over tensor programs, made from passes.def.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/pipelines.h"
#include "relayopt/pass/registry.h"
#include "relayopt/tir/script/module_text.h"
#include "relayopt/tir/transforms/all_passes.h"

namespace relayopt::tir {

namespace {

#define RELAYOPT_PASS(Name) &k##Name##Pass,
constexpr const PassDef* kTirPasses[] = {
#include "lib/tir/transforms/passes.def"
};
#undef RELAYOPT_PASS

}  // namespace

void RegisterAllPasses() {
  RegisterFunctionKind(kPrimFuncKind);
  RegisterPasses(kTirPasses, TirPipelines());
}

}  // namespace relayopt::tir
