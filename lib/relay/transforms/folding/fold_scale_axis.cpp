// FoldScaleAxis: moves scales into weights, backward and forward, and folds them there.
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

constinit const PassDef kFoldScaleAxisPass = {
    .name = "FoldScaleAxis",
    .opt_level = 0,
    .summary = "folds scales of data and results of convolutions and dense layers into their weights",
    .details =
        R"(Runs BackwardFoldScaleAxis, ForwardFoldScaleAxis and FoldConstant, so that scales that are constant disappear. The
first two are of optimization level 3: below it only constants are folded.)",
    .exactness = Exactness::kApproximate,
    .sequence = "BackwardFoldScaleAxis,ForwardFoldScaleAxis,FoldConstant",
};

}  // namespace relayopt
