// Builds a let chain.
#pragma once

#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Returns the next of the names that passes make, `x_0`, `x_1`, ...
inline auto FreshName(Context& names, PassContext& context) -> StringId {
  constexpr size_t kMostDigits = 20;
  std::array<char, kMostDigits + 2> text = {'x', '_'};
  const auto end = std::to_chars(text.data() + 2, text.data() + text.size(), context.NextFreshName()).ptr;
  return names.Intern(std::string_view(text.data(), end));
}

// Returns a variable named `x_<n>` with a fresh number and the type of `value`.
inline auto FreshVarFor(FunctionBuilder& to, PassContext& context, ExprId value) -> ExprId {
  const ExprId var = to.Var({.name = FreshName(to.context(), context), .annotation = {}, .virtual_device = {}});
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
