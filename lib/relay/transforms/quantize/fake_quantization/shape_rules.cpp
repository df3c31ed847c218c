// Rules for operators that only move elements.
#include "lib/relay/transforms/expand_bias.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/ops/type_rules.h"
#include "rules.h"

namespace relayopt {

namespace {

using Result = std::optional<AffineResult>;

// The call on integers, for types that hold for the tensor as a whole: axes are not followed through the operator.
auto Keep(FakeQuantizedCall& call) -> Result {
  const AffineType* type = call.data();
  if (type == nullptr || call.args.size() != 1 || IsPerChannel(call.emit, *type)) return std::nullopt;
  return AffineResult{call.Same(), *type};
}

// The same for parameters that vary by channel: `axis_of(axis)` is the new position of an axis, or nothing.
template <typename AxisOf>
auto Move(FakeQuantizedCall& call, AxisOf&& axis_of) -> Result {
  const AffineType* type = call.data();
  const auto rank = call.rank();
  if (type == nullptr || call.args.size() != 1 || !rank) return std::nullopt;
  AffineType moved = *type;
  if (IsPerChannel(call.emit, *type)) {
    const auto axis = axis_of(NormalizedAxis(type->axis, *rank), *rank);
    if (!axis) return std::nullopt;
    moved.axis = *axis;
  }
  return AffineResult{call.Same(), std::move(moved)};
}

auto Transpose(FakeQuantizedCall& call) -> Result {
  const auto* attrs = call.attrs<TransposeAttrs>();
  if (attrs == nullptr) return std::nullopt;
  return Move(call, [&](int64_t axis, size_t rank) -> std::optional<int64_t> {
    if (attrs->axes.null || attrs->axes.empty()) return static_cast<int64_t>(rank) - 1 - axis;
    for (size_t i = 0; i < attrs->axes.size(); ++i) {
      if (attrs->axes[i].is_int() && NormalizedAxis(attrs->axes[i].value(), rank) == axis)
        return static_cast<int64_t>(i);
    }
    return std::nullopt;
  });
}

auto ExpandDims(FakeQuantizedCall& call) -> Result {
  const auto* attrs = call.attrs<ExpandDimsAttrs>();
  if (attrs == nullptr) return std::nullopt;
  return Move(call, [&](int64_t axis, size_t rank) -> std::optional<int64_t> {
    const int64_t inserted = attrs->axis < 0 ? attrs->axis + static_cast<int64_t>(rank) + 1 : attrs->axis;
    return inserted <= axis ? axis + attrs->num_newaxis : axis;
  });
}

// Operators over the spatial axes of a layout keep the channels where they are.
template <typename A>
auto Spatial(FakeQuantizedCall& call) -> Result {
  const auto* attrs = call.attrs<A>();
  if (attrs == nullptr) return std::nullopt;
  return Move(call, [&](int64_t axis, size_t) -> std::optional<int64_t> {
    const size_t channels = attrs->layout.find('C');
    if (static_cast<int64_t>(channels) != axis) return std::nullopt;
    return axis;
  });
}

// Operators with further operands that are not quantized.
auto KeepFirst(FakeQuantizedCall& call) -> Result {
  const AffineType* type = call.data();
  if (type == nullptr || IsPerChannel(call.emit, *type)) return std::nullopt;
  return AffineResult{call.Same(), *type};
}

auto TopK(FakeQuantizedCall& call) -> Result {
  const auto* attrs = call.attrs<TopkAttrs>();
  if (attrs == nullptr || attrs->ret_type != "values") return std::nullopt;
  return Keep(call);
}

auto Split(FakeQuantizedCall& call) -> Result {
  const AffineType* type = call.data();
  const TypeId result = call.from.type(call.id);
  if (type == nullptr || !result || IsPerChannel(call.emit, *type)) return std::nullopt;
  const size_t count = call.from.context().type(result).args.size();
  return AffineResult{call.Same(), AffineType{.fields = std::vector(count, *type)}};
}

auto Concatenate(FakeQuantizedCall& call) -> Result {
  const auto* attrs = call.attrs<ConcatenateAttrs>();
  if (attrs == nullptr || call.out == nullptr || !call.args[0].type) return std::nullopt;
  std::vector<ExprId> scales;
  std::vector<ExprId> zero_points;
  for (const AffineType& field : call.args[0].type->fields) {
    // The operator requantizes fields along no axis, and to their own element type.
    if (IsPerChannel(call.emit, field) || field.dtype != call.out->dtype) return std::nullopt;
    scales.push_back(field.scale);
    zero_points.push_back(field.zero_point);
  }
  if (scales.empty()) return std::nullopt;
  FunctionBuilder& to = call.emit.to();
  const ExprId joined = call.emit.CallWith(
      "qnn.concatenate"_op, *attrs,
      {call.args[0].expr, EmitTuple(to, scales), EmitTuple(to, zero_points), call.out->scale, call.out->zero_point});
  return AffineResult{joined, *call.out};
}

// Pads with the integer that represents the padding.
auto Pad(FakeQuantizedCall& call) -> Result {
  const auto* attrs = call.attrs<PadAttrs>();
  const AffineType* type = call.data();
  if (attrs == nullptr || type == nullptr || IsPerChannel(call.emit, *type)) return std::nullopt;
  const AffineOperand& value = call.args[1];
  ExprId padding = value.expr;
  if (!value.type) {
    padding = EmitQuantizeCall(call.emit, padding, *type, -1);
  } else if (!AreEqual(call.emit, *value.type, *type)) {
    padding = EmitRequantizeCall(call.emit, padding, *value.type, *type, type->dtype, value.type->axis);
  }
  return AffineResult{call.emit.CallWith("nn.pad"_op, *attrs, {call.args[0].expr, padding}), *type};
}

constexpr FakeQuantizationRuleOf kShapeRules[] = {
    {"broadcast_to"_op, {Keep, true}},
    {"concatenate"_op, {Concatenate}},
    {"expand_dims"_op, {ExpandDims, true}},
    {"image.resize2d"_op, {Spatial<Resize2DAttrs>}},
    {"max"_op, {Keep, true}},
    {"min"_op, {Keep, true}},
    {"nn.batch_flatten"_op, {Keep, true}},
    {"nn.depth_to_space"_op, {Keep, true}},
    {"nn.max_pool2d"_op, {Spatial<MaxPool2DAttrs>, true}},
    {"nn.pad"_op, {Pad, true}},
    {"reshape"_op, {Keep, true}},
    {"split"_op, {Split, true}},
    {"squeeze"_op, {Keep, true}},
    {"strided_slice"_op, {Keep, true}},
    {"take"_op, {KeepFirst}},
    {"topk"_op, {TopK}},
    {"transpose"_op, {Transpose, true}},
};

}  // namespace

auto ShapeFakeQuantizationRules() -> std::span<const FakeQuantizationRuleOf> { return kShapeRules; }

}  // namespace relayopt
