// Kernels of the operators of neural networks, each named for its operator.
#pragma once

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// nn_activation.h
KernelFunction BiasAddKernel, CrossEntropyKernel, CrossEntropyWithLogitsKernel, DropoutKernel, FastSoftmaxKernel,
    LeakyReluKernel, LogSoftmaxKernel, NllLossKernel, PReluKernel, ReluKernel, SoftmaxKernel;
// nn_conv.h and nn_conv_variants.h
KernelFunction Conv1DKernel, Conv1DTransposeKernel, Conv2DKernel, Conv2DTransposeKernel, Conv3DKernel,
    Conv3DTransposeKernel, Conv2DBackwardWeightKernel, Conv2DGemmKernel, Conv2DWinogradKernel,
    Conv2DWinogradWeightTransformKernel, Conv3DWinogradKernel, Conv3DWinogradWeightTransformKernel,
    ConvGemmWeightTransformKernel, DeformableConv2DKernel;
// nn_dense.h
KernelFunction BatchMatmulKernel, DenseKernel, DensePackKernel, MatmulKernel;
// nn_norm.h
KernelFunction BatchNormKernel, GroupNormKernel, InstanceNormKernel, L2NormalizeKernel, LayerNormKernel, LRNKernel;
// nn_packed.h
KernelFunction BitPackKernel, BitserialConv2DKernel, BitserialDenseKernel, SparseAddKernel, SparseConv2DKernel,
    SparseDenseKernel, SparseTransposeKernel;
// nn_pool.h
KernelFunction AdaptiveAvgPool1DKernel, AdaptiveAvgPool2DKernel, AdaptiveAvgPool3DKernel, AdaptiveMaxPool1DKernel,
    AdaptiveMaxPool2DKernel, AdaptiveMaxPool3DKernel, AvgPool1DKernel, AvgPool2DGradKernel, AvgPool2DKernel,
    AvgPool3DKernel, GlobalAvgPool2DKernel, GlobalMaxPool2DKernel, MaxPool1DKernel, MaxPool2DGradKernel,
    MaxPool2DKernel, MaxPool3DKernel;
// nn_spatial.h
KernelFunction BatchToSpaceNDKernel, CorrelationKernel, DepthToSpaceKernel, DilateKernel, FifoBufferKernel,
    MirrorPadKernel, PadKernel, SpaceToBatchNDKernel, SpaceToDepthKernel, UpSampling3DKernel, UpSamplingKernel;

}  // namespace relayopt
