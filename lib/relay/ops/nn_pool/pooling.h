// Pooling of tensors, for kernels of other families.
#pragma once

#include <optional>

#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/nn_pool.h"

namespace relayopt {

// The average of the windows over the data, which has the layout that the attributes describe; the result has the
// extents of the call's result and the element type of the data. Nothing, with the error reported, as for the kernel.
auto AveragePooled2D(KernelContext& kernel, const Tensor& data, const AvgPool2DAttrs& attrs) -> std::optional<Tensor>;

}  // namespace relayopt
