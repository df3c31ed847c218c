// Passes that make models smaller that are written as ONNX; default<onnx> runs them.
#pragma once

#include "relayopt/pass/pass.h"

namespace relayopt {

// FoldAffine: constant scales and shifts after a convolution become part of it.
extern const PassDef kFoldAffinePass;

// SimplifyOnnx: rules on operators that move elements, and on calls of ONNX's operators.
extern const PassDef kSimplifyOnnxPass;

// SplitBatchNorm, JoinBatchNorm: batch normalization as a scale and a shift, and back.
extern const PassDef kSplitBatchNormPass;
extern const PassDef kJoinBatchNormPass;

// OptimizeInnerGraphs: default<onnx> on the graphs inside of nodes.
extern const PassDef kOptimizeInnerGraphsPass;

}  // namespace relayopt
