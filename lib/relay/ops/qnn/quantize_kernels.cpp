// Arithmetic on quantized tensors, and kernels that convert between real and quantized numbers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "quantized.h"
#include "relayopt/relay/ops/qnn.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

namespace {

struct Range {
  int64_t low;
  int64_t high;
};
auto RangeOf(DataType dtype) -> Range {
  if (dtype.is_uint())
    return {0, dtype.bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << dtype.bits) - 1};
  if (dtype.bits >= 64) return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  return {-(int64_t{1} << (dtype.bits - 1)), (int64_t{1} << (dtype.bits - 1)) - 1};
}

// x times the factor, halves rounded away from zero; on integers only.
auto MultiplyToNearest(int32_t x, FixedPoint factor) -> int32_t {
  const int left = std::max(factor.shift, 0);
  const int right = std::max(-factor.shift, 0) + 31;
  if (left > 62 || right > 62) return 0;
  const int64_t shifted = static_cast<int64_t>(static_cast<uint64_t>(int64_t{x}) << left);
  const int64_t product = WrapMultiply(shifted, factor.multiplier);
  const int64_t half = (int64_t{1} << (right - 1)) - (x >= 0 ? 0 : 1);
  return static_cast<int32_t>(WrapAdd(product, half) >> right);
}

template <typename F>
auto RequantizeReal(int32_t x, F factor, int32_t zero, bool to_nearest, bool& undefined) -> int32_t {
  const F real = factor * static_cast<F>(x) + static_cast<F>(zero);
  return CastElement<int32_t>(to_nearest ? std::round(real) : std::floor(real + F{0.5}), undefined);
}

}  // namespace

auto ChannelAxis(int64_t axis, size_t rank) -> size_t {
  if (rank == 0) return 0;
  return NormalizeAxis(axis, rank).value_or(rank - 1);
}

auto ParamsFrom(KernelContext& kernel, const Tensor& scale, const Tensor& zero, int64_t channels)
    -> std::optional<QuantParams> {
  const auto scales = Converted(kernel, scale, DataType::Float(32));
  const auto zeros = Converted(kernel, zero, DataType::Int(32));
  if (!scales || !zeros) return std::nullopt;
  if ((scale.size() != 1 && scale.size() != channels) || (zero.size() != 1 && zero.size() != channels)) {
    kernel.Error("scale or zero point do not have one element per channel");
    return std::nullopt;
  }
  const auto s = scales->elements<float>();
  const auto z = zeros->elements<int32_t>();
  return QuantParams{{s.begin(), s.end()}, {z.begin(), z.end()}, scale.rank() == 0};
}

auto FixedPointOf(double factor) -> FixedPoint {
  if (!std::isfinite(factor) || factor == 0) return {};
  int shift = 0;
  auto multiplier =
      static_cast<int64_t>(std::round(std::frexp(factor, &shift) * static_cast<double>(int64_t{1} << 31)));
  if (multiplier == int64_t{1} << 31) {
    multiplier /= 2;
    ++shift;
  }
  return {multiplier, shift};
}

auto MultiplyUpward(int32_t x, FixedPoint factor) -> int32_t {
  const int left = std::max(factor.shift, 0);
  const int right = std::max(-factor.shift, 0) + 31;
  // Larger shifts leave 0.
  if (left > 62 || right > 62) return 0;
  const int64_t shifted = static_cast<int64_t>(static_cast<uint64_t>(int64_t{x}) << left);
  const int64_t product = WrapMultiply(shifted, factor.multiplier);
  return static_cast<int32_t>(WrapAdd(product, int64_t{1} << (right - 1)) >> right);
}

auto Requantized(KernelContext& kernel, const Tensor& data, const QuantParams& in, const QuantParams& out, size_t axis,
                 const Requantization& how, bool cast_if_same) -> std::optional<Tensor> {
  std::optional<Tensor> wide = Converted(kernel, data, DataType::Int(32));
  if (!wide) return std::nullopt;
  if (cast_if_same && in == out) return wide;
  if (out.scale(0) == 0) {
    kernel.Error("the output scale is 0");
    return std::nullopt;
  }
  const bool to_nearest = how.rounding == "TONEAREST";
  const bool same_scale = in.scalar_scale && in.scale(0) == out.scale(0);
  const AxisView view = data.rank() == 0 ? AxisView{} : ViewAxis(data.shape(), axis);
  std::vector<double> factors;
  std::vector<FixedPoint> fixed;
  for (const float scale : in.scales) {
    factors.push_back(static_cast<double>(scale) / static_cast<double>(out.scale(0)));
    fixed.push_back(FixedPointOf(factors.back()));
  }
  const int32_t zero = out.zero(0);
  bool undefined = false;
  Tensor result(DataType::Int(32), ShapeOf(data));
  auto* to = result.mutable_data<int32_t>();
  for (int64_t i = 0; i < data.size(); ++i) {
    const int64_t channel = i / view.inner % view.extent;
    const size_t at = factors.size() == 1 ? 0 : static_cast<size_t>(channel);
    const int32_t x = WrapSubtract(wide->data<int32_t>()[i], in.zero(channel));
    if (how.compute_dtype == "float32") {
      const float factor = same_scale ? 1.0F : static_cast<float>(factors[at]);
      to[i] = RequantizeReal(x, factor, zero, to_nearest, undefined);
    } else if (how.compute_dtype == "float64") {
      to[i] = RequantizeReal(x, same_scale ? 1.0 : factors[at], zero, to_nearest, undefined);
    } else {
      int32_t scaled = x;
      if (!same_scale) scaled = to_nearest ? MultiplyToNearest(x, fixed[at]) : MultiplyUpward(x, fixed[at]);
      to[i] = WrapAdd(zero, scaled);
    }
  }
  if (undefined) kernel.MarkUndefined("a float out of the range of the integer type");
  return result;
}

auto Saturated(KernelContext& kernel, const Tensor& data, DataType dtype) -> std::optional<Tensor> {
  const Range range = RangeOf(dtype);
  Tensor limited(DataType::Int(32), ShapeOf(data));
  Map<int32_t, int32_t>(data, limited, [&](int32_t x) {
    return static_cast<int32_t>(
        std::clamp<int64_t>(x, std::max<int64_t>(range.low, INT32_MIN), std::min<int64_t>(range.high, INT32_MAX)));
  });
  return Converted(kernel, limited, dtype);
}

auto QuantizedNumber(float x, float scale, int32_t zero, DataType dtype, bool& undefined) -> int64_t {
  const Range range = RangeOf(dtype);
  const float real = std::round(x / scale) + static_cast<float>(zero);
  undefined |= std::isnan(real);
  // Limits of 32 bits are rounded to float: a number there is the nearest of the type.
  if (!(real < static_cast<float>(range.high))) return range.high;
  if (real <= static_cast<float>(range.low)) return range.low;
  return static_cast<int64_t>(real);
}

auto QnnQuantizeKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<QuantizeAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const size_t axis = ChannelAxis(attrs->axis, data.rank());
  const AxisView view = data.rank() == 0 ? AxisView{} : ViewAxis(data.shape(), axis);
  const auto params = ParamsFrom(kernel, kernel.input(1), kernel.input(2), view.extent);
  const auto real = params ? Converted(kernel, data, DataType::Float(32)) : std::nullopt;
  if (!real) return kernel.Failed();
  const DataType dtype = kernel.result_type().dtype;
  Tensor wide(DataType::Int(64), ShapeOf(data));
  auto* to = wide.mutable_data<int64_t>();
  bool undefined = false;
  for (int64_t i = 0; i < data.size(); ++i) {
    const int64_t channel = i / view.inner % view.extent;
    to[i] = QuantizedNumber(real->data<float>()[i], params->scale(channel), params->zero(channel), dtype, undefined);
  }
  if (undefined) kernel.MarkUndefined("a NaN as an integer");
  auto result = Converted(kernel, wide, dtype);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

auto QnnDequantizeKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<DequantizeAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const size_t axis = ChannelAxis(attrs->axis, data.rank());
  const AxisView view = data.rank() == 0 ? AxisView{} : ViewAxis(data.shape(), axis);
  const auto params = ParamsFrom(kernel, kernel.input(1), kernel.input(2), view.extent);
  const auto wide = params ? Converted(kernel, data, DataType::Int(32)) : std::nullopt;
  if (!wide) return kernel.Failed();
  const DataType dtype = kernel.result_type().dtype;
  const float limit = dtype == DataType::Float(16) ? 65504.0F : std::numeric_limits<float>::infinity();
  Tensor real(DataType::Float(32), ShapeOf(data));
  auto* to = real.mutable_data<float>();
  const auto* from = wide->data<int32_t>();
  int64_t channel = 0;
  for (int64_t i = 0; i < data.size(); channel = channel + 1 == view.extent ? 0 : channel + 1) {
    const int32_t zero = params->zero(channel);
    const float scale = params->scale(channel);
    for (const int64_t end = i + view.inner; i < end; ++i) {
      to[i] = std::clamp(static_cast<float>(WrapSubtract(from[i], zero)) * scale, -limit, limit);
    }
  }
  auto result = Converted(kernel, real, dtype);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

auto QnnRequantizeKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<RequantizeAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const size_t axis = ChannelAxis(attrs->axis, data.rank());
  const auto in = ParamsFrom(kernel, kernel.input(1), kernel.input(2), data.rank() == 0 ? 1 : data.extent(axis));
  const auto out = in ? ParamsFrom(kernel, kernel.input(3), kernel.input(4), 1) : std::nullopt;
  if (!out) return kernel.Failed();
  Requantization how;
  if (attrs->rounding != "None") how.rounding = attrs->rounding;
  if (attrs->compute_dtype != "None") how.compute_dtype = attrs->compute_dtype;
  const auto wide = Requantized(kernel, data, *in, *out, axis, how, false);
  auto result = wide ? Saturated(kernel, *wide, kernel.result_type().dtype) : std::nullopt;
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

}  // namespace relayopt
