// The vocabulary of code that emits many calls: rules of gradients, of quantized operators, of targets.
#pragma once

#include <initializer_list>
#include <utility>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

// Emits typed calls into a function under construction, which must outlive it.
class CallEmitter {
 public:
  explicit CallEmitter(FunctionBuilder& to) : to_(&to) {}

  auto to() const -> FunctionBuilder& { return *to_; }
  // Returns the type of what has been emitted, or null if it is not known to be a tensor.
  auto tensor(ExprId made) const -> const Type* { return TensorType(to_->function(), made); }

  auto Call(const OpDef* op, std::initializer_list<ExprId> args, AttrsId attrs = {}) const -> ExprId {
    return EmitCall(*to_, op, args, attrs);
  }
  template <typename A>
  auto CallWith(const OpDef* op, const A& attrs, std::initializer_list<ExprId> args) const -> ExprId {
    return EmitCallWith(*to_, op, attrs, args);
  }
  auto Add(ExprId a, ExprId b) const -> ExprId { return Call("add"_op, {a, b}); }
  auto Subtract(ExprId a, ExprId b) const -> ExprId { return Call("subtract"_op, {a, b}); }
  auto Multiply(ExprId a, ExprId b) const -> ExprId { return Call("multiply"_op, {a, b}); }
  auto Divide(ExprId a, ExprId b) const -> ExprId { return Call("divide"_op, {a, b}); }
  auto Negative(ExprId a) const -> ExprId { return Call("negative"_op, {a}); }
  auto Where(ExprId condition, ExprId a, ExprId b) const -> ExprId { return Call("where"_op, {condition, a, b}); }
  auto Cast(ExprId data, DataType dtype) const -> ExprId;
  auto Clip(ExprId data, double min, double max) const -> ExprId;
  auto Sum(ExprId data, DimList axes, bool keepdims = false) const -> ExprId;

  // Constants of rank 0: floats are rounded to the type, integers wrap.
  auto Int(int64_t value, DataType dtype = DataType::Int(32)) const -> ExprId { return EmitScalar(*to_, dtype, value); }
  auto Real(double value, DataType dtype = DataType::Float(32)) const -> ExprId {
    return EmitScalar(*to_, dtype, value);
  }
  auto EmitConstant(Constant constant) const -> ExprId;

 private:
  FunctionBuilder* to_;
};

}  // namespace relayopt
