// Calls of operators of the table: an operator, attributes and inputs are drawn, and its type rule says whether they
// fit.
#include <algorithm>
#include <array>

#include "function_generator.h"
#include "random_attrs.h"
#include "relayopt/arith/dim_arith.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/learn_inputs.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// The operators that most rewrites match; half of all calls are of these.
constexpr std::array kCommon = {
    "add"_op,
    "add"_op,
    "multiply"_op,
    "multiply"_op,
    "subtract"_op,
    "divide"_op,
    "maximum"_op,
    "nn.relu"_op,
    "nn.relu"_op,
    "nn.conv2d"_op,
    "nn.conv2d"_op,
    "nn.dense"_op,
    "nn.dense"_op,
    "nn.batch_matmul"_op,
    "nn.bias_add"_op,
    "nn.batch_norm"_op,
    "nn.max_pool2d"_op,
    "nn.global_avg_pool2d"_op,
    "nn.pad"_op,
    "nn.softmax"_op,
    "nn.batch_flatten"_op,
    "reshape"_op,
    "reshape"_op,
    "transpose"_op,
    "transpose"_op,
    "expand_dims"_op,
    "squeeze"_op,
    "cast"_op,
    "cast"_op,
    "concatenate"_op,
    "split"_op,
    "strided_slice"_op,
    "sum"_op,
    "mean"_op,
    "max"_op,
    "clip"_op,
    "sqrt"_op,
    "rsqrt"_op,
    "exp"_op,
    "tanh"_op,
    "zeros_like"_op,
    "ones_like"_op,
    "full_like"_op,

    "full"_op,
    "where"_op,
    "take"_op,
    "shape_of"_op,
    "broadcast_to"_op,
    "cast_like"_op,
    "reshape_like"_op,
    "collapse_sum_like"_op,
    "nn.dropout"_op,
    "nn.layer_norm"_op,
    "argmax"_op,
    "equal"_op,
    "less"_op,
    "logical_and"_op,
    "power"_op,
    "erf"_op,
    "copy"_op,
    "variance"_op,
    "stack"_op,
};

// Larger programs only run slower.
constexpr int64_t kMaxElements = 4096;

// Operators whose calls are meaningful without a device, a compiler or a source of randomness.
auto IsPlain(const OpDef& op) -> bool {
  if (op.stateful || op.variadic || op.non_computational || Arity(op) == 0) return false;
  switch (FamilyOf(op)) {
    case OpFamily::kAnnotation:
    case OpFamily::kDyn:
    case OpFamily::kEthosu:
    case OpFamily::kQnn:
    case OpFamily::kRandom:
    case OpFamily::kRuntime:
    case OpFamily::kVision: return false;
    default: return &op != "vm.shape_of"_op;
  }
}

auto PlainOps() -> const std::vector<const OpDef*>& {
  static const std::vector<const OpDef*> ops = [] {
    std::vector<const OpDef*> plain;
    for (const OpDef* op : AllOps()) {
      if (IsPlain(*op)) plain.push_back(op);
    }
    return plain;
  }();
  return ops;
}

// Whether a result of the type may be in the program.
auto IsSmall(const Context& context, TypeId id, const ProgramOptions& options) -> bool {
  const Type& type = context.type(id);
  if (type.is_tuple()) {
    return std::ranges::all_of(type.args, [&](TypeId field) { return IsSmall(context, field, options); });
  }
  if (!type.is_tensor() || type.dtype.is_void()) return false;
  int64_t elements = 1;
  for (const Dim& dim : type.shape) {
    if (dim.is_expr() || (!dim.is_int() && !options.dynamic_shapes)) return false;
    elements *= dim.is_int() ? dim.value() : 4;
    if (elements > kMaxElements) return false;
  }
  return true;
}

// Whether a call that the type rule accepts has a value. TVM's rule of broadcast_to takes any shape.
auto CanRun(const OpDef& op, const Type& data, const Type& result) -> bool {
  if (&op != "broadcast_to"_op) return true;
  const auto shape = BroadcastShapes(data.shape, result.shape);
  return shape && std::ranges::equal(*shape, result.shape, SameExtent);
}

// Operators that join the fields of a tuple.
auto TakesTuple(const OpDef& op) -> bool {
  return &op == "concatenate"_op || &op == "stack"_op || &op == "meshgrid"_op || &op == "einsum"_op;
}

}  // namespace

// The types of the inputs of a call: those of existing values, or invalid for inputs whose type the rule should infer.
auto FunctionGenerator::Inputs(const OpDef& op, ExprId first) -> std::vector<TypeId> {
  std::vector<TypeId> inputs = {TypeOf(first)};
  const Type& type = context_.type(inputs.front());
  for (size_t i = 1; i < Arity(op); ++i) {
    const std::string_view name = InputName(op, i);
    const bool is_weight =
        name == "weight" || name == "bias" || name == "gamma" || name == "beta" || name.starts_with("moving");
    if (is_weight && random_.Chance(90))
      inputs.emplace_back();
    else if (type.is_tensor() && random_.Chance(35))
      inputs.push_back(context_.Scalar(type.dtype));
    else if (random_.Chance(50))
      inputs.push_back(inputs.front());
    else
      inputs.push_back(TypeOf(AnyTensor()));
  }
  return inputs;
}

auto FunctionGenerator::OpCall(const OpDef& op) -> ExprId {
  constexpr int kTries = 4;
  for (int i = 0; i < kTries; ++i) {
    ExprId first = AnyTensorFor(op);
    const Type& data = context_.type(TypeOf(first));
    const AttrsId attrs = RandomAttrs(random_, context_, op, data);
    if (TakesTuple(op)) {
      std::vector<ExprId> fields = {first};
      for (size_t n = random_.Below(3); n != 0; --n) fields.push_back(ValueOf(TypeOf(first)));
      first = EmitTuple(to_, fields);
    }
    const auto call = LearnInputs(context_, op, attrs, Inputs(op, first));
    if (!call || !IsSmall(context_, call->result, options_) || !CanRun(op, data, context_.type(call->result))) continue;
    std::vector<ExprId> args = {first};
    for (size_t k = 1; k < call->inputs.size(); ++k) args.push_back(ValueOf(call->inputs[k]));
    if (const ExprId made = TryCall(&op, args, attrs)) return made;
  }
  return {};
}

auto FunctionGenerator::TryCall(const OpDef* op, std::span<const ExprId> args, AttrsId attrs) -> ExprId {
  const auto types = MapToVector<TypeId>(args, [&](ExprId arg) { return TypeOf(arg); });
  if (!attrs && op->attrs != nullptr && !op->attrs_undeclared) attrs = context_.DefaultAttrs(*op->attrs);
  const TypeId type = TypeOfCall(context_, *op, attrs, types);
  if (!type || !IsSmall(context_, type, options_)) return {};
  auto sample = samples_.Run(to_.function(), {op, attrs}, args, type);
  // Passes must handle programs without a value, too.
  if (!sample && !random_.Chance(options_.percent_undefined)) return {};
  const ExprId call = EmitCall(to_, op, args, attrs);
  if (sample) samples_.Set(call, *std::move(sample));
  return call;
}

void FunctionGenerator::StepOpCall() {
  const OpDef& op = random_.Chance(60) ? *random_.Pick<const OpDef*>(kCommon) : *random_.Pick<const OpDef*>(PlainOps());
  const ExprId call = OpCall(op);
  if (call) Keep(call, TypeOf(call));
}

}  // namespace relayopt
