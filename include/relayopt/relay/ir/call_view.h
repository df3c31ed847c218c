// Calls of operators as rules look at them.
#pragma once

#include <span>

#include "relayopt/core/context.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Returns the type, or null if there is none or it is not a tensor.
inline auto TensorType(const Context& context, TypeId id) -> const Type* {
  return id && context.type(id).is_tensor() ? &context.type(id) : nullptr;
}
inline auto TensorType(const Function& function, ExprId id) -> const Type* {
  return TensorType(function.context(), function.type(id));
}

// Whether the expression is a call of this operator.
inline auto IsCallOf(const Function& function, ExprId id, const OpDef* op) -> bool {
  return function.kind(id) == ExprKind::kOpCall && function.op(id) == op;
}

// Returns the constant that the expression is, or null.
inline auto ConstantOf(const Function& function, ExprId id) -> const Constant* {
  return function.kind(id) == ExprKind::kConstant ? &function.constant(id) : nullptr;
}

// A call of an operator. The function must outlive it.
class CallView {
 public:
  CallView(const Function& function, ExprId id) : function_(&function), id_(id) {}

  auto function() const -> const Function& { return *function_; }
  auto context() const -> Context& { return function_->context(); }
  auto id() const -> ExprId { return id_; }
  auto op() const -> const OpDef* { return function_->op(id_); }
  // Returns null if the call has no attributes of that class.
  template <typename A>
  auto attrs() const -> const A* {
    return context().As<A>(function_->attrs(id_));
  }
  auto num_operands() const -> size_t { return function_->operands(id_).size(); }
  auto operand(size_t i) const -> ExprId { return function_->operand(id_, i); }
  // Returns the type of the i-th operand, or of the call, or null if it is not known to be a tensor.
  auto input(size_t i) const -> const Type* { return TensorType(*function_, operand(i)); }
  auto result() const -> const Type* { return TensorType(*function_, id_); }
  // Returns the constant that the i-th operand is, or null.
  auto constant(size_t i) const -> const Constant* { return ConstantOf(*function_, operand(i)); }

 private:
  const Function* function_;
  ExprId id_;
};

}  // namespace relayopt
