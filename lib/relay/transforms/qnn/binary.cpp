// Lowering of sums, differences and products of quantized tensors.
#include <algorithm>

#include "lowering.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/qnn.h"

namespace relayopt {

namespace {

// Arguments of a binary operator.
struct BinaryArgs {
  explicit BinaryArgs(std::span<const ExprId> args)
      : lhs(args[0]),
        rhs(args[1]),
        lhs_params{args[2], args[3]},
        rhs_params{args[4], args[5]},
        output{args[6], args[7]} {}

  ExprId lhs;
  ExprId rhs;
  QuantizationParams lhs_params;
  QuantizationParams rhs_params;
  QuantizationParams output;
};

// Returns the common part of sum and difference: both operands in the result's parameters. In the result the zero point
// must count once: a sum has it twice, a difference not at all.
auto LowerLinear(QnnCall& call, const OpDef* op, const OpDef* correction) -> ExprId {
  QnnEmitter& emit = call.emit;
  const auto* attrs = call.attrs<BroadcastAttrs>();
  const Type* type = call.input(0);
  if (attrs == nullptr || type == nullptr) return {};
  const BinaryArgs args(call.args);
  const ExprId lhs = EmitRequantizeOrCast(emit, args.lhs, args.lhs_params, args.output, attrs->lhs_axis, call.mode);
  const ExprId rhs = EmitRequantizeOrCast(emit, args.rhs, args.rhs_params, args.output, attrs->rhs_axis, call.mode);
  if (!lhs || !rhs) return {};
  ExprId result = emit.Call(op, {lhs, rhs});
  if (!emit.IsInt(args.output.zero_point, 0)) result = emit.Call(correction, {result, args.output.zero_point});
  return emit.Narrow(result, type->dtype);
}

auto LowerAdd(QnnCall& call) -> ExprId { return LowerLinear(call, "add"_op, "subtract"_op); }
auto LowerSubtract(QnnCall& call) -> ExprId { return LowerLinear(call, "subtract"_op, "add"_op); }

// A product after subtracting the zero points: an integer, and its scale.
class Multiplication {
 public:
  Multiplication(QnnCall& call, const BroadcastAttrs& attrs) : call_(call), emit_(call.emit), args_(call.args) {
    lhs_rank_ = call.input(0)->rank();
    rhs_rank_ = call.input(1)->rank();
    lhs_axis_ = NormalizedAxis(attrs.lhs_axis, lhs_rank_);
    rhs_axis_ = NormalizedAxis(attrs.rhs_axis, rhs_rank_);
  }

  auto Run() -> ExprId {
    const ExprId scale = ProductOfScales();
    if (!scale) return {};
    const ExprId product = emit_.Multiply(Shifted(args_.lhs, args_.lhs_params.zero_point, lhs_rank_, lhs_axis_),
                                          Shifted(args_.rhs, args_.rhs_params.zero_point, rhs_rank_, rhs_axis_));
    return EmitRequantize(emit_, product, {scale, emit_.Int(0)}, args_.output, axis_, call_.input(0)->dtype,
                          call_.mode);
  }

 private:
  auto Shifted(ExprId data, ExprId zero_point, size_t rank, int64_t axis) -> ExprId {
    const ExprId wide = emit_.Cast(data, kInt32);
    if (emit_.IsInt(zero_point, 0)) return wide;
    return emit_.Subtract(wide, emit_.AlongAxis(zero_point, rank, axis));
  }

  // Returns the product of the scales, or invalid if they are not known, or vary along different axes.
  auto ProductOfScales() -> ExprId {
    const Constant* left = emit_.constant(args_.lhs_params.scale);
    const Constant* right = emit_.constant(args_.rhs_params.scale);
    const auto lhs = emit_.Values(args_.lhs_params.scale);
    const auto rhs = emit_.Values(args_.rhs_params.scale);
    if (!lhs || !rhs || lhs->empty() || rhs->empty()) return {};
    if (left->is_scalar() && right->is_scalar()) {
      const float product = static_cast<float>(lhs->front()) * static_cast<float>(rhs->front());
      return emit_.Real(static_cast<double>(product));
    }
    // Axes are the same when they are as far from the last one: shapes align there.
    const auto from_last = [](size_t rank, int64_t axis) { return static_cast<int64_t>(rank) - axis; };
    const int64_t lhs_distance = from_last(lhs_rank_, lhs_axis_);
    const int64_t rhs_distance = from_last(rhs_rank_, rhs_axis_);
    const bool both = lhs->size() > 1 && rhs->size() > 1;
    if (both && (lhs_distance != rhs_distance || lhs->size() != rhs->size())) return {};
    axis_ = -(lhs->size() > 1 ? lhs_distance : rhs_distance);
    std::vector<double> products(std::max(lhs->size(), rhs->size()));
    for (size_t i = 0; i < products.size(); ++i) {
      products[i] = (*lhs)[lhs->size() > 1 ? i : 0] * (*rhs)[rhs->size() > 1 ? i : 0];
    }
    return emit_.Vector(std::span<const double>(products), DataType::Float(32));
  }

  QnnCall& call_;
  QnnEmitter& emit_;
  BinaryArgs args_;
  size_t lhs_rank_ = 0;
  size_t rhs_rank_ = 0;
  int64_t lhs_axis_ = 0;
  int64_t rhs_axis_ = 0;
  // The axis of the product's scale, counted from the end.
  int64_t axis_ = -1;
};

auto LowerMul(QnnCall& call, const BroadcastAttrs& attrs) -> ExprId {
  if (call.input(0) == nullptr || call.input(1) == nullptr) return {};
  return Multiplication(call, attrs).Run();
}

constexpr QnnRuleOf kBinaryLowerings[] = {
    {"qnn.add"_op, LowerAdd},
    {"qnn.mul"_op, WithAttrs<LowerMul>},
    {"qnn.subtract"_op, LowerSubtract},
};

}  // namespace

auto QnnBinaryLowerings() -> std::span<const QnnRuleOf> { return kBinaryLowerings; }

}  // namespace relayopt
