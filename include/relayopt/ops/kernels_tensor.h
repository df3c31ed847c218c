// Kernels of operators that make tensors, move their elements or convert them, each named for its operator.
#pragma once

#include "relayopt/ops/kernel.h"

namespace relayopt {

// creation.h
KernelFunction FullKernel, FullLikeKernel, NdarraySizeKernel, OnesKernel, ShapeOfKernel, ZerosKernel;
// broadcast_to.h
KernelFunction BroadcastToKernel;
// join.h
KernelFunction ConcatenateKernel;
// reshape.h, and other operators whose result has the elements of the first operand in their order.
KernelFunction SameElementsKernel;
// transform.h
KernelFunction CastKernel, ReinterpretKernel, TransposeKernel;
// slicing.h
KernelFunction StridedSliceKernel;
// indexing.h
KernelFunction TakeKernel, WhereKernel;

}  // namespace relayopt
