// Rules for arithmetic on quantized tensors.
#include <cmath>

#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/qnn.h"
#include "rules.h"

namespace relayopt {

namespace {

using Result = std::optional<AffineResult>;

// Functions.

// The qnn operator of the same name.
auto Unary(FakeQuantizedCall& call) -> Result {
  const AffineType* type = call.data();
  // The operator keeps the element type.
  if (type == nullptr || call.out == nullptr || type->dtype != call.out->dtype) return std::nullopt;
  const std::string name = "qnn." + std::string(call.op()->name.substr(call.op()->name.find('.') + 1));
  const OpDef* op = FindOp(name);
  if (op == nullptr) return std::nullopt;
  // The attributes can be reused only when both operators have the same class.
  const AttrsId attrs = op->attrs != nullptr && op->attrs == call.op()->attrs ? call.from.attrs(call.id) : AttrsId();
  const ExprId result =
      EmitCall(call.emit.to(), op,
               {call.args[0].expr, type->scale, type->zero_point, call.out->scale, call.out->zero_point}, attrs);
  return AffineResult{result, *call.out};
}

// The larger of the number and zero, which the zero point represents.
auto Relu(FakeQuantizedCall& call) -> Result {
  const AffineType* type = call.data();
  const auto rank = call.rank();
  if (type == nullptr || !rank) return std::nullopt;
  const auto zero_points = call.emit.Values(type->zero_point);
  ExprId zero;
  if (IsPerChannel(call.emit, *type)) {
    const Type* scale = call.emit.tensor(type->scale);
    if (!zero_points || *rank == 0 || scale == nullptr || scale->rank() > 1) return std::nullopt;
    std::vector<double> channels = *zero_points;
    if (scale->rank() == 1 && channels.size() == 1 && scale->shape[0].is_int()) {
      channels.assign(static_cast<size_t>(scale->shape[0].value()), channels.front());
    }
    zero = EmitAlongAxis(call.emit, channels, type->dtype, *rank, type->axis);
  } else if (zero_points) {
    zero = call.emit.Int(static_cast<int64_t>(zero_points->front()), type->dtype);
  } else {
    zero = call.emit.Cast(type->zero_point, type->dtype);
  }
  return AffineResult{call.emit.Call("maximum"_op, {call.args[0].expr, zero}), *type};
}

// A bound in units of a scale; nothing when there is none.
auto QuantizedBound(double bound, double scale, double zero_point) -> std::optional<double> {
  const double quantized = std::trunc(bound / scale + zero_point);
  if (!std::isfinite(quantized)) return std::nullopt;
  // Avoids minus zero.
  return quantized == 0 ? 0 : quantized;
}

// Bounds for each channel.
auto ClipChannels(FakeQuantizedCall& call, const ClipAttrs& attrs, const AffineType& type) -> Result {
  const auto rank = call.rank();
  const Type* scale = call.emit.tensor(type.scale);
  if (!rank || *rank == 0 || scale == nullptr || scale->rank() != 1 || !scale->shape[0].is_int()) return std::nullopt;
  const auto bound = [&](double value) {
    const std::vector<double> channels(static_cast<size_t>(scale->shape[0].value()), value);
    const ExprId reals = EmitAlongAxis(call.emit, channels, DataType::Float(32), *rank, type.axis);
    return EmitQuantizeCall(call.emit, reals, type, type.axis);
  };
  const ExprId above = call.emit.Call("maximum"_op, {call.args[0].expr, bound(attrs.a_min)});
  return AffineResult{call.emit.Call("minimum"_op, {above, bound(attrs.a_max)}), type};
}

auto Clip(FakeQuantizedCall& call) -> Result {
  const auto* attrs = call.attrs<ClipAttrs>();
  const AffineType* type = call.data();
  if (attrs == nullptr || type == nullptr) return std::nullopt;
  const auto scale = call.emit.Values(type->scale);
  const auto zero_point = call.emit.Values(type->zero_point);
  if (!scale || !zero_point || scale->size() != 1 || zero_point->size() != 1) return ClipChannels(call, *attrs, *type);
  const auto min = QuantizedBound(attrs->a_min, scale->front(), zero_point->front());
  const auto max = QuantizedBound(attrs->a_max, scale->front(), zero_point->front());
  if (!min || !max) return std::nullopt;
  return AffineResult{call.emit.Clip(call.args[0].expr, *min, *max), *type};
}

// Operators of two operands.

// Both operands in quantized form (a constant like the other operand), and the type of the result.
struct BinaryOperands {
  ExprId lhs;
  ExprId rhs;
  AffineType lhs_type;
  AffineType rhs_type;
  AffineType out;
};

auto Quantized(FakeQuantizedCall& call, const AffineOperand& operand, const AffineType& like) -> ExprId {
  if (operand.type) return operand.expr;
  if (call.emit.constant(operand.expr) == nullptr) return {};
  return EmitQuantizeCall(call.emit, operand.expr, like, -1);
}

auto Operands(FakeQuantizedCall& call) -> std::optional<BinaryOperands> {
  const AffineOperand& lhs = call.args[0];
  const AffineOperand& rhs = call.args[1];
  if (!lhs.type && !rhs.type) return std::nullopt;
  BinaryOperands operands;
  operands.lhs_type = lhs.type ? *lhs.type : *rhs.type;
  operands.rhs_type = rhs.type ? *rhs.type : *lhs.type;
  operands.lhs = Quantized(call, lhs, operands.lhs_type);
  operands.rhs = Quantized(call, rhs, operands.rhs_type);
  if (!operands.lhs || !operands.rhs || call.out == nullptr) return std::nullopt;
  operands.out = operands.lhs_type.dtype == call.out->dtype ? *call.out : operands.lhs_type;
  return operands;
}

auto IsScalarConstant(const QnnEmitter& emit, ExprId id) -> bool {
  const Constant* value = emit.constant(id);
  return value != nullptr && value->is_scalar();
}

auto Binary(FakeQuantizedCall& call, const OpDef* op) -> Result {
  const auto operands = Operands(call);
  if (!operands) return std::nullopt;
  const auto& [lhs, rhs, lhs_type, rhs_type, out] = *operands;
  if (!IsScalarConstant(call.emit, out.scale) || !IsScalarConstant(call.emit, out.zero_point)) return std::nullopt;
  const BroadcastAttrs attrs{.lhs_axis = lhs_type.axis, .rhs_axis = rhs_type.axis};
  const ExprId result = call.emit.CallWith(
      op, attrs,
      {lhs, rhs, lhs_type.scale, lhs_type.zero_point, rhs_type.scale, rhs_type.zero_point, out.scale, out.zero_point});
  return AffineResult{result, out};
}

auto IsZero(const QnnEmitter& emit, ExprId zero_point) -> bool {
  const auto values = emit.Values(zero_point);
  if (!values) return false;
  for (const double value : *values) {
    if (value != 0) return false;
  }
  return true;
}

// Accumulators in one scale are added as they are.
auto Add(FakeQuantizedCall& call) -> Result {
  const auto operands = Operands(call);
  if (!operands) return std::nullopt;
  const auto& [lhs, rhs, lhs_type, rhs_type, out] = *operands;
  const bool are_accumulators = out.dtype == DataType::Int(32) && AreClose(call.emit, lhs_type, rhs_type) &&
                                AreClose(call.emit, lhs_type, out) && IsZero(call.emit, out.zero_point);
  if (!are_accumulators) return Binary(call, "qnn.add"_op);
  return AffineResult{call.emit.Add(lhs, rhs), lhs_type};
}

auto Multiply(FakeQuantizedCall& call) -> Result { return Binary(call, "qnn.mul"_op); }
auto Subtract(FakeQuantizedCall& call) -> Result { return Binary(call, "qnn.subtract"_op); }

// The operator on both operands in the result's scale.
auto Compare(FakeQuantizedCall& call) -> Result {
  const auto operands = Operands(call);
  if (!operands) return std::nullopt;
  const auto& [lhs, rhs, lhs_type, rhs_type, out] = *operands;
  const auto in_scale = [&](ExprId data, const AffineType& type) {
    if (AreEqual(call.emit, type, out)) return data;
    return EmitRequantizeCall(call.emit, data, type, out, out.dtype, type.axis);
  };
  const ExprId left = in_scale(lhs, lhs_type);
  return AffineResult{call.emit.Call(call.op(), {left, in_scale(rhs, rhs_type)}), out};
}

constexpr FakeQuantizationRuleOf kArithmeticRules[] = {
    {"abs"_op, {Unary}},
    {"add"_op, {Add}},
    {"clip"_op, {Clip, true}},
    {"erf"_op, {Unary}},
    {"exp"_op, {Unary}},
    {"log"_op, {Unary}},
    {"maximum"_op, {Compare, true}},
    {"minimum"_op, {Compare, true}},
    {"multiply"_op, {Multiply}},
    {"nn.leaky_relu"_op, {Unary}},
    {"nn.relu"_op, {Relu, true}},
    {"nn.softmax"_op, {Unary, false, true}},
    {"rsqrt"_op, {Unary}},
    {"sigmoid"_op, {Unary}},
    {"sqrt"_op, {Unary}},
    {"subtract"_op, {Subtract}},
    {"tanh"_op, {Unary}},
};

}  // namespace

auto ArithmeticFakeQuantizationRules() -> std::span<const FakeQuantizationRuleOf> { return kArithmeticRules; }

}  // namespace relayopt
