// Lowering of quantize, dequantize, requantize, concatenate and pooling.
#include "lowering.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/qnn.h"

namespace relayopt {

namespace {

auto AxisOf(const Type* type, int64_t axis) -> int64_t {
  return type == nullptr || type->rank() == 0 ? 0 : NormalizedAxis(axis, type->rank());
}

auto RankOf(const Type* type) -> size_t { return type == nullptr ? 0 : type->rank(); }

auto LowerQuantize(QnnCall& call, const QuantizeAttrs& attrs) -> ExprId {
  if (call.input(0) == nullptr) return {};
  return EmitQuantize(call.emit, call.args[0], {call.args[1], call.args[2]}, attrs.axis, attrs.out_dtype);
}

auto LowerDequantize(QnnCall& call, const DequantizeAttrs& attrs) -> ExprId {
  if (call.input(0) == nullptr) return {};
  const ExprId real = EmitDequantize(call.emit, call.args[0], {call.args[1], call.args[2]}, attrs.axis);
  if (attrs.out_dtype == DataType::Float(32)) return real;
  const double largest = LargestFinite(DataType::Float(16));
  return call.emit.Cast(call.emit.Clip(real, -largest, largest), attrs.out_dtype);
}

auto LowerRequantize(QnnCall& call, const RequantizeAttrs& attrs) -> ExprId {
  RequantizeMode mode = call.mode;
  if (attrs.rounding != "None") {
    const auto rounding = ParseRounding(attrs.rounding);
    if (!rounding) return {};
    mode.rounding = *rounding;
  }
  if (attrs.compute_dtype != "None") {
    const auto dtype = ParseComputeType(attrs.compute_dtype);
    if (!dtype) return {};
    mode.compute_dtype = *dtype;
  }
  return EmitRequantize(call.emit, call.args[0], {call.args[1], call.args[2]}, {call.args[3], call.args[4]}, attrs.axis,
                        attrs.out_dtype, mode);
}

// Returns the fields of a tuple: of the tuple itself if it is one, else projections.
auto Fields(QnnEmitter& emit, ExprId tuple) -> std::vector<ExprId> {
  const Function& function = emit.function();
  if (function.kind(tuple) == ExprKind::kTuple) {
    const auto fields = function.operands(tuple);
    return {fields.begin(), fields.end()};
  }
  std::vector<ExprId> fields;
  const TypeId type = function.type(tuple);
  if (!type || !emit.to().context().type(type).is_tuple()) return fields;
  const size_t count = emit.to().context().type(type).args.size();
  for (uint32_t i = 0; i < count; ++i) fields.push_back(EmitTupleGetItem(emit.to(), tuple, i));
  return fields;
}

auto LowerConcatenate(QnnCall& call, const ConcatenateAttrs& attrs) -> ExprId {
  QnnEmitter& emit = call.emit;
  std::vector<ExprId> fields = Fields(emit, call.args[0]);
  const std::vector<ExprId> scales = Fields(emit, call.args[1]);
  const std::vector<ExprId> zero_points = Fields(emit, call.args[2]);
  if (fields.empty() || scales.size() != fields.size() || zero_points.size() != fields.size()) return {};
  const QuantizationParams to = {call.args[3], call.args[4]};
  for (size_t i = 0; i < fields.size(); ++i) {
    if (emit.SameScalar(scales[i], to.scale) && emit.SameScalar(zero_points[i], to.zero_point)) continue;
    const Type* type = emit.tensor(fields[i]);
    if (type == nullptr) return {};
    fields[i] = EmitRequantize(emit, fields[i], {scales[i], zero_points[i]}, to, -1, type->dtype, call.mode);
    if (!fields[i]) return {};
  }
  return emit.CallWith("concatenate"_op, attrs, {EmitTuple(emit.to(), fields)});
}

auto LowerAvgPool2D(QnnCall& call, const AvgPool2DAttrs& attrs) -> ExprId {
  const Type* result = call.result();
  if (result == nullptr) return {};
  const ExprId data = EmitRequantizeOrCast(call.emit, call.args[0], {call.args[1], call.args[2]},
                                           {call.args[3], call.args[4]}, -1, call.mode);
  if (!data) return {};
  return call.emit.Narrow(call.emit.CallWith("nn.avg_pool2d"_op, attrs, {data}), result->dtype);
}

constexpr QnnRuleOf kElementwiseLowerings[] = {
    {"qnn.avg_pool2d"_op, WithAttrs<LowerAvgPool2D>},  {"qnn.concatenate"_op, WithAttrs<LowerConcatenate>},
    {"qnn.dequantize"_op, WithAttrs<LowerDequantize>}, {"qnn.quantize"_op, WithAttrs<LowerQuantize>},
    {"qnn.requantize"_op, WithAttrs<LowerRequantize>},
};

}  // namespace

auto QnnElementwiseLowerings() -> std::span<const QnnRuleOf> { return kElementwiseLowerings; }

auto EmitQuantize(QnnEmitter& emit, ExprId data, const QuantizationParams& to, int64_t axis, DataType out_dtype)
    -> ExprId {
  const Type* type = emit.tensor(data);
  const size_t rank = RankOf(type);
  const int64_t along = AxisOf(type, axis);
  const ExprId scaled = emit.Divide(data, emit.AlongAxis(to.scale, rank, along));
  const ExprId zero_point = emit.Cast(emit.AlongAxis(to.zero_point, rank, along), DataType::Float(32));
  return emit.Narrow(emit.Add(emit.Call("round"_op, {scaled}), zero_point), out_dtype);
}

auto EmitDequantize(QnnEmitter& emit, ExprId data, const QuantizationParams& from, int64_t axis) -> ExprId {
  const Type* type = emit.tensor(data);
  const size_t rank = RankOf(type);
  const int64_t along = AxisOf(type, axis);
  const ExprId shifted =
      emit.Subtract(emit.Cast(data, DataType::Int(32)), emit.AlongAxis(from.zero_point, rank, along));
  return emit.Multiply(emit.Cast(shifted, DataType::Float(32)), emit.AlongAxis(from.scale, rank, along));
}

}  // namespace relayopt
