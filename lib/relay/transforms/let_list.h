// Builds a let chain.
#pragma once

#include <fmt/core.h>

#include <vector>

#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Returns a variable named `x_<n>` with a fresh number and the type of `value`.
inline auto FreshVarFor(FunctionBuilder& to, PassContext& context, ExprId value) -> ExprId {
  const StringId name = to.context().Intern(fmt::format("x_{}", context.NextFreshName()));
  const ExprId var = to.Var({.name = name, .annotation = {}, .virtual_device = {}});
  to.SetType(var, to.function().type(value));
  return var;
}

// The steps of a let chain, in order, until the result is known.
class LetList {
 public:
  LetList(FunctionBuilder& to, PassContext& context) : to_(&to), context_(&context) {}

  auto to() const -> FunctionBuilder& { return *to_; }

  // Binds `value` to a fresh variable, which is returned.
  auto Push(ExprId value) -> ExprId {
    const ExprId var = FreshVarFor(*to_, *context_, value);
    Push(var, value);
    return var;
  }
  void Push(ExprId var, ExprId value) {
    steps_.push_back(var);
    steps_.push_back(value);
  }

  // Returns variables and values alternately, and clears the list.
  auto TakeSteps() -> std::vector<ExprId> { return std::exchange(steps_, {}); }

  // Returns `result` with the chain around it, and clears the list.
  auto Close(ExprId result) -> ExprId {
    if (steps_.empty()) return result;
    const ExprId let = to_->Let(steps_, result);
    to_->SetType(let, to_->function().type(result));
    steps_.clear();
    return let;
  }

 private:
  FunctionBuilder* to_;
  PassContext* context_;
  std::vector<ExprId> steps_;
};

}  // namespace relayopt
