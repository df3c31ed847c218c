// Emits expressions together with their types.
#pragma once

#include <span>

#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Returns the result type of a call, from the operator's type rule, or invalid if the rule rejects the call or needs
// types that are unknown.
auto TypeOfCall(Context& context, const OpDef& op, AttrsId attrs, std::span<const TypeId> inputs) -> TypeId;

// Emits a call of `op` on expressions of `to`. Without `attrs`, an operator that has attributes gets their defaults.
auto EmitCall(FunctionBuilder& to, const OpDef* op, std::span<const ExprId> args, AttrsId attrs = {}) -> ExprId;
inline auto EmitCall(FunctionBuilder& to, const OpDef* op, std::initializer_list<ExprId> args, AttrsId attrs = {})
    -> ExprId {
  return EmitCall(to, op, std::span(args.begin(), args.size()), attrs);
}
// The same with the attributes as a struct.
template <typename A>
auto EmitCallWith(FunctionBuilder& to, const OpDef* op, const A& attrs, std::initializer_list<ExprId> args) -> ExprId {
  return EmitCall(to, op, args, to.context().InternAttrs(attrs));
}

// Emit a tuple, and a projection from one, with their types.
auto EmitTuple(FunctionBuilder& to, std::span<const ExprId> fields) -> ExprId;
auto EmitTupleGetItem(FunctionBuilder& to, ExprId tuple, uint32_t index) -> ExprId;

// Emits a scalar constant: `value` converted to `dtype` (floats rounded to nearest even, integers wrapped).
auto EmitScalar(FunctionBuilder& to, DataType dtype, double value) -> ExprId;
auto EmitScalar(FunctionBuilder& to, DataType dtype, int64_t value) -> ExprId;

}  // namespace relayopt
