// Arithmetic on quantized tensors.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// Scale and zero point of a tensor: one for all elements, or one per position along an axis.
struct QuantParams {
  std::vector<float> scales;
  std::vector<int32_t> zeros;
  // The scale is a tensor of rank 0.
  bool scalar_scale = true;

  auto scale(int64_t channel) const -> float {
    return scales.size() == 1 ? scales[0] : scales[static_cast<size_t>(channel)];
  }
  auto zero(int64_t channel) const -> int32_t {
    return zeros.size() == 1 ? zeros[0] : zeros[static_cast<size_t>(channel)];
  }
  friend auto operator==(const QuantParams&, const QuantParams&) -> bool = default;
};

// Returns the parameters in a scale and a zero point; each has one element or `channels`. Reports an error if not.
auto ParamsFrom(KernelContext& kernel, const Tensor& scale, const Tensor& zero, int64_t channels)
    -> std::optional<QuantParams>;

// A positive factor as multiplier * 2^(shift - 31), the multiplier rounded to 31 bits.
struct FixedPoint {
  int64_t multiplier = 0;
  int shift = 0;
};
auto FixedPointOf(double factor) -> FixedPoint;
// x times the factor, halves rounded up; on integers only.
auto MultiplyUpward(int32_t x, FixedPoint factor) -> int32_t;

// How the quantization parameters of a tensor are changed.
struct Requantization {
  std::string_view rounding = "UPWARD";
  std::string_view compute_dtype = "int64";
};
// Returns the numbers of `data`, whose parameters vary along `axis`, requantized to the output parameters, as int32
// without saturation to a type's range. With `cast_if_same`, equal parameters leave the numbers alone.
auto Requantized(KernelContext& kernel, const Tensor& data, const QuantParams& in, const QuantParams& out, size_t axis,
                 const Requantization& how, bool cast_if_same) -> std::optional<Tensor>;

// Returns an int32 tensor saturated to the range of an integer type and converted to it.
auto Saturated(KernelContext& kernel, const Tensor& data, DataType dtype) -> std::optional<Tensor>;

// A real number quantized to an integer type with these parameters, in an int32; `undefined` is set for NaN.
auto QuantizedNumber(float x, float scale, int32_t zero, DataType dtype, bool& undefined) -> int64_t;

// Returns the axis that an attribute of a quantized operator names for a tensor of `rank` axes.
auto ChannelAxis(int64_t axis, size_t rank) -> size_t;

}  // namespace relayopt
