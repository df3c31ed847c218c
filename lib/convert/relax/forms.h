// How operators are said in Relax: one row an operator.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/relay/ir/function.h"

namespace relayopt::relax {

// A call that is being written.
class RelaxCall {
 public:
  RelaxCall(const Function& function, ExprId id, std::vector<std::string> args)
      : args(std::move(args)), function_(function), id_(id) {}

  // The i-th argument and the type of the call; null when it is no known tensor.
  auto input(size_t i) const -> const Type* { return TensorOf(function_.operand(id_, i)); }
  auto result() const -> const Type* { return TensorOf(id_); }
  auto op() const -> const OpDef* { return function_.op(id_); }
  auto num_inputs() const -> size_t { return args.size(); }
  template <typename A>
  auto attrs() const -> const A* {
    return function_.context().As<A>(function_.attrs(id_));
  }
  // The constant that an argument is (through a variable that is bound to it), or null.
  const Constant* (*constant_of)(const RelaxCall& call, size_t i) = nullptr;
  const void* user = nullptr;
  auto constant(size_t i) const -> const Constant* { return constant_of(*this, i); }
  auto operand(size_t i) const -> ExprId { return function_.operand(id_, i); }
  auto function() const -> const Function& { return function_; }

  // `R.NAME(a, b, axis=1)`: the arguments and those attributes that `attrs` names, `relay_name` or
  // `relay_name=relax_name`, separated by blanks. Attributes that are null or empty are left out.
  auto Write(std::string_view name, std::string_view attrs) const -> std::string;

  // The arguments as they are written in the text. A tuple is `(a, b)`.
  std::vector<std::string> args;

 private:
  auto TensorOf(ExprId id) const -> const Type*;

  const Function& function_;
  ExprId id_;
};

// What the call becomes; nothing when this call has no form (an extent that is not known, an attribute that Relax
// lacks).
using RelaxWriter = auto(*)(const RelaxCall& call) -> std::optional<std::string>;

struct RelaxForm {
  // The name under `R.`; empty where the writer makes the whole.
  std::string_view name;
  // See RelaxCall::Write.
  std::string_view attrs;
  // For what is not one to one.
  RelaxWriter write = nullptr;
};

// Null when the operator has none.
auto FindRelaxForm(const OpDef* op) -> const RelaxForm*;

}  // namespace relayopt::relax
