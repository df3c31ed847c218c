// Casts of operands, each made once.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "relayopt/ir/emit.h"

namespace relayopt {

// Makes casts in the function being built and remembers them: one expression is cast to one type once, and casting a
// cast back gives the expression.
class CastCache {
 public:
  explicit CastCache(FunctionBuilder& to) : to_(to) {}

  // A float tensor of type `from` as `wanted`.
  auto Cast(ExprId tensor, DataType from, DataType wanted) -> ExprId;

  // An operand of type `type` with its floats cast to `wanted`: a tensor, or a tuple of tensors, of which a new tuple
  // is made when a field changes. Anything else stays.
  auto CastFloats(ExprId operand, TypeId type, DataType wanted) -> ExprId;

  // The value with its floats cast so that it has type `target`. What is no float, and types that differ in more, stay.
  auto CastTo(ExprId value, TypeId target) -> ExprId;

 private:
  auto TypeOf(ExprId id) const -> TypeId { return to_.function().type(id); }

  FunctionBuilder& to_;
  absl::flat_hash_map<std::pair<ExprId, DataType>, ExprId> casts_;
};

}  // namespace relayopt
