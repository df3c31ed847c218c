// Rules for operators that only move elements.
#include <algorithm>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/with_attrs.h"
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
  if (type == nullptr || call.args.size() != 1) return std::nullopt;
  if (IsPerChannel(call.emit, *type)) return call.Refuse(refusal::kChannels);
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
    if (!axis) return call.Refuse(refusal::kChannels);
    moved.axis = *axis;
  }
  return AffineResult{call.Same(), std::move(moved)};
}

auto Transpose(FakeQuantizedCall& call, const TransposeAttrs& attrs) -> Result {
  return Move(call, [&](int64_t axis, size_t rank) -> std::optional<int64_t> {
    if (attrs.axes.null || attrs.axes.empty()) return static_cast<int64_t>(rank) - 1 - axis;
    for (size_t i = 0; i < attrs.axes.size(); ++i) {
      if (attrs.axes[i].is_int() && NormalizedAxis(attrs.axes[i].value(), rank) == axis) return static_cast<int64_t>(i);
    }
    return std::nullopt;
  });
}

auto ExpandDims(FakeQuantizedCall& call, const ExpandDimsAttrs& attrs) -> Result {
  return Move(call, [&](int64_t axis, size_t rank) -> std::optional<int64_t> {
    const int64_t inserted = attrs.axis < 0 ? attrs.axis + static_cast<int64_t>(rank) + 1 : attrs.axis;
    return inserted <= axis ? axis + attrs.num_newaxis : axis;
  });
}

// Returns the axis of a reshaped tensor that has the elements of `axis`, with as many elements after each: an axis
// that stays as it is between others that are joined or split.
auto ReshapedAxis(std::span<const Dim> from, std::span<const Dim> to, int64_t axis) -> std::optional<int64_t> {
  const auto count_from = [](std::span<const Dim> shape, size_t first) -> std::optional<int64_t> {
    int64_t count = 1;
    for (size_t i = first; i < shape.size(); ++i) {
      if (!shape[i].is_int() || shape[i].value() <= 0) return std::nullopt;
      if (__builtin_mul_overflow(count, shape[i].value(), &count)) return std::nullopt;
    }
    return count;
  };
  const auto behind = count_from(from, static_cast<size_t>(axis) + 1);
  const Dim& extent = from[static_cast<size_t>(axis)];
  if (!behind || !extent.is_int()) return std::nullopt;
  for (size_t i = 0; i < to.size(); ++i) {
    if (count_from(to, i + 1) == behind && to[i] == extent) return static_cast<int64_t>(i);
  }
  return std::nullopt;
}

auto Reshape(FakeQuantizedCall& call) -> Result {
  const TypeId type = call.function().type(call.id());
  if (!type || !call.function().context().type(type).is_tensor()) return std::nullopt;
  const Type& data = call.function().context().type(call.function().type(call.function().operand(call.id(), 0)));
  const Type& result = call.function().context().type(type);
  return Move(call, [&](int64_t axis, size_t) { return ReshapedAxis(data.shape, result.shape, axis); });
}

// Operators over the spatial axes of a layout keep the channels where they are.
template <typename A>
auto Spatial(FakeQuantizedCall& call, const A& attrs) -> Result {
  return Move(call, [&](int64_t axis, size_t) -> std::optional<int64_t> {
    const size_t channels = attrs.layout.find('C');
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

auto TopK(FakeQuantizedCall& call, const TopkAttrs& attrs) -> Result {
  if (attrs.ret_type != "values") return std::nullopt;
  return Keep(call);
}

auto Split(FakeQuantizedCall& call) -> Result {
  const AffineType* type = call.data();
  const TypeId result = call.function().type(call.id());
  if (type == nullptr || !result || IsPerChannel(call.emit, *type)) return std::nullopt;
  const size_t count = call.function().context().type(result).args.size();
  return AffineResult{call.Same(), AffineType{.fields = std::vector(count, *type)}};
}

auto Concatenate(FakeQuantizedCall& call, const ConcatenateAttrs& attrs) -> Result {
  if (call.out == nullptr || !call.args[0].type) return std::nullopt;
  // Later operators may need what the result's type clips, but not what a type common to all fields clips.
  const auto& fields = call.args[0].type->fields;
  AffineType out = *call.out;
  const auto fits = [&](const AffineType& field) {
    const auto range = RangeOf(call.emit, field);
    return range && Represents(call.emit, out, *range);
  };
  if (!call.is_last && !std::ranges::all_of(fields, fits)) {
    const auto is_same = [&](const AffineType& field) { return AreEqual(call.emit, field, fields.front()); };
    if (!std::ranges::all_of(fields, is_same)) return call.Refuse(refusal::kSaturates);
    out = fields.front();
  }
  std::vector<ExprId> scales;
  std::vector<ExprId> zero_points;
  for (const AffineType& field : fields) {
    // The operator requantizes fields along no axis, and to their own element type.
    if (IsPerChannel(call.emit, field)) return call.Refuse(refusal::kChannels);
    if (field.dtype != out.dtype) return std::nullopt;
    scales.push_back(field.scale);
    zero_points.push_back(field.zero_point);
  }
  if (scales.empty()) return std::nullopt;
  FunctionBuilder& to = call.emit.to();
  const ExprId joined = call.emit.CallWith(
      "qnn.concatenate"_op, attrs,
      {call.args[0].expr, EmitTuple(to, scales), EmitTuple(to, zero_points), out.scale, out.zero_point});
  return AffineResult{joined, out};
}

// Pads with the integer that represents the padding.
auto Pad(FakeQuantizedCall& call, const PadAttrs& attrs) -> Result {
  const AffineType* type = call.data();
  if (type == nullptr) return std::nullopt;
  if (IsPerChannel(call.emit, *type)) return call.Refuse(refusal::kChannels);
  const AffineOperand& value = call.args[1];
  const auto range = RangeOf(call.emit, value);
  // A value that is clipped like the result anyway may be clipped here.
  const bool is_clipped_so = call.is_last && call.out != nullptr && AreClose(call.emit, *type, *call.out);
  if (!is_clipped_so && range && RangeOf(call.emit, *type) && !Represents(call.emit, *type, *range))
    return call.Refuse(refusal::kConstant);
  ExprId padding = value.expr;
  if (!value.type) {
    padding = EmitQuantizeCall(call.emit, padding, *type, -1);
  } else if (!AreEqual(call.emit, *value.type, *type)) {
    padding = EmitRequantizeCall(call.emit, padding, *value.type, *type, type->dtype, value.type->axis);
  }
  return AffineResult{call.emit.CallWith("nn.pad"_op, attrs, {call.args[0].expr, padding}), *type};
}

auto CommutesIfNearest(const Function& function, ExprId call) -> bool {
  const auto* attrs = function.context().As<Resize2DAttrs>(function.attrs(call));
  return attrs != nullptr && attrs->method == "nearest_neighbor";
}

constexpr FakeQuantizationRuleOf kShapeRules[] = {
    {"broadcast_to"_op, {Keep, true, false, AlwaysCommutes}},
    {"concatenate"_op, {WithAttrs<Concatenate>, false, false, AlwaysCommutes}},
    {"expand_dims"_op, {WithAttrs<ExpandDims>, true, false, AlwaysCommutes}},
    {"image.resize2d"_op, {WithAttrs<Spatial<Resize2DAttrs>>, false, false, CommutesIfNearest}},
    {"max"_op, {Keep, true, false, AlwaysCommutes}},
    {"min"_op, {Keep, true, false, AlwaysCommutes}},
    {"nn.batch_flatten"_op, {Keep, true, false, AlwaysCommutes}},
    {"nn.depth_to_space"_op, {Keep, true, false, AlwaysCommutes}},
    {"nn.max_pool2d"_op, {WithAttrs<Spatial<MaxPool2DAttrs>>, true, false, AlwaysCommutes}},
    {"nn.pad"_op, {WithAttrs<Pad>, true, false, AlwaysCommutes}},
    {"reshape"_op, {Reshape, true, false, AlwaysCommutes}},
    {"split"_op, {Split, true, false, AlwaysCommutes}},
    {"squeeze"_op, {Reshape, true, false, AlwaysCommutes}},
    {"strided_slice"_op, {Keep, true, false, AlwaysCommutes}},
    {"take"_op, {KeepFirst, false, false, AlwaysCommutes}},
    {"topk"_op, {WithAttrs<TopK>, false, false, AlwaysCommutes}},
    {"transpose"_op, {WithAttrs<Transpose>, true, false, AlwaysCommutes}},
};

}  // namespace

auto ShapeFakeQuantizationRules() -> std::span<const FakeQuantizationRuleOf> { return kShapeRules; }

}  // namespace relayopt
