// Kernels of the operators on images and of object detection, each named for its operator.
#pragma once

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// image.h
KernelFunction AffineGridKernel, CropAndResizeKernel, Dilation2DKernel, GridSampleKernel, Resize1DKernel,
    Resize2DKernel, Resize3DKernel;
// vision.h
KernelFunction AllClassNonMaxSuppressionKernel, GetValidCountsKernel, MultiBoxPriorKernel, MultiBoxTransformLocKernel,
    NonMaxSuppressionKernel, ProposalKernel, RegularNonMaxSuppressionKernel, ROIAlignKernel, ROIPoolKernel,
    YoloReorgKernel;

}  // namespace relayopt
