// Kernels of the operators on quantized tensors, each named for its operator.
#pragma once

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

KernelFunction QnnAbsKernel, QnnAddKernel, QnnAvgPool2DKernel, QnnBatchMatmulKernel, QnnConcatenateKernel,
    QnnConv2DKernel, QnnConv2DTransposeKernel, QnnDenseKernel, QnnDensePackKernel, QnnDequantizeKernel, QnnErfKernel,
    QnnExpKernel, QnnHardswishKernel, QnnLeakyReluKernel, QnnLogKernel, QnnMulKernel, QnnQuantizeKernel,
    QnnRequantizeKernel, QnnRsqrtKernel, QnnSigmoidKernel, QnnSimulatedDequantizeKernel, QnnSimulatedQuantizeKernel,
    QnnSoftmaxKernel, QnnSqrtKernel, QnnSubtractKernel, QnnTanhKernel, SimulatedQuantizeKernel;

}  // namespace relayopt
