// Rules for arithmetic on quantized tensors.
#include <algorithm>
#include <cmath>

#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/qnn.h"
#include "rules.h"

namespace relayopt {

namespace {

using Result = std::optional<AffineResult>;

// Functions.

// Returns the qnn operator of the same name.
auto Unary(FakeQuantizedCall& call) -> Result {
  const AffineType* type = call.data();
  // The operator keeps the element type.
  if (type == nullptr || call.out == nullptr || type->dtype != call.out->dtype) return std::nullopt;
  if (!call.is_last) return call.Refuse(refusal::kSaturates);
  const std::string name = "qnn." + std::string(call.op()->name.substr(call.op()->name.find('.') + 1));
  const OpDef* op = FindOp(name);
  if (op == nullptr) return std::nullopt;
  // The attributes can be reused only when both operators have the same class.
  const AttrsId attrs =
      op->attrs != nullptr && op->attrs == call.op()->attrs ? call.function().attrs(call.id()) : AttrsId();
  const ExprId result =
      EmitCall(call.emit.to(), op,
               {call.args[0].expr, type->scale, type->zero_point, call.out->scale, call.out->zero_point}, attrs);
  return AffineResult{result, *call.out};
}

// Returns the larger of the number and zero, which the zero point represents.
auto Relu(FakeQuantizedCall& call) -> Result {
  const AffineType* type = call.data();
  const auto rank = call.rank();
  if (type == nullptr || !rank) return std::nullopt;
  const auto zero_points = call.emit.Values(type->zero_point);
  // A zero point may lie outside of the integers that it belongs to.
  const QuantizedRange integers = RangeOf(type->dtype);
  const auto is_integer = [&](double zero_point) { return zero_point >= integers.min && zero_point <= integers.max; };
  if (zero_points && !std::ranges::all_of(*zero_points, is_integer)) return call.Refuse(refusal::kConstant);
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

// Returns a bound in units of a scale, or nothing if there is none.
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

auto Clip(FakeQuantizedCall& call, const ClipAttrs& attrs) -> Result {
  const AffineType* type = call.data();
  if (type == nullptr) return std::nullopt;
  const auto scale = call.emit.Values(type->scale);
  const auto zero_point = call.emit.Values(type->zero_point);
  if (!scale || !zero_point || scale->size() != 1 || zero_point->size() != 1) return ClipChannels(call, attrs, *type);
  const auto min = QuantizedBound(attrs.a_min, scale->front(), zero_point->front());
  const auto max = QuantizedBound(attrs.a_max, scale->front(), zero_point->front());
  const QuantizedRange integers = RangeOf(type->dtype);
  if (!min || !max || *min > integers.max || *max < integers.min) return call.Refuse(refusal::kConstant);
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

// Returns a type of the elements of `like` that represents a constant as well as they can.
auto OwnType(FakeQuantizedCall& call, const RealRange& range, const AffineType& like) -> AffineType {
  const QuantizedRange integers = RangeOf(like.dtype);
  const double middle = std::ceil((integers.max + integers.min) / 2);
  const double zero_point = range.min >= 0 ? std::max(integers.min, 0.0) : std::max(middle, 0.0);
  const double above = range.max / (integers.max - zero_point);
  const double below = zero_point == integers.min ? 0 : range.min / (integers.min - zero_point);
  const double scale = std::max(above, below);
  return {call.emit.Real(scale > 0 ? scale : 1), call.emit.Int(static_cast<int64_t>(zero_point)), like.dtype, -1};
}

// By how much elements of a constant differ from what a type represents.
auto ErrorOf(const std::vector<double>& values, double scale, double zero_point, const QuantizedRange& integers)
    -> double {
  double error = 0;
  for (const double value : values) {
    const double integer = std::clamp(std::round(value / scale) + zero_point, integers.min, integers.max);
    error = std::max(error, std::fabs(scale * (integer - zero_point) - value));
  }
  return error;
}

// Returns the largest magnitude of the numbers of a type, by which an error of the other factor is multiplied.
auto LargestOf(const QnnEmitter& emit, const AffineType& type) -> std::optional<double> {
  const auto range = RangeOf(emit, type);
  if (!range) return std::nullopt;
  return std::max(std::fabs(range->min), std::fabs(range->max));
}

// Returns the type in which a constant is quantized: that of the other operand if the error of the result is less than
// a step of the region's result, else a type of its own. Returns none if the error is larger with that, too.
auto ConstantType(FakeQuantizedCall& call, ExprId constant, const AffineType& like) -> std::optional<AffineType> {
  const auto values = call.emit.Values(constant);
  const auto step = call.emit.Values(call.out->scale);
  const auto scale = call.emit.Values(like.scale);
  const auto zero_point = call.emit.Values(like.zero_point);
  const auto largest = LargestOf(call.emit, like);
  const bool is_known = values && !values->empty() && step && step->size() == 1 && scale && scale->size() == 1 &&
                        zero_point && zero_point->size() == 1 && largest && scale->front() > 0;
  if (!is_known) return like;
  // The error of a sum is that of its operand.
  const bool is_product = call.op() == "multiply"_op;
  const double factor = is_product ? *largest : 1;
  const QuantizedRange integers = RangeOf(like.dtype);
  // Steps of the constant's scale that are finer than needed are left alone.
  const auto will_do = [&](double own_scale, double own_zero_point) {
    return factor * ErrorOf(*values, own_scale, own_zero_point, integers) <= std::max(step->front(), 0.0);
  };
  if (will_do(scale->front(), zero_point->front())) return like;
  const auto [min, max] = std::ranges::minmax(*values);
  AffineType own = OwnType(call, {min, max}, like);
  if (will_do(call.emit.Values(own.scale)->front(), call.emit.Values(own.zero_point)->front())) return own;
  return call.Refuse(refusal::kConstant);
}

auto Quantized(FakeQuantizedCall& call, const AffineOperand& operand, AffineType& type) -> ExprId {
  if (operand.type) return operand.expr;
  if (call.emit.constant(operand.expr) == nullptr) return {};
  const auto own = ConstantType(call, operand.expr, type);
  if (!own) return {};
  type = *own;
  return EmitQuantizeCall(call.emit, operand.expr, type, -1);
}

auto Operands(FakeQuantizedCall& call) -> std::optional<BinaryOperands> {
  const AffineOperand& lhs = call.args[0];
  const AffineOperand& rhs = call.args[1];
  if ((!lhs.type && !rhs.type) || call.out == nullptr) return std::nullopt;
  BinaryOperands operands;
  operands.lhs_type = lhs.type ? *lhs.type : *rhs.type;
  operands.rhs_type = rhs.type ? *rhs.type : *lhs.type;
  operands.lhs = Quantized(call, lhs, operands.lhs_type);
  operands.rhs = Quantized(call, rhs, operands.rhs_type);
  if (!operands.lhs || !operands.rhs) return std::nullopt;
  operands.out = operands.lhs_type.dtype == call.out->dtype ? *call.out : operands.lhs_type;
  return operands;
}

// Returns the range of the result of a call with two operands, if it is known.
auto ResultRange(const FakeQuantizedCall& call) -> std::optional<RealRange> {
  const auto a = RangeOf(call.emit, call.args[0]);
  const auto b = RangeOf(call.emit, call.args[1]);
  if (!a || !b) return std::nullopt;
  if (call.op() == "add"_op) return RealRange{a->min + b->min, a->max + b->max};
  if (call.op() == "subtract"_op) return RealRange{a->min - b->max, a->max - b->min};
  if (call.op() == "multiply"_op) {
    const auto [min, max] = std::ranges::minmax({a->min * b->min, a->min * b->max, a->max * b->min, a->max * b->max});
    return RealRange{min, max};
  }
  // Both are converted to the type of the result.
  return RealRange{std::min(a->min, b->min), std::max(a->max, b->max)};
}

// Whether the result may have the type that was chosen for it: accumulators are wide enough, and the final quantization
// clips anyway; otherwise the numbers must fit.
auto MayHaveType(const FakeQuantizedCall& call, const AffineType& type) -> bool {
  if (type.dtype.bytes() >= 4) return true;
  const bool is_out = type.scale == call.out->scale && type.zero_point == call.out->zero_point;
  if (is_out && call.is_last) return true;
  const auto range = ResultRange(call);
  return range && Represents(call.emit, type, *range);
}

auto IsScalarConstant(const QnnEmitter& emit, ExprId id) -> bool {
  const Constant* value = emit.constant(id);
  return value != nullptr && value->is_scalar();
}

auto Binary(FakeQuantizedCall& call, const OpDef* op) -> Result {
  const auto operands = Operands(call);
  if (!operands) return std::nullopt;
  if (!MayHaveType(call, operands->out)) return call.Refuse(refusal::kSaturates);
  const auto& [lhs, rhs, lhs_type, rhs_type, out] = *operands;
  if (!IsScalarConstant(call.emit, out.scale) || !IsScalarConstant(call.emit, out.zero_point))
    return call.Refuse(refusal::kChannels);
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

// Products are computed in int32.
auto Multiply(FakeQuantizedCall& call) -> Result {
  for (const AffineOperand& arg : call.args) {
    if (arg.type && arg.type->fields.empty() && arg.type->dtype.bytes() >= 4) return call.Refuse(refusal::kOverflow);
  }
  return Binary(call, "qnn.mul"_op);
}
auto Subtract(FakeQuantizedCall& call) -> Result { return Binary(call, "qnn.subtract"_op); }

// Returns the operator on both operands in the result's scale.
auto Compare(FakeQuantizedCall& call) -> Result {
  const auto operands = Operands(call);
  if (!operands) return std::nullopt;
  if (!MayHaveType(call, operands->out)) return call.Refuse(refusal::kSaturates);
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
    {"clip"_op, {WithAttrs<Clip>, true, false, AlwaysCommutes}},
    {"erf"_op, {Unary}},
    {"exp"_op, {Unary}},
    {"log"_op, {Unary}},
    {"maximum"_op, {Compare, true, false, AlwaysCommutes}},
    {"minimum"_op, {Compare, true, false, AlwaysCommutes}},
    {"multiply"_op, {Multiply}},
    {"nn.leaky_relu"_op, {Unary}},
    {"nn.relu"_op, {Relu, true, false, AlwaysCommutes}},
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
