// Kernels of the operators whose shapes or counts are operands, each named for its operator.
#pragma once

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// dyn.h
KernelFunction DynBroadcastToKernel, DynExpandDimsKernel, DynFullKernel, DynOneHotKernel, DynOnesKernel, DynPadKernel,
    DynReshapeKernel, DynResize2DKernel, DynSparseToDenseKernel, DynSqueezeKernel, DynStridedSliceKernel, DynTileKernel,
    DynTopkKernel, DynUpSampling3DKernel, DynUpSamplingKernel, DynZerosKernel;
// runtime.h
KernelFunction ReshapeTensorKernel;

}  // namespace relayopt
