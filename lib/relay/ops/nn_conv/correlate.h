// Correlations of tensors in canonical layouts with windows of weights.
#pragma once

#include <array>
#include <cstdint>

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// Along the axes depth, height and width; the first ones are 1 (or 0) where there are fewer.
using Triple = std::array<int64_t, 3>;

inline auto Volume(const Triple& extents) -> int64_t { return extents[0] * extents[1] * extents[2]; }

// A cross-correlation. Data is (batch, in_channels, in...), the weight (out_channels, in_channels / groups, kernel...),
// the result (batch, out_channels, out...).
struct ConvGeometry {
  int64_t batch = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  int64_t groups = 1;
  Triple in{1, 1, 1};
  Triple out{1, 1, 1};
  Triple kernel{1, 1, 1};
  Triple stride{1, 1, 1};
  // Zeros before the data; negative crops.
  Triple pad{0, 0, 0};
  Triple dilation{1, 1, 1};
};

// All three tensors have the element type of the computation, and the sizes given by the geometry.
auto Correlate(KernelContext& kernel, const ConvGeometry& geometry, const Tensor& data, const Tensor& weight,
               Tensor& result) -> KernelStatus;

// The same for data between whose elements there are zeros, of which the geometry knows nothing: `spread` is the
// distance of the elements. The stride is 1. What the zeros would be multiplied by does not show in the result, not
// even if it is infinite. The elements of the result must be 0.
auto CorrelateSpread(KernelContext& kernel, const ConvGeometry& geometry, const Triple& spread, const Tensor& data,
                     const Tensor& weight, Tensor& result) -> KernelStatus;

}  // namespace relayopt
