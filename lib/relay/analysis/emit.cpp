// Emits typed expressions, by running the type rule of a call on known types.
#include "relayopt/relay/analysis/emit.h"

#include <bit>

#include "absl/container/inlined_vector.h"
#include "call_types.h"
#include "known_types_solver.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"
#include "shared_result.h"

namespace relayopt {

namespace {

// Operands of most calls.
constexpr size_t kUsualCount = 8;

auto AttrsOrDefault(Context& context, const OpDef& op, AttrsId attrs) -> AttrsId {
  if (attrs || op.attrs == nullptr || op.attrs_undeclared) return attrs;
  return context.DefaultAttrs(*op.attrs);
}

}  // namespace

namespace {

// Returns the result of the call's rule; known results are cached. `operands` are those of a call of `function`, if
// there is one.
auto TypeOfInstance(Context& context, OpInstanceId id, std::span<const TypeId> inputs,
                    const Function* function = nullptr, std::span<const ExprId> operands = {}) -> TypeId {
  bool complete = true;
  for (const TypeId input : inputs) {
    if (!input) return {};
    complete = complete && !context.type(input).has_incomplete;
  }
  const auto key = complete ? CallTypes::KeyOf(id, inputs) : std::nullopt;
  if (key) {
    if (const TypeId type = context.Part<CallTypes>().Find(*key)) return type;
  }
  const OpInstance& instance = GetOpInstance(context, id);
  Unifier unifier(context);
  KnownTypesSolver solver =
      function == nullptr ? KnownTypesSolver(unifier, inputs) : KnownTypesSolver(unifier, inputs, *function, operands);
  RuleContext rule(context, *instance.op, instance.attrs, inputs, {}, solver);
  if (instance.op->type(rule) != RuleStatus::kDone) return {};
  const TypeId result = solver.result();
  if (key && result && solver.is_pure() && IsSharedResult(context, result))
    context.Part<CallTypes>().Remember(*key, result);
  return result;
}

}  // namespace

auto TypeOfCall(Context& context, const OpDef& op, AttrsId attrs, std::span<const TypeId> inputs) -> TypeId {
  return TypeOfInstance(context, InternOpInstance(context, {&op, attrs}), inputs);
}

auto EmitCall(FunctionBuilder& to, const OpDef* op, std::span<const ExprId> args, AttrsId attrs) -> ExprId {
  Context& context = to.context();
  const OpInstanceId instance = InternOpInstance(context, {op, AttrsOrDefault(context, *op, attrs)});
  absl::InlinedVector<TypeId, kUsualCount> inputs;
  for (const ExprId arg : args) inputs.push_back(to.function().type(arg));
  const ExprId call = to.OpCall(instance, args);
  to.SetType(call, TypeOfInstance(context, instance, inputs, &to.function(), args));
  return call;
}

auto EmitTuple(FunctionBuilder& to, std::span<const ExprId> fields) -> ExprId {
  const ExprId tuple = to.Tuple(fields);
  absl::InlinedVector<TypeId, kUsualCount> types;
  for (const ExprId field : fields) {
    if (!to.function().type(field)) return tuple;
    types.push_back(to.function().type(field));
  }
  to.SetType(tuple, to.context().Tuple(types));
  return tuple;
}

auto EmitTupleGetItem(FunctionBuilder& to, ExprId tuple, uint32_t index) -> ExprId {
  const ExprId item = to.TupleGetItem(tuple, index);
  const TypeId type = to.function().type(tuple);
  if (type && to.context().type(type).is_tuple() && index < to.context().type(type).args.size()) {
    to.SetType(item, to.context().type(type).args[index]);
  }
  return item;
}

namespace {

auto EmitBits(FunctionBuilder& to, DataType dtype, uint64_t bits) -> ExprId {
  const ExprId constant = to.Constant(to.context().ScalarConstant(dtype, bits));
  to.SetType(constant, to.context().Scalar(dtype));
  return constant;
}

// Whether the numbers of the type are integers of 1 to 64 bits.
auto HasIntegerCode(DataType dtype) -> bool {
  return (dtype.is_int() || dtype.is_uint() || dtype.is_bool()) && dtype.lanes == 1 && dtype.bits >= 1 &&
         dtype.bits <= 64;
}

// Numbers of this type, such as floats of eight bits, are not encoded here; a cast does the same.
auto EmitByCast(FunctionBuilder& to, DataType dtype, double value) -> ExprId {
  const ExprId number = EmitBits(to, DataType::Float(32), std::bit_cast<uint32_t>(static_cast<float>(value)));
  return EmitCallWith(to, "cast"_op, CastAttrs{dtype}, {number});
}

// Returns the bound of an integer type that is nearest to a number that does not fit in 64 bits; 0 for NaN.
auto EmitEnd(FunctionBuilder& to, DataType dtype, double value) -> ExprId {
  const int unused = 64 - dtype.bits;
  const bool is_signed = dtype.is_int();
  if (value > 0) return EmitBits(to, dtype, UINT64_MAX >> (unused + (is_signed ? 1 : 0)));
  return EmitBits(to, dtype, value < 0 && is_signed ? uint64_t{1} << (dtype.bits - 1) : 0);
}

}  // namespace

auto EmitScalar(FunctionBuilder& to, DataType dtype, double value) -> ExprId {
  if (dtype == DataType::Float(64)) return EmitBits(to, dtype, std::bit_cast<uint64_t>(value));
  if (dtype == DataType::Float(32)) return EmitBits(to, dtype, std::bit_cast<uint32_t>(static_cast<float>(value)));
  if (dtype == DataType::Float(16)) return EmitBits(to, dtype, DoubleToHalf(value));
  if (dtype == DataType::BFloat(16)) return EmitBits(to, dtype, FloatToBFloat(static_cast<float>(value)));
  if (!HasIntegerCode(dtype)) return EmitByCast(to, dtype, value);
  constexpr double kEnd = 9223372036854775808.0;
  if (!(value >= -kEnd && value < kEnd)) return EmitEnd(to, dtype, value);
  return EmitScalar(to, dtype, static_cast<int64_t>(value));
}

auto EmitScalar(FunctionBuilder& to, DataType dtype, int64_t value) -> ExprId {
  if (!HasIntegerCode(dtype)) return EmitScalar(to, dtype, static_cast<double>(value));
  if (dtype.is_bool()) return EmitBits(to, dtype, value != 0 ? 1 : 0);
  const uint64_t mask = dtype.bits >= 64 ? UINT64_MAX : (uint64_t{1} << dtype.bits) - 1;
  return EmitBits(to, dtype, static_cast<uint64_t>(value) & mask);
}

}  // namespace relayopt
