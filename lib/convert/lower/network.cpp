// Lowering of layers of networks: products, normalizations, activations.
#include "lib/relay/transforms/expand_bias.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/reduce.h"
#include "rules.h"

namespace relayopt {

namespace {

auto LowerBiasAdd(LowerCall& call, const BiasAddAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr) return {};
  const int64_t axis = NormalizedAxis(attrs.axis, type->rank());
  return call.Add(call.args[0], ExpandBias(call.to(), call.args[1], type->rank(), axis));
}

// Returns a product of a matrix (of any rank, for nn.dense) with the transpose of another.
auto LowerDense(LowerCall& call, const DenseAttrs& attrs) -> ExprId {
  const Type* weight = call.input(1);
  if (weight == nullptr || weight->rank() != 2) return {};
  const MatmulAttrs product{.out_dtype = attrs.out_dtype};
  return call.CallWith("nn.matmul"_op, product, {call.args[0], TransposeMatrix(call, call.args[1], 2)});
}

auto LowerMatmul(LowerCall& call, const MatmulAttrs& attrs) -> ExprId {
  const Type* a = call.input(0);
  const Type* b = call.input(1);
  if (a == nullptr || b == nullptr || a->rank() < 2 || b->rank() != 2) return {};
  if (!attrs.transpose_a && !attrs.transpose_b) return {};
  const ExprId left = attrs.transpose_a ? TransposeMatrix(call, call.args[0], a->rank()) : call.args[0];
  const ExprId right = attrs.transpose_b ? TransposeMatrix(call, call.args[1], 2) : call.args[1];
  return call.CallWith("nn.matmul"_op, MatmulAttrs{.out_dtype = attrs.out_dtype}, {left, right});
}

auto LowerBatchMatmul(LowerCall& call, const BatchMatmulAttrs& attrs) -> ExprId {
  if ((!attrs.transpose_a && !attrs.transpose_b)) return {};
  const ExprId left = attrs.transpose_a ? TransposeMatrix(call, call.args[0], 3) : call.args[0];
  const ExprId right = attrs.transpose_b ? TransposeMatrix(call, call.args[1], 3) : call.args[1];
  return call.CallWith("nn.batch_matmul"_op, BatchMatmulAttrs{.out_dtype = attrs.out_dtype}, {left, right});
}

// Inference keeps everything; the mask is of ones.
auto LowerDropout(LowerCall& call) -> ExprId {
  const ExprId fields[] = {call.args[0], call.Call("ones_like"_op, {call.args[0]})};
  return EmitTuple(call.to(), fields);
}

// Returns a constant vector as long as another.
auto Filled(LowerCall& call, size_t like, double value) -> ExprId {
  const Type* type = call.input(like);
  if (type == nullptr) return {};
  const auto shape = KnownExtents(type->shape);
  if (!shape) return {};
  const std::vector<int64_t> zeros(static_cast<size_t>(shape->empty() ? 1 : (*shape)[0]), static_cast<int64_t>(value));
  return call.Cast(call.Indices(zeros), type->dtype);
}

// Relax ignores `center` and `scale` of these: gamma is 1 and beta 0 where they are off.
template <typename A>
auto LowerNorm(LowerCall& call, const A& attrs) -> ExprId {
  if ((attrs.center && attrs.scale)) return {};
  A written = attrs;
  written.center = written.scale = true;
  const ExprId gamma = attrs.scale ? call.args[1] : Filled(call, 1, 1);
  const ExprId beta = attrs.center ? call.args[2] : Filled(call, 2, 0);
  if (!gamma.has_value() || !beta.has_value()) return {};
  return call.CallWith(call.op(), written, {call.args[0], gamma, beta});
}

// TVM 0.27 has no norms of doubles.
auto IsNormOfDoubles(LowerCall& call) -> bool {
  const Type* type = call.input(0);
  return type != nullptr && call.target == LowerTarget::kRelax && type->dtype == DataType::Float(64);
}

// gamma * (x - m) / sqrt(v + epsilon) + beta, m the mean along `axes` and v that of the squares; gamma and beta are
// along the axis of the channels.
template <typename A>
auto SpelledNorm(LowerCall& call, const A& attrs, DimList axes) -> ExprId {
  const Type* type = call.input(0);
  const int64_t channel = NormalizedAxis(attrs.axis, type->rank());
  const ReduceAttrs along{.axis = std::move(axes), .keepdims = true};
  const ExprId centered = call.Subtract(call.args[0], call.CallWith("mean"_op, along, {call.args[0]}));
  const ExprId variance = call.CallWith("mean"_op, along, {call.Multiply(centered, centered)});
  const ExprId shifted = call.Add(variance, call.Real(attrs.epsilon, type->dtype));
  ExprId made = call.Divide(centered, call.Call("sqrt"_op, {shifted}));
  if (attrs.scale) made = call.Multiply(made, ExpandBias(call.to(), call.args[1], type->rank(), channel));
  if (attrs.center) made = call.Add(made, ExpandBias(call.to(), call.args[2], type->rank(), channel));
  return made;
}

auto LowerLayerNorm(LowerCall& call, const LayerNormAttrs& attrs) -> ExprId {
  if (!IsNormOfDoubles(call)) return LowerNorm(call, attrs);
  return SpelledNorm(call, attrs, {NormalizedAxis(attrs.axis, call.input(0)->rank())});
}

auto LowerInstanceNorm(LowerCall& call, const InstanceNormAttrs& attrs) -> ExprId {
  if (!IsNormOfDoubles(call)) return LowerNorm(call, attrs);
  const size_t rank = call.input(0)->rank();
  DimList axes;
  for (size_t i = 1; i < rank; ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (axis != NormalizedAxis(attrs.axis, rank)) axes.values.emplace_back(axis);
  }
  // A mean along no axis would be one along all.
  return axes.empty() ? ExprId() : SpelledNorm(call, attrs, std::move(axes));
}

// x / (bias + alpha / size * s) ^ beta, s the sum of the squares of `size` neighbours along the axis.
auto LowerLrn(LowerCall& call, const LRNAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr) return {};
  const int64_t axis = NormalizedAxis(attrs.axis, type->rank());
  if (axis < 0 || axis >= static_cast<int64_t>(type->rank())) return {};
  const Dim extent = type->shape[static_cast<size_t>(axis)];
  if (!extent.is_int() || attrs.size < 1) return {};
  const int64_t half = attrs.size / 2;
  const ExprId squares = call.Multiply(call.args[0], call.args[0]);
  PadAttrs pad;
  for (size_t i = 0; i < type->rank(); ++i) {
    const int64_t width = static_cast<int64_t>(i) == axis ? half : 0;
    pad.pad_width.values.push_back({width, width});
  }
  const ExprId padded = call.CallWith("nn.pad"_op, pad, {squares, call.Real(0, type->dtype)});
  ExprId sum;
  for (int64_t i = 0; i < attrs.size; ++i) {
    const ExprId part = call.Slice(padded, axis, i, i + extent.value());
    sum = i == 0 ? part : call.Add(sum, part);
  }
  const double factor = attrs.alpha / static_cast<double>(attrs.size);
  const ExprId scaled = call.Multiply(sum, call.Real(factor, type->dtype));
  const ExprId shifted = call.Add(scaled, call.Real(attrs.bias, type->dtype));
  const ExprId power = call.Call("power"_op, {shifted, call.Real(attrs.beta, type->dtype)});
  return call.Divide(call.args[0], power);
}

// A convolution of packed data is one of plain data between conversions.
auto LowerPackedConv2d(LowerCall& call, const Conv2DAttrs& attrs) -> ExprId {
  const Type* result = call.result();
  if (result == nullptr) return {};
  const std::string out_layout = attrs.out_layout.empty() ? attrs.data_layout : attrs.out_layout;
  Conv2DAttrs plain = attrs;
  plain.data_layout = Unpacked(attrs.data_layout);
  plain.kernel_layout = Unpacked(attrs.kernel_layout);
  plain.out_layout = "";
  if (plain.data_layout == attrs.data_layout && plain.kernel_layout == attrs.kernel_layout &&
      out_layout == attrs.data_layout) {
    return {};
  }
  const ExprId data = ConvertLayout(call, call.args[0], attrs.data_layout, plain.data_layout);
  const ExprId weight = ConvertLayout(call, call.args[1], attrs.kernel_layout, plain.kernel_layout);
  if (!data.has_value() || !weight.has_value()) return {};
  const ExprId conv = call.CallWith("nn.conv2d"_op, plain, {data, weight});
  return ConvertLayout(call, conv, plain.data_layout, out_layout);
}

constexpr OpRule<LowerRule> kNetworkRules[] = {
    {"nn.conv2d"_op, WithAttrs<LowerPackedConv2d>},
    {"nn.contrib_conv2d_NCHWc"_op, WithAttrs<LowerPackedConv2d>},
    {"nn.contrib_depthwise_conv2d_NCHWc"_op, WithAttrs<LowerPackedConv2d>},
    {"nn.bias_add"_op, WithAttrs<LowerBiasAdd>},
    {"nn.dense"_op, WithAttrs<LowerDense>},
    {"nn.matmul"_op, WithAttrs<LowerMatmul>},
    {"nn.batch_matmul"_op, WithAttrs<LowerBatchMatmul>},
    {"nn.dropout"_op, LowerDropout},
    {"nn.fast_softmax"_op, "nn.softmax"_op},
    {"nn.layer_norm"_op, WithAttrs<LowerLayerNorm>},
    {"nn.group_norm"_op, WithAttrs<LowerNorm<GroupNormAttrs>>},
    {"nn.instance_norm"_op, WithAttrs<LowerInstanceNorm>},
    {"nn.lrn"_op, WithAttrs<LowerLrn>},
};

}  // namespace

auto LowerNetworkRules() -> std::span<const OpRule<LowerRule>> { return kNetworkRules; }

}  // namespace relayopt
