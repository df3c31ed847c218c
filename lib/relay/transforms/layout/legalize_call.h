// The interface for the rules of Legalize, and their helpers.
#pragma once

#include <vector>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/target/target.h"

namespace relayopt {

// A call that a rule looks at.
struct LegalizeCall {
  const Function& function;
  ExprId id;
  FunctionBuilder& to;
  // The new operands.
  std::vector<ExprId> args;
  const Target& target;

  auto context() const -> Context& { return function.context(); }
  template <typename A>
  auto attrs() const -> const A* {
    return context().As<A>(function.attrs(id));
  }
  // Returns the type of operand `i` of the old call, or null if it is not a tensor.
  auto tensor(size_t i) const -> const Type* { return TensorOf(function.type(function.operand(id, i))); }
  auto result() const -> const Type* { return TensorOf(function.type(id)); }

 private:
  auto TensorOf(TypeId type) const -> const Type* {
    return type && context().type(type).is_tensor() ? &context().type(type) : nullptr;
  }
};

// Padding as builders write it: before each spatial axis, then after each.
inline void SpellOutPadding(DimList& padding, size_t spatial) {
  if (padding.size() == 1) padding.values.assign(2 * spatial, padding[0]);
  if (padding.size() != spatial) return;
  const std::vector<Dim> before = padding.values;
  padding.values.insert(padding.values.end(), before.begin(), before.end());
}

}  // namespace relayopt
