// The list of the passes that formats need.
#include "lib/convert/onnx/foreign.h"
#include "relayopt/convert/lower.h"
#include "relayopt/convert/onnx/simplify.h"
#include "relayopt/pass/registry.h"

namespace relayopt {

namespace {

// Folds constants, expresses shapes by extents that stay, merges common subexpressions, and folds batch normalization
// (also several in a row) into the convolution before it. Layouts, precision and fusion are left to the system that
// runs the model.
constexpr std::string_view kForOnnx =
    "fixpoint<max=16>(ExpandOnnx<when=smaller>,FoldConstant,SimplifyShapes,DynamicToStatic),"
    "fixpoint<max=4>(SimplifyOnnx),FoldExplicitPadding,SimplifyExpr<disable=[SwitchAddMultiply,SimplifyAdd]>,"
    "SplitBatchNorm,SimplifyInference<keep_layers=true>,"
    "FoldConstant,FoldAffine,FoldConstant,"
    "fixpoint<max=4>(BackwardFoldScaleAxis<grouped=true;constants_only=true>,FoldConstant),"
    "ForwardFoldScaleAxis<constants_only=true>,FoldConstant,EliminateCommonSubexpr<tensors=true>,"
    "SimplifyExpr<disable=[SwitchAddMultiply,SimplifyAdd]>,FoldAffine,fixpoint<max=4>(SimplifyOnnx),FoldConstant,"
    "JoinBatchNorm,OptimizeInnerGraphs,"
    "EliminateCommonSubexpr<tensors=true>,DeadCodeElimination,FoldConstant";
// TVM folds and fuses by itself; what only Relay's passes can do is done before.
constexpr std::string_view kForRelax =
    "FoldConstant,FoldExplicitPadding,SimplifyExpr,SimplifyInference,FoldConstant,"
    "fixpoint<max=4>(BackwardFoldScaleAxis<grouped=true>,FoldConstant),ForwardFoldScaleAxis,FoldConstant,"
    "EliminateCommonSubexpr<tensors=true>,DeadCodeElimination";

}  // namespace

void RegisterConvertPasses() {
  static constexpr const PassDef* kPasses[] = {&kCombineForPass,          &kExpandOnnxPass,  &kFoldAffinePass,
                                               &kJoinBatchNormPass,       &kLowerForPass,    &kSplitBatchNormPass,
                                               &kOptimizeInnerGraphsPass, &kSimplifyOnnxPass};
  static constexpr NamedPipeline kPipelines[] = {
      {"onnx", 3, kForOnnx, "what makes an ONNX model smaller or faster and can be expressed in ONNX"},
      {"relax", 3, kForRelax, "what helps before TVM 0.27 optimizes a module in Relax"},
  };
  RegisterPasses(kPasses, kPipelines);
  onnx::RegisterForeignOps();
}

}  // namespace relayopt
