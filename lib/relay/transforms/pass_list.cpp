// The list of passes, made from passes.def.
#include "lib/relay/transforms/quantize/config.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

#define RELAYOPT_PASS(Name) &k##Name##Pass,
constexpr const PassDef* kPasses[] = {
#include "relayopt/relay/transforms/passes.def"
};
#undef RELAYOPT_PASS

// The passes that TVM runs before code generation; the optimization level selects among them. The pipelines
// for the graph executor and the virtual machine share most of these.
constexpr std::string_view kPrepare =
    // Nothing below should spend time on functions that are never called.
    "RemoveUnusedFunctions,"
    // Sharing across branches would keep fusion and folding from seeing single users.
    "ToBasicBlockNormalForm,"
    // Quantized operators become plain ones, which is all that later steps support.
    "with-target(QnnLegalize),qnn.CanonicalizeOps,"
    "with-target(Legalize),"
    // Batch norms and dropouts become arithmetic that can be folded.
    "SimplifyInference,";
// The virtual machine calls constructors as functions.
constexpr std::string_view kWrapConstructors = "EtaExpand<expand_constructor=true>,";
constexpr std::string_view kOptimize =
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
// The virtual machine runs one call after the other, and functions without free variables.
constexpr std::string_view kLinearize = ",ToANormalForm,InferType,LambdaLift,DeadCodeElimination,LabelOps";

constexpr std::string_view kGraph = JoinText<kPrepare, kOptimize>::value;
constexpr std::string_view kMachine = JoinText<kPrepare, kWrapConstructors, kOptimize, kLinearize>::value;

// Scales go into weights first, so that patterns see the operators of the accelerator side by side.
constexpr std::string_view kPartition =
    "SimplifyInference,FoldConstant,FoldScaleAxis,MergeComposite<accelerator=$accelerator>,"
    "AnnotateTarget<accelerator=$accelerator>,MergeCompilerRegions,PartitionGraph";
constexpr NamedPipeline::Parameter kPartitionParameters[] = {{"accelerator", ""}};

constexpr NamedPipeline kPipelines[] = {
    {"O0", 0, kGraph, "what TVM builds for its graph executor at optimization level 0"},
    {"O1", 1, kGraph, "the same at level 1"},
    {"O2", 2, kGraph, "the same at level 2, its default"},
    {"O3", 3, kGraph, "the same at level 3"},
    {"O4", 4, kGraph, "the same at level 4"},
    {"O0;executor=vm", 0, kMachine, "what it builds for its virtual machine at level 0"},
    {"O1;executor=vm", 1, kMachine, "the same at level 1"},
    {"O2;executor=vm", 2, kMachine, "the same at level 2"},
    {"O3;executor=vm", 3, kMachine, "the same at level 3"},
    {"O4;executor=vm", 4, kMachine, "the same at level 4"},
    {"partition", 3, kPartition, "cuts out what the accelerator of a file supports, accelerator=@acc.json",
     kPartitionParameters},
};

// Names of LLVM and MLIR.
constexpr AbsentPass kForeignNames[] = {
    {"cse", "write EliminateCommonSubexpr"},
    {"early-cse", "write EliminateCommonSubexpr"},
    {"gvn", "write EliminateCommonSubexpr"},
    {"dce", "write DeadCodeElimination"},
    {"adce", "write DeadCodeElimination"},
    {"instcombine", "write SimplifyExpr"},
    {"simplify", "write SimplifyExpr, or tir.Simplify for tensor programs"},
    {"canonicalize", "write SimplifyExpr"},
    {"globaldce", "write RemoveUnusedFunctions"},
    {"symbol-dce", "write RemoveUnusedFunctions"},
    {"constprop", "write FoldConstant"},
    {"sccp", "write FoldConstant"},
    {"O0", "write default<O0>"},
    {"O1", "write default<O1>"},
    {"O2", "write default<O2>"},
    {"O3", "write default<O3>"},
    {"O4", "write default<O4>"},
};

}  // namespace

void RegisterAllPasses() {
  RegisterFunctionKind(kRelayFunctionKind);
  RegisterPasses(kPasses, kPipelines, kForeignNames);
  RegisterQuantizeConfigOptions();
}

}  // namespace relayopt
