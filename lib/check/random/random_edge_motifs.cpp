// Calls that only differ from wrong ones for few values and shapes: NaN, zeros of both signs, empty tensors, axes that
// are counted from the end, operands that are broadcast.
#include <limits>

#include "function_generator.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"

namespace relayopt {

// Returns a tensor whose elements may be anything that its type can hold: a parameter, which gets NaN, infinities,
// zeros of both signs and the ends of integers, while results of operators rarely do.
auto FunctionGenerator::EdgeTensor() -> ExprId { return random_.Chance(60) ? Param(RandomTensorType()) : AnyTensor(); }

// An operator on values that it may treat in a way of its own.
auto FunctionGenerator::SpecialMotif() -> ExprId {
  const ExprId x = EdgeTensor();
  switch (random_.Below(3)) {
    case 0:
      return Call(random_.Pick({"exp"_op, "nn.relu"_op, "sigmoid"_op, "tanh"_op, "sqrt"_op, "abs"_op, "sign"_op,
                                "round"_op, "negative"_op, "isnan"_op}),
                  {x});
    case 1: {
      const OpDef* op =
          random_.Pick({"maximum"_op, "minimum"_op, "less"_op, "equal"_op, "not_equal"_op, "greater_equal"_op});
      return Call(op, {x, NewValueOf(TypeOf(x))});
    }
    default:
      return CallWith("clip"_op, ClipAttrs{-1, random_.Pick<double>({1.0, std::numeric_limits<float>::max()})}, {x});
  }
}

// An operator along axes, which are counted from either end, of a tensor that may be empty.
auto FunctionGenerator::AxisMotif() -> ExprId {
  std::vector<Dim> shape;
  for (size_t rank = 1 + random_.Below(3); rank != 0; --rank) shape.emplace_back(random_.Pick<int64_t>({1, 2, 3, 4}));
  if (random_.Chance(35)) shape[random_.Below(shape.size())] = Dim(0);
  const DataType dtype = random_.Pick({DataType::Float(32), DataType::Float(32), DataType::Int(32), DataType::Bool()});
  const ExprId x = Param(context_.Tensor(shape, dtype));
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t axis = random_.Between(-rank, rank - 1);
  if (dtype.is_bool()) {
    return CallWith(random_.Pick({"all"_op, "any"_op}), ReduceAttrs{.axis = DimList{{Dim(axis)}}}, {x});
  }
  switch (random_.Below(5)) {
    case 0:
    case 1: return CallWith(random_.Pick({"nn.softmax"_op, "nn.log_softmax"_op}), SoftmaxAttrs{axis}, {x});
    case 2: {
      const ArgReduceAttrs attrs{.axis = DimList{{Dim(axis)}}, .keepdims = random_.Chance(30)};
      return CallWith(random_.Pick({"argmax"_op, "argmin"_op}), attrs, {x});
    }
    default: {
      ReduceAttrs attrs{.keepdims = random_.Chance(30), .exclude = random_.Chance(20)};
      if (random_.Chance(80)) attrs.axis = DimList{{Dim(axis)}};
      return CallWith(random_.Pick({"sum"_op, "sum"_op, "prod"_op, "max"_op, "mean"_op}), attrs, {x});
    }
  }
}

// An operator that is not commutative, on operands one of which is broadcast.
auto FunctionGenerator::BroadcastMotif() -> ExprId {
  const ExprId x = AnyTensor();
  const Type type = context_.type(TypeOf(x));
  std::vector<Dim> shape(type.shape.begin(), type.shape.end());
  if (!shape.empty() && random_.Chance(50)) shape.erase(shape.begin());
  for (Dim& dim : shape) {
    if (random_.Chance(40)) dim = Dim(1);
  }
  const ExprId y = NewValueOf(context_.Tensor(shape, type.dtype));
  const OpDef* op = random_.Pick({"subtract"_op, "subtract"_op, "divide"_op, "less"_op, "power"_op});
  return random_.Chance(50) ? Call(op, {x, y}) : Call(op, {y, x});
}

}  // namespace relayopt
