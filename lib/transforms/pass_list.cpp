// The list of passes, made from passes.def.
#include "relayopt/pass/registry.h"
#include "relayopt/transforms/all_passes.h"
#include "test_passes.h"

namespace relayopt {

namespace {

#define RELAYOPT_PASS(Name) &k##Name##Pass,
constexpr const PassDef* kPasses[] = {
#include "relayopt/transforms/passes.def"
    &kTestAllocatePass, &kTestMiscompilePass, &kTestSleepPass,
};
#undef RELAYOPT_PASS

// What the reference's graph executor does before it generates code; the level decides which of the steps run.
constexpr std::string_view kDefaultPipeline =
    // Nothing below should spend time on functions that are never called.
    "RemoveUnusedFunctions,"
    // Sharing across branches would keep fusion and folding from seeing single users.
    "ToBasicBlockNormalForm,"
    // Quantized operators become plain ones, which is what all later steps know.
    "with-target(QnnLegalize),qnn.CanonicalizeOps,"
    "with-target(Legalize),"
    // Batch norms and dropouts become arithmetic that can be folded.
    "SimplifyInference,"
    "EliminateCommonSubexpr,"
    "CombineParallelConv2D,CombineParallelDense,CombineParallelBatchMatmul,"
    // Scales can be folded into weights only when the weights are constants.
    "FoldConstant,FoldScaleAxis,"
    "SimplifyExpr,CanonicalizeCast,CanonicalizeOps,FlattenAtrousConv,"
    "with-target(InferType,AlterOpLayout,SimplifyExprPostAlterOp),"
    "FastMath,"
    // Layouts of weights change by operators on constants: they are folded here.
    "FoldConstant,"
    "FuseOps";

constexpr NamedPipeline kPipelines[] = {
    {"O0", 0, kDefaultPipeline, "what the reference builds at optimization level 0"},
    {"O1", 1, kDefaultPipeline, "the same at level 1"},
    {"O2", 2, kDefaultPipeline, "the same at level 2, its default"},
    {"O3", 3, kDefaultPipeline, "the same at level 3"},
    {"O4", 4, kDefaultPipeline, "the same at level 4"},
};

}  // namespace

void RegisterAllPasses() { SetBuiltinPasses(kPasses, kPipelines); }

}  // namespace relayopt
