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

constexpr AbsentPass kAbsentPasses[] = {
    {"tir.ForceNarrowIndexToInt32", "TVM 0.15 has none; tir.NarrowDataType<target_bits=32> narrows what provably fits"},
    {"tir.UnifiedStaticMemoryPlanner", "memory is planned by the code generators of TVM, not here"},
    {"tir.BindParams", "constants are bound to parameters by the code generators of TVM, not here"},
    {"tir.CreatePrimFuncPass", "passes of one's own are plugins, or functions of Python"},
    {"tir.Apply", "passes of one's own are plugins, or functions of Python"},
    {"tir.SimplifyForFeatureExtraction", "it is a part of TVM's search for schedules, which is not here"},
    {"tir.BufferShapeLegalize", "it is a part of tir.StorageFlatten"},
    {"tir.BufferStrideLegalize", "it is a part of tir.StorageFlatten"},
    {"tir.ThreadScopePropagate", "it is a part of tir.StorageFlatten"},
    {"tir.BufferBindUnwrapper", "it is a part of tir.StorageFlatten"},
    {"tir.StorageFlattener", "it is a part of tir.StorageFlatten"},
    {"tir.AssertSimplifier", "it is a part of tir.StorageFlatten"},
    {"tir.InsertHoistedExpression", "it is a part of tir.HoistExpression"},
    {"tir.InsertHoistIfThenElse", "it is a part of tir.HoistIfThenElse"},
    {"tir.RemoveAssumeInternal", "it is a part of tir.RemoveAssume"},
    {"tir.RemoveStoreUndefInternal", "it is a part of tir.RemoveStoreUndef"},
    {"tir.ValidateAllUndefRemoved", "it is a part of tir.RemoveStoreUndef"},
};

}  // namespace

void RegisterAllPasses() {
  RegisterFunctionKind(kPrimFuncKind);
  RegisterPasses(kTirPasses, TirPipelines(), kAbsentPasses);
}

}  // namespace relayopt::tir
