// Rules for convolutions and matrix products of integers, which accumulate in int32, and for their biases.
#include <algorithm>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "rules.h"

namespace relayopt {

namespace {

using Result = std::optional<AffineResult>;

// Data and weight with types that the qnn operators take: channels may differ along one axis of the weight only.
struct Factors {
  const AffineType& data;
  const AffineType& weight;
};
auto FactorsOf(FakeQuantizedCall& call, std::optional<int64_t> weight_axis) -> std::optional<Factors> {
  if (!call.args[0].type || !call.args[1].type) return call.Refuse(refusal::kOperand);
  const Factors factors = {*call.args[0].type, *call.args[1].type};
  if (IsPerChannel(call.emit, factors.data)) return call.Refuse(refusal::kChannels);
  if (IsPerChannel(call.emit, factors.weight)) {
    const auto rank = call.rank(1);
    if (!rank || !weight_axis || NormalizedAxis(factors.weight.axis, *rank) != *weight_axis)
      return call.Refuse(refusal::kChannels);
  }
  return factors;
}

// Emits a qnn operator on the integers; the result is the type of its accumulators.
template <typename A>
auto Product(FakeQuantizedCall& call, const OpDef* op, const A& attrs, const Factors& factors, int64_t axis) -> Result {
  const ExprId scale = EmitScaleProduct(call.emit, factors.data.scale, factors.weight.scale);
  if (!scale) return std::nullopt;
  const ExprId product = call.emit.CallWith(op, attrs,
                                            {call.args[0].expr, call.args[1].expr, factors.data.zero_point,
                                             factors.weight.zero_point, factors.data.scale, factors.weight.scale});
  return AffineResult{product, {scale, EmitZeroPoints(call.emit, scale), attrs.out_dtype, axis}};
}

template <typename A>
auto Convolution(FakeQuantizedCall& call, const A& attrs) -> Result {
  const auto factors = FactorsOf(call, static_cast<int64_t>(attrs.kernel_layout.find('O')));
  if (!factors) return std::nullopt;
  A integer = attrs;
  integer.out_dtype = kInt32;
  // As TVM: symmetric padding is written out.
  if (integer.padding.size() == 1) integer.padding = {integer.padding[0], integer.padding[0]};
  if (integer.padding.size() == 2) {
    integer.padding = {integer.padding[0], integer.padding[1], integer.padding[0], integer.padding[1]};
  }
  const std::string& layout = attrs.out_layout.empty() ? attrs.data_layout : attrs.out_layout;
  const OpDef* op = std::is_same_v<A, Conv2DAttrs> ? "qnn.conv2d"_op : "qnn.conv2d_transpose"_op;
  return Product(call, op, integer, *factors, static_cast<int64_t>(layout.find('C')));
}

auto Dense(FakeQuantizedCall& call, const DenseAttrs& attrs) -> Result {
  const auto factors = FactorsOf(call, 0);
  if (!factors) return std::nullopt;
  return Product(call, "qnn.dense"_op, DenseAttrs{.units = attrs.units, .out_dtype = kInt32}, *factors, 1);
}

auto BatchMatmul(FakeQuantizedCall& call, const BatchMatmulAttrs& attrs) -> Result {
  const auto factors = FactorsOf(call, std::nullopt);
  // Lowering supports only this form.
  if (!factors || attrs.transpose_a || !attrs.transpose_b) return std::nullopt;
  const BatchMatmulAttrs integer{.out_dtype = kInt32, .transpose_b = true};
  return Product(call, "qnn.batch_matmul"_op, integer, *factors, factors->data.axis);
}

// Data that are not accumulators as int32 numbers with zero point 0: a bias has no zero point of the data's, and sums
// overflow narrow integers.
auto Widened(FakeQuantizedCall& call, const AffineType& type) -> AffineOperand {
  ExprId wide = call.emit.Cast(call.args[0].expr, kInt32);
  const auto zero_points = call.emit.Values(type.zero_point);
  const auto is_zero = [](double zero_point) { return zero_point == 0; };
  if (!zero_points || !std::ranges::all_of(*zero_points, is_zero)) {
    wide = call.emit.Subtract(
        wide, call.emit.AlongAxis(type.zero_point, *call.rank(), NormalizedAxis(type.axis, *call.rank())));
  }
  return {wide, AffineType{type.scale, EmitZeroPoints(call.emit, type.scale), kInt32, type.axis}};
}

// Whether a bias that is rounded to steps of this type errs by less than a step of the region's result.
auto IsFineEnough(FakeQuantizedCall& call, const AffineType& type) -> bool {
  if (call.out == nullptr || (call.args[1].type && AreClose(call.emit, call.args[1].type->scale, type.scale)))
    return true;
  const auto steps = call.emit.Values(type.scale);
  const auto results = call.emit.Values(call.out->scale);
  if (!steps || !results || steps->empty() || results->empty()) return true;
  return std::ranges::max(*steps) / 2 <= std::ranges::min(*results);
}

// Adds a bias that has been converted to the scale of the other operand.
auto BiasAdd(FakeQuantizedCall& call) -> Result {
  if (call.data() == nullptr || !call.rank()) return std::nullopt;
  const AffineOperand data = call.data()->dtype == kInt32 ? call.args[0] : Widened(call, *call.data());
  const AffineType* type = &*data.type;
  const AffineOperand& bias = call.args[1];
  if (call.data()->dtype != kInt32 && !IsFineEnough(call, *type)) return call.Refuse(refusal::kConstant);
  ExprId quantized = bias.expr;
  if (!bias.type) {
    if (call.emit.constant(bias.expr) == nullptr) return call.Refuse(refusal::kOperand);
    const auto range = RangeOf(call.emit, bias);
    if (range && RangeOf(call.emit, *type) && !Represents(call.emit, *type, *range))
      return call.Refuse(refusal::kConstant);
    quantized = EmitQuantizeCall(call.emit, bias.expr, *type, 0);
  } else if (!AreClose(call.emit, *type, *bias.type)) {
    quantized = EmitRequantizeCall(call.emit, bias.expr, *bias.type, *type, type->dtype, 0);
  }
  return AffineResult{EmitCall(call.emit.to(), call.op(), {data.expr, quantized}, call.function().attrs(call.id())),
                      *type};
}

constexpr FakeQuantizationRuleOf kProductRules[] = {
    {"nn.batch_matmul"_op, {WithAttrs<BatchMatmul>, true}},
    {"nn.bias_add"_op, {BiasAdd, true}},
    {"nn.conv2d"_op, {WithAttrs<Convolution<Conv2DAttrs>>, true}},
    {"nn.conv2d_transpose"_op, {WithAttrs<Convolution<Conv2DTransposeAttrs>>, true}},
    {"nn.dense"_op, {WithAttrs<Dense>, true}},
};

}  // namespace

auto ProductFakeQuantizationRules() -> std::span<const FakeQuantizationRuleOf> { return kProductRules; }

}  // namespace relayopt
