// Kernels of element-wise operators, pooling and joining on quantized tensors.
#include <algorithm>
#include <cmath>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/rows.h"
#include "lib/relay/ops/nn_pool/pooling.h"
#include "quantized.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/qnn.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

namespace {

// a and b, both int32, broadcast and combined.
template <typename F>
auto Combined(KernelContext& kernel, const Tensor& a, const Tensor& b, F f) -> Tensor {
  Tensor result(DataType::Int(32), KernelContext::Extents(kernel.result_type()));
  MapBroadcast<int32_t, int32_t, int32_t>(a, b, result, f);
  return result;
}

struct BinaryOperands {
  size_t lhs_axis = 0;
  size_t rhs_axis = 0;
  QuantParams lhs;
  QuantParams rhs;
  QuantParams out;
};
auto BinaryOperandsOf(KernelContext& kernel) -> std::optional<BinaryOperands> {
  const auto* attrs = AttrsOf<BroadcastAttrs>(kernel);
  if (attrs == nullptr) return std::nullopt;
  const Tensor& lhs = kernel.input(0);
  const Tensor& rhs = kernel.input(1);
  BinaryOperands operands;
  operands.lhs_axis = ChannelAxis(attrs->lhs_axis, lhs.rank());
  operands.rhs_axis = ChannelAxis(attrs->rhs_axis, rhs.rank());
  const auto extent = [](const Tensor& tensor, size_t axis) { return tensor.rank() == 0 ? 1 : tensor.extent(axis); };
  const auto l = ParamsFrom(kernel, kernel.input(2), kernel.input(3), extent(lhs, operands.lhs_axis));
  const auto r =
      l ? ParamsFrom(kernel, kernel.input(4), kernel.input(5), extent(rhs, operands.rhs_axis)) : std::nullopt;
  const auto out = r ? ParamsFrom(kernel, kernel.input(6), kernel.input(7), 1) : std::nullopt;
  if (!out) return std::nullopt;
  operands.lhs = *l;
  operands.rhs = *r;
  operands.out = *out;
  return operands;
}

// Returns the sum or difference of both operands brought to the output's parameters.
template <typename F>
auto AddOrSubtract(KernelContext& kernel, F f) -> KernelStatus {
  const auto operands = BinaryOperandsOf(kernel);
  if (!operands) return kernel.Failed();
  const auto a = Requantized(kernel, kernel.input(0), operands->lhs, operands->out, operands->lhs_axis, {}, true);
  const auto b = a ? Requantized(kernel, kernel.input(1), operands->rhs, operands->out, operands->rhs_axis, {}, true)
                   : std::nullopt;
  if (!b) return kernel.Failed();
  const int32_t zero = operands->out.zero(0);
  const Tensor sum = Combined(kernel, *a, *b, [&](int32_t x, int32_t y) { return f(x, y, zero); });
  return ReturnIt(kernel, Saturated(kernel, sum, kernel.result_type().dtype));
}

// Returns a tensor minus its zero points, as int32.
auto Shifted(KernelContext& kernel, const Tensor& data, const QuantParams& params, size_t axis)
    -> std::optional<Tensor> {
  const auto wide = Converted(kernel, data, DataType::Int(32));
  if (!wide) return std::nullopt;
  const AxisView view = data.rank() == 0 ? AxisView{} : ViewAxis(data.shape(), axis);
  Tensor result(DataType::Int(32), ShapeOf(data));
  auto* to = result.mutable_data<int32_t>();
  for (int64_t i = 0; i < data.size(); ++i) {
    to[i] = WrapSubtract(wide->data<int32_t>()[i], params.zero(i / view.inner % view.extent));
  }
  return result;
}

// The scales and zero points among the five operands of most operators.
struct UnaryParams {
  QuantParams in;
  QuantParams out;
};
auto UnaryParamsOf(KernelContext& kernel) -> std::optional<UnaryParams> {
  const auto in = ParamsFrom(kernel, kernel.input(1), kernel.input(2), 1);
  const auto out = in ? ParamsFrom(kernel, kernel.input(3), kernel.input(4), 1) : std::nullopt;
  if (!out) return std::nullopt;
  return UnaryParams{*in, *out};
}

// Computes quantize(f(dequantize(x))).
template <typename F>
auto MapReal(KernelContext& kernel, F f) -> KernelStatus {
  const auto params = UnaryParamsOf(kernel);
  if (!params) return kernel.Failed();
  const auto shifted = Shifted(kernel, kernel.input(0), params->in, 0);
  if (!shifted) return kernel.Failed();
  const DataType dtype = kernel.input(0).dtype();
  bool undefined = false;
  Tensor wide(DataType::Int(64), ShapeOf(*shifted));
  Map<int32_t, int64_t>(*shifted, wide, [&](int32_t x) {
    const float real = f(static_cast<float>(x) * params->in.scale(0));
    return QuantizedNumber(real, params->out.scale(0), params->out.zero(0), dtype, undefined);
  });
  if (undefined) kernel.MarkUndefined("a NaN as an integer");
  return ReturnIt(kernel, Converted(kernel, wide, dtype));
}

// One row of the integer softmax; `one` is the input's number for 1.
void SoftmaxRow(const int32_t* row, int64_t count, int64_t one, int32_t* to) {
  int64_t greatest = INT32_MIN;
  for (int64_t i = 0; i < count; ++i) greatest = std::max<int64_t>(greatest, row[i]);
  std::vector<int64_t> halvings;
  std::vector<int64_t> rests;
  int64_t most = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t x = row[i] - greatest;
    // Approximately x / ln 2.
    const int64_t scaled = x + (x >> 1) - (x >> 4);
    halvings.push_back(std::clamp<int64_t>(scaled / -one, 0, 20));
    rests.push_back(((scaled + halvings.back() * one) >> 1) + one);
    most = std::max(most, halvings.back());
  }
  int64_t sum = 0;
  for (size_t i = 0; i < rests.size(); ++i) {
    rests[i] = static_cast<int32_t>(static_cast<uint32_t>(rests[i]) << (most - halvings[i]));
    sum = static_cast<int32_t>(static_cast<uint32_t>(sum + rests[i]));
  }
  const int64_t inverse = sum == 0 ? 0 : (int64_t{1} << 30) / sum;
  for (size_t i = 0; i < rests.size(); ++i) {
    to[i] = static_cast<int32_t>(static_cast<uint32_t>(inverse * rests[i])) >> 23;
  }
}

}  // namespace

auto QnnAddKernel(KernelContext& kernel) -> KernelStatus {
  return AddOrSubtract(kernel, [](int32_t a, int32_t b, int32_t zero) { return WrapSubtract(WrapAdd(a, b), zero); });
}
auto QnnSubtractKernel(KernelContext& kernel) -> KernelStatus {
  return AddOrSubtract(kernel, [](int32_t a, int32_t b, int32_t zero) { return WrapAdd(WrapSubtract(a, b), zero); });
}

auto QnnMulKernel(KernelContext& kernel) -> KernelStatus {
  const auto operands = BinaryOperandsOf(kernel);
  if (!operands) return kernel.Failed();
  const auto a = Shifted(kernel, kernel.input(0), operands->lhs, operands->lhs_axis);
  const auto b = a ? Shifted(kernel, kernel.input(1), operands->rhs, operands->rhs_axis) : std::nullopt;
  if (!b) return kernel.Failed();
  const Tensor product = Combined(kernel, *a, *b, [](int32_t x, int32_t y) { return WrapMultiply(x, y); });
  if (product.size() == 0) return kernel.Return(kernel.NewResult());
  QuantParams scaled;
  scaled.zeros = {0};
  scaled.scalar_scale = operands->lhs.scalar_scale && operands->rhs.scalar_scale;
  const size_t channels = std::max(operands->lhs.scales.size(), operands->rhs.scales.size());
  for (size_t i = 0; i < channels; ++i) {
    const auto channel = static_cast<int64_t>(i);
    scaled.scales.push_back(operands->lhs.scale(channel) * operands->rhs.scale(channel));
  }
  // The axis of the product that the channels lie along.
  const Tensor& owner = operands->lhs.scales.size() == channels ? kernel.input(0) : kernel.input(1);
  const size_t own_axis = operands->lhs.scales.size() == channels ? operands->lhs_axis : operands->rhs_axis;
  const size_t axis = channels > 1 ? product.rank() - owner.rank() + own_axis : 0;
  if (channels > 1 && product.extent(axis) != static_cast<int64_t>(channels)) {
    return kernel.Error("the scales do not match the product");
  }
  const auto wide = Requantized(kernel, product, scaled, operands->out, axis, {}, false);
  return ReturnIt(kernel, wide ? Saturated(kernel, *wide, kernel.result_type().dtype) : std::nullopt);
}

auto QnnAbsKernel(KernelContext& kernel) -> KernelStatus {
  return MapReal(kernel, [](float x) { return std::fabs(x); });
}
auto QnnErfKernel(KernelContext& kernel) -> KernelStatus {
  return MapReal(kernel, [](float x) { return std::erf(x); });
}
auto QnnExpKernel(KernelContext& kernel) -> KernelStatus {
  return MapReal(kernel, [](float x) { return std::exp(x); });
}
auto QnnHardswishKernel(KernelContext& kernel) -> KernelStatus {
  return MapReal(kernel, [](float x) { return x * std::clamp(x + 3.0F, 0.0F, 6.0F) / 6.0F; });
}
auto QnnLogKernel(KernelContext& kernel) -> KernelStatus {
  return MapReal(kernel, [](float x) { return std::log(x); });
}
auto QnnRsqrtKernel(KernelContext& kernel) -> KernelStatus {
  return MapReal(kernel, [](float x) { return 1.0F / std::sqrt(x); });
}
auto QnnSigmoidKernel(KernelContext& kernel) -> KernelStatus {
  return MapReal(kernel, [](float x) { return 1.0F / (1.0F + std::exp(-x)); });
}
auto QnnSqrtKernel(KernelContext& kernel) -> KernelStatus {
  return MapReal(kernel, [](float x) { return std::sqrt(x); });
}
auto QnnTanhKernel(KernelContext& kernel) -> KernelStatus {
  return MapReal(kernel, [](float x) { return std::tanh(x); });
}

auto QnnLeakyReluKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<LeakyReluAttrs>(kernel);
  const auto params = attrs == nullptr ? std::nullopt : UnaryParamsOf(kernel);
  if (!params) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto wide = Requantized(kernel, data, params->in, params->out, 0, {}, true);
  const auto numbers = wide ? Converted(kernel, data, DataType::Int(32)) : std::nullopt;
  if (!numbers) return kernel.Failed();
  const FixedPoint alpha = FixedPointOf(attrs->alpha);
  const int32_t constant = MultiplyUpward(params->out.zero(0), FixedPointOf(1 - attrs->alpha));
  const Tensor result = Combined(kernel, *numbers, *wide, [&](int32_t x, int32_t requantized) {
    return x < params->in.zero(0) ? WrapAdd(MultiplyUpward(requantized, alpha), constant) : requantized;
  });
  return ReturnIt(kernel, Saturated(kernel, result, data.dtype()));
}

auto QnnSoftmaxKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SoftmaxAttrs>(kernel);
  const auto params = attrs == nullptr ? std::nullopt : UnaryParamsOf(kernel);
  if (!params) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto axis = NormalizeAxis(attrs->axis, data.rank());
  const float scale = params->in.scale(0);
  if (!axis || !(scale > 0) || scale > 1) return kernel.Error("the axis or the scale is out of range");
  const auto shifted = Shifted(kernel, data, params->in, *axis);
  if (!shifted) return kernel.Failed();
  const auto one = static_cast<int64_t>(std::min(std::round(1.0F / scale), 2147483520.0F));
  const Rows rows(*shifted, {*axis});
  Tensor result(DataType::Int(32), ShapeOf(rows.data()));
  auto* to = result.mutable_data<int32_t>();
  for (int64_t i = 0; i < rows.count(); ++i) {
    SoftmaxRow(rows.row<int32_t>(i), rows.length(), one, to + i * rows.length());
  }
  const QuantParams own = {{1.0F / 128}, {0}, true};
  const auto wide = Requantized(kernel, rows.Restored(result), own, params->out, 0, {}, false);
  return ReturnIt(kernel, wide ? Saturated(kernel, *wide, data.dtype()) : std::nullopt);
}

auto QnnAvgPool2DKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<AvgPool2DAttrs>(kernel);
  const auto params = attrs == nullptr ? std::nullopt : UnaryParamsOf(kernel);
  if (!params) return kernel.Failed();
  const auto wide = Requantized(kernel, kernel.input(0), params->in, params->out, 0, {}, true);
  const auto pooled = wide ? AveragePooled2D(kernel, *wide, *attrs) : std::nullopt;
  return ReturnIt(kernel, pooled ? Saturated(kernel, *pooled, kernel.input(0).dtype()) : std::nullopt);
}

auto QnnConcatenateKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ConcatenateAttrs>(kernel);
  const auto out = attrs == nullptr ? std::nullopt : ParamsFrom(kernel, kernel.input(3), kernel.input(4), 1);
  if (!out) return kernel.Failed();
  Tensor result = kernel.NewResult();
  const auto axis = NormalizeAxis(attrs->axis, result.rank());
  const auto fields = kernel.tuple(0);
  if (!axis || kernel.tuple(1).size() != fields.size() || kernel.tuple(2).size() != fields.size()) {
    return kernel.Error("the parameters do not match the fields");
  }
  const AxisView view = ViewAxis(result.shape(), *axis);
  int64_t begin = 0;
  for (size_t k = 0; k < fields.size(); ++k) {
    const auto in = ParamsFrom(kernel, kernel.tuple(1)[k], kernel.tuple(2)[k], 1);
    if (!in) return kernel.Failed();
    const auto wide = Requantized(kernel, fields[k], *in, *out, 0, {}, true);
    const auto part = wide ? Saturated(kernel, *wide, result.dtype()) : std::nullopt;
    if (!part) return kernel.Failed();
    const int64_t run = part->extent(*axis) * view.inner;
    for (int64_t row = 0; row < view.outer && part->size() != 0; ++row) {
      CopyElements(*part, row * run, result, row * view.extent * view.inner + begin, run);
    }
    begin += run;
  }
  return kernel.Return(std::move(result));
}

auto FixedPointMultiplyPerAxisKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<FixedPointMultiplyPerAxisAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  if (data.dtype() != DataType::Int(32)) return kernel.Error("there is no kernel for {}", ToString(data.dtype()));
  const std::vector<int64_t> multipliers = Integers(kernel.input(1));
  const std::vector<int64_t> lefts = Integers(kernel.input(2));
  const std::vector<int64_t> rights = Integers(kernel.input(3));
  // The parameters are indexed by the coordinates on the axes, row-major.
  std::vector<int64_t> strides(data.rank(), 0);
  int64_t count = 1;
  const std::vector<int64_t> axes = Numbers(attrs->axes);
  for (size_t i = axes.size(); i-- > 0;) {
    const auto axis = NormalizeAxis(axes[i], data.rank());
    if (!axis) return kernel.Error("axis {} is out of range", axes[i]);
    strides[*axis] = count;
    count *= data.extent(*axis);
  }
  for (const auto* list : {&multipliers, &lefts, &rights}) {
    if (static_cast<int64_t>(list->size()) != count) return kernel.Error("the parameters do not match the axes");
  }
  for (const int64_t shift : lefts) {
    if (shift < 0 || shift > 31) return kernel.Error("a shift of {} is out of range", shift);
  }
  for (const int64_t shift : rights) {
    if (shift < 0 || shift > 31) return kernel.Error("a shift of {} is out of range", shift);
  }
  Tensor result = kernel.NewResult();
  auto* to = result.mutable_data<int32_t>();
  ForEachElement<1>(data.shape(), {strides}, {0}, [&](int64_t i, const std::array<int64_t, 1>& at) {
    const auto k = static_cast<size_t>(at[0]);
    const int64_t left = attrs->is_lshift_required ? lefts[k] : 0;
    const auto shifted = static_cast<int64_t>(static_cast<uint64_t>(int64_t{data.data<int32_t>()[i]}) << left);
    const int64_t product = WrapMultiply(shifted, multipliers[k]);
    to[i] = static_cast<int32_t>(WrapAdd(product, int64_t{1} << (30 + rights[k])) >> (31 + rights[k]));
  });
  return kernel.Return(std::move(result));
}

}  // namespace relayopt
