// Lowering of functions of one quantized tensor.
#include <cmath>

#include "lowering.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/reduce.h"

namespace relayopt {

namespace {

// Computes the function on real numbers.
template <typename Apply>
auto OnReals(QnnCall& call, Apply&& apply) -> ExprId {
  const Type* data = call.input(0);
  if (data == nullptr) return {};
  const ExprId real = EmitDequantize(call.emit, call.args[0], {call.args[1], call.args[2]}, -1);
  return EmitQuantize(call.emit, apply(real), {call.args[3], call.args[4]}, -1, data->dtype);
}

// Returns the rule of operators that have a namesake on real numbers, as qnn.exp has exp.
auto LowerFunction(QnnCall& call) -> ExprId {
  constexpr std::string_view kPrefix = "qnn.";
  const OpDef* real_op = FindOp(call.op()->name.substr(kPrefix.size()));
  if (real_op == nullptr) return {};
  return OnReals(call, [&](ExprId real) { return call.emit.Call(real_op, {real}); });
}

auto LowerHardswish(QnnCall& call) -> ExprId {
  QnnEmitter& emit = call.emit;
  return OnReals(call, [&](ExprId x) {
    const ExprId relu6 = emit.Clip(emit.Add(x, emit.Real(3)), 0, 6);
    return emit.Divide(emit.Multiply(x, relu6), emit.Real(6));
  });
}

// alpha * q + (1 - alpha) * zero_point below the zero point, q above it.
auto LowerLeakyRelu(QnnCall& call, const LeakyReluAttrs& attrs) -> ExprId {
  QnnEmitter& emit = call.emit;
  const Type* data_type = call.input(0);
  if (data_type == nullptr) return {};
  const ExprId data = emit.Cast(call.args[0], kInt32);
  const QuantizationParams from = {call.args[1], emit.Cast(call.args[2], kInt32)};
  const QuantizationParams to = {call.args[3], emit.Cast(call.args[4], kInt32)};
  const ExprId requantized = EmitRequantizeOrCast(emit, data, from, to, -1, call.mode);
  if (!requantized) return {};
  const ExprId sum = emit.Add(EmitFixedPointMultiply(emit, requantized, attrs.alpha),
                              EmitFixedPointMultiply(emit, to.zero_point, 1 - attrs.alpha));
  const ExprId is_below = emit.Call("less"_op, {data, from.zero_point});
  return emit.Narrow(emit.Where(is_below, sum, requantized), data_type->dtype);
}

// Softmax in integers, with powers of two by shifts (Li and Gu, "I-ViT", algorithm 1).
auto LowerSoftmax(QnnCall& call, const SoftmaxAttrs& attrs) -> ExprId {
  QnnEmitter& emit = call.emit;
  const Type* type = call.input(0);
  const Constant* scale = emit.constant(call.args[1]);
  if (type == nullptr || scale == nullptr || !scale->is_scalar()) return {};
  const auto step = scale->ScalarAsDouble();
  if (!step || !(*step > 0) || *step > 1) return {};
  const auto shift_right = [&](ExprId x, int64_t by) { return emit.Call("right_shift"_op, {x, emit.Int(by)}); };
  const auto reduce = [&](const OpDef* op, ExprId x) {
    return emit.CallWith(op, ReduceAttrs{.axis = {attrs.axis}, .keepdims = true}, {x});
  };
  // One in units of the scale.
  const float one = std::round(1.0F / static_cast<float>(*step));
  const ExprId x0 = emit.Narrow(emit.Real(one), kInt32);
  const ExprId data = emit.Subtract(emit.Cast(call.args[0], kInt32), emit.Cast(call.args[2], kInt32));
  const ExprId x = emit.Subtract(data, reduce("max"_op, data));
  // 1.0111b approximates log2(e): e^x becomes a power of two with exponent -q, times e^r of a remainder r.
  const ExprId xp = emit.Subtract(emit.Add(x, shift_right(x, 1)), shift_right(x, 4));
  const ExprId minus_x0 = emit.Negative(x0);
  constexpr double kMostShift = 20;
  const ExprId q = emit.Clip(emit.Divide(xp, minus_x0), 0, kMostShift);
  const ExprId max_q = reduce("max"_op, q);
  const ExprId r = emit.Subtract(xp, emit.Multiply(q, minus_x0));
  const ExprId xb = emit.Add(shift_right(r, 1), x0);
  const ExprId exps = emit.Call("left_shift"_op, {xb, emit.Subtract(max_q, q)});
  const ExprId sums = reduce("sum"_op, exps);
  constexpr int64_t kFractionBits = 30;
  constexpr int64_t kResultBits = 7;
  const ExprId shares = emit.Multiply(emit.Divide(emit.Int(int64_t{1} << kFractionBits), sums), exps);
  const ExprId result = shift_right(shares, kFractionBits - kResultBits);
  const QuantizationParams from = {emit.Real(1.0 / (1 << kResultBits)), emit.Int(0)};
  return EmitRequantize(emit, result, from, {call.args[3], call.args[4]}, 0, DataType::Int(8), call.mode);
}

constexpr QnnRuleOf kUnaryLowerings[] = {
    {"qnn.abs"_op, LowerFunction},
    {"qnn.erf"_op, LowerFunction},
    {"qnn.exp"_op, LowerFunction},
    {"qnn.hardswish"_op, LowerHardswish},
    {"qnn.leaky_relu"_op, WithAttrs<LowerLeakyRelu>},
    {"qnn.log"_op, LowerFunction},
    {"qnn.rsqrt"_op, LowerFunction},
    {"qnn.sigmoid"_op, LowerFunction},
    {"qnn.softmax"_op, WithAttrs<LowerSoftmax>},
    {"qnn.sqrt"_op, LowerFunction},
    {"qnn.tanh"_op, LowerFunction},
};

}  // namespace

auto QnnUnaryLowerings() -> std::span<const QnnRuleOf> { return kUnaryLowerings; }

}  // namespace relayopt
