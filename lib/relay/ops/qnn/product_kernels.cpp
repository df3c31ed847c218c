// Kernels of convolutions and matrix products of quantized tensors. They multiply the numbers after subtracting the
// zero points; padding stands for the zero point of the data, and so becomes 0.
#include <cmath>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/products.h"
#include "lib/relay/ops/layout_transform/layouts.h"
#include "lib/relay/ops/nn_conv/convolve.h"
#include "quantized.h"
#include "relayopt/relay/ops/annotation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/qnn.h"

namespace relayopt {

namespace {

// The tensor as elements of the result's type, minus its zero point: one number, or one per position along `axis`.
auto WithoutZero(KernelContext& kernel, const Tensor& data, const Tensor& zero, size_t axis) -> std::optional<Tensor> {
  const DataType dtype = kernel.result_type().dtype;
  const auto wide = Converted(kernel, data, dtype);
  const auto zeros = wide ? Converted(kernel, zero, dtype) : std::nullopt;
  if (!zeros) return std::nullopt;
  const AxisView view = ViewAxis(data.shape(), axis);
  if (zeros->size() != 1 && zeros->size() != view.extent) {
    kernel.Error("the zero point does not have one element per channel");
    return std::nullopt;
  }
  Tensor result(dtype, ShapeOf(data));
  const KernelStatus status = VisitInts(kernel, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < data.size(); ++i) {
      const int64_t channel = zeros->size() == 1 ? 0 : i / view.inner % view.extent;
      to[i] = Minus(wide->template data<T>()[i], zeros->template data<T>()[channel]);
    }
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return std::nullopt;
  return result;
}

struct Factors {
  Tensor data;
  Tensor weight;
};
// Data and weight without their zero points, which are operands 2 and 3.
auto FactorsOf(KernelContext& kernel, const Tensor& weight, size_t weight_axis) -> std::optional<Factors> {
  if (weight_axis >= weight.rank() || kernel.input(0).rank() == 0) {
    kernel.Error("the weight has too few axes");
    return std::nullopt;
  }
  auto data = WithoutZero(kernel, kernel.input(0), kernel.input(2), 0);
  if (!data) return std::nullopt;
  auto less_zero = WithoutZero(kernel, weight, kernel.input(3), weight_axis);
  if (!less_zero) return std::nullopt;
  return Factors{std::move(*data), std::move(*less_zero)};
}

// Returns the axis of the weight along which its zero points vary: the output channels, which for a depthwise weight
// may be those of the input.
auto WeightAxis(const KernelContext& kernel, std::string_view layout) -> size_t {
  const auto axis = layout.find('O');
  const auto other = layout.find('I');
  const int64_t zeros = kernel.input(3).size();
  const auto fits = [&](size_t position) {
    return position < kernel.input(1).rank() && kernel.input(1).extent(position) == zeros;
  };
  return zeros == 1 || fits(axis) || !fits(other) ? axis : other;
}

}  // namespace

auto QnnConv2DKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<Conv2DAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto factors = FactorsOf(kernel, kernel.input(1), WeightAxis(kernel, attrs->kernel_layout));
  if (!factors) return kernel.Failed();
  return ReturnIt(kernel, Convolved(kernel, SpecOf(*attrs, 2), factors->data, factors->weight));
}

auto QnnConv2DTransposeKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<Conv2DTransposeAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto factors = FactorsOf(kernel, kernel.input(1), WeightAxis(kernel, attrs->kernel_layout));
  if (!factors) return kernel.Failed();
  return ReturnIt(kernel, ConvolvedTransposed(kernel, SpecOf(*attrs, 2), factors->data, factors->weight));
}

auto QnnDenseKernel(KernelContext& kernel) -> KernelStatus {
  const auto factors = FactorsOf(kernel, kernel.input(1), 0);
  if (!factors) return kernel.Failed();
  return ReturnIt(kernel, Product2D(kernel, factors->data, factors->weight, false, true));
}

auto QnnDensePackKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<DensePackAttrs>(kernel);
  const auto weight = attrs == nullptr ? std::nullopt : Relaid(kernel, kernel.input(1), attrs->weight_layout, "NC");
  const auto factors = weight ? FactorsOf(kernel, *weight, 0) : std::nullopt;
  if (!factors) return kernel.Failed();
  return ReturnIt(kernel, Product2D(kernel, factors->data, factors->weight, false, true));
}

auto QnnBatchMatmulKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<BatchMatmulAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto factors = FactorsOf(kernel, kernel.input(1), 0);
  if (!factors) return kernel.Failed();
  return ReturnIt(kernel, BatchProduct(kernel, factors->data, factors->weight, attrs->transpose_a, attrs->transpose_b));
}

namespace {

// f(x, scale, zero point) on the elements of a float tensor; scale and zero point are looked up modulo their number
// along `given_axis`.
template <typename F>
auto Simulated(KernelContext& kernel, int64_t given_axis, F f) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  const AxisView view = data.rank() == 0 ? AxisView{} : ViewAxis(data.shape(), ChannelAxis(given_axis, data.rank()));
  const auto scale = Converted(kernel, kernel.input(2), data.dtype());
  const auto zero = scale ? Converted(kernel, kernel.input(3), data.dtype()) : std::nullopt;
  if (!zero || scale->size() == 0 || zero->size() == 0) return kernel.Error("there is no scale or no zero point");
  Tensor result = kernel.NewResult();
  const KernelStatus status = VisitFloats(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < data.size(); ++i) {
      const int64_t channel = i / view.inner % view.extent;
      to[i] = f(data.data<T>()[i], scale->template data<T>()[channel % scale->size()],
                zero->template data<T>()[channel % zero->size()]);
    }
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

// Returns the code of the element type: 0 none, 1 int8, 2 uint8, 3 int32; returns nothing, with an error, for other
// types.
auto TypeCodeOf(KernelContext& kernel) -> std::optional<int64_t> {
  const std::vector<int64_t> code = Integers(kernel.input(1));
  if (code.size() == 1 && code[0] >= 0 && code[0] <= 3) return code[0];
  kernel.Error("the element type has no number");
  return std::nullopt;
}

}  // namespace

auto QnnSimulatedQuantizeKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SimulatedQuantizeAttrs>(kernel);
  const auto code = attrs == nullptr ? std::nullopt : TypeCodeOf(kernel);
  if (!code) return kernel.Failed();
  if (*code == 0) return kernel.Return(kernel.input(0));
  const double low = *code == 1 ? -128 : *code == 2 ? 0 : -2147483648.0;
  const double high = *code == 1 ? 127 : *code == 2 ? 255 : 2147483647.0;
  return Simulated(kernel, attrs->axis, [&](auto x, auto scale, auto zero) {
    using T = decltype(x);
    using C = Compute<T>;
    const T divided = T(static_cast<C>(x) / static_cast<C>(scale));
    const auto real = static_cast<C>(Plus(T(std::round(static_cast<C>(divided))), zero));
    const C below = real < static_cast<C>(As<T>(high)) ? real : static_cast<C>(As<T>(high));
    return below > static_cast<C>(As<T>(low)) ? T(below) : As<T>(low);
  });
}

auto QnnSimulatedDequantizeKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<DequantizeAttrs>(kernel);
  const auto code = attrs == nullptr ? std::nullopt : TypeCodeOf(kernel);
  if (!code) return kernel.Failed();
  if (*code == 0) return kernel.Return(kernel.input(0));
  return Simulated(kernel, attrs->axis, [](auto x, auto scale, auto zero) { return Times(Minus(x, zero), scale); });
}

auto SimulatedQuantizeKernel(KernelContext& kernel) -> KernelStatus {
  const auto& attrs = kernel.attrs<QuantizationAttrs>();
  const Tensor& data = kernel.input(0);
  if (attrs.kind == static_cast<int64_t>(QuantizedKind::kIdentity)) return kernel.Return(data);
  if (!attrs.sign || attrs.rounding != "round") {
    return kernel.Error("there is a kernel for signed integers, rounded to the nearest, only");
  }
  const auto scale = *kernel.input(1).data<float>();
  const auto low = *kernel.input(2).data<float>();
  const auto high = *kernel.input(3).data<float>();
  Tensor result = kernel.NewResult();
  const KernelStatus status = VisitFloats(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    Map<T, T>(data, result, [&](T x) {
      const C scaled = static_cast<C>(x) / static_cast<C>(scale);
      const C below = scaled < static_cast<C>(high) ? scaled : static_cast<C>(high);
      return std::round(below > static_cast<C>(low) ? below : static_cast<C>(low)) * static_cast<C>(scale);
    });
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

}  // namespace relayopt
