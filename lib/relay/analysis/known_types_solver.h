// The solver for the type of a single call whose input types are known.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/type_rule.h"
#include "relayopt/relay/types/unifier.h"

namespace relayopt {

// Unification for one call of which nothing but the input types is known. Errors of the rule are not kept.
class KnownTypesSolver final : public RuleSolver {
 public:
  KnownTypesSolver(Unifier& unifier, std::span<const TypeId> inputs) : unifier_(unifier), inputs_(inputs) {}
  // For a call of `function` with these operands, of which the rule may ask for constants.
  KnownTypesSolver(Unifier& unifier, std::span<const TypeId> inputs, const Function& function,
                   std::span<const ExprId> operands)
      : unifier_(unifier), inputs_(inputs), function_(&function), operands_(operands) {}

  auto UnifyInput(size_t i, TypeId type) -> bool override {
    is_pure_ = is_pure_ && inputs_[i] == type;
    return unifier_.Unify(inputs_[i], type).has_value();
  }
  auto UnifyResult(TypeId type) -> bool override {
    is_pure_ = is_pure_ && !result_;
    // Some rules state a result twice; the two must agree.
    const std::optional<TypeId> unified = result_ ? unifier_.Unify(result_, type) : type;
    if (unified) result_ = *unified;
    return unified.has_value();
  }
  auto MergeResultWithInput(size_t i) -> bool override {
    is_pure_ = false;
    return UnifyResult(inputs_[i]);
  }
  void Report(std::optional<size_t>, std::string) override {}
  auto InputConstant(size_t i) const -> const Constant* override {
    is_pure_ = false;
    const bool is_constant = function_ != nullptr && function_->kind(operands_[i]) == ExprKind::kConstant;
    return is_constant ? &function_->constant(operands_[i]) : nullptr;
  }

  // Returns the result type, or invalid if the rule did not determine it.
  auto result() -> TypeId { return result_ ? unifier_.Resolve(result_) : result_; }
  // Whether the rule has looked at nothing but types and has stated the result once.
  auto is_pure() const -> bool { return is_pure_; }

 private:
  Unifier& unifier_;
  std::span<const TypeId> inputs_;
  const Function* function_ = nullptr;
  std::span<const ExprId> operands_;
  TypeId result_;
  mutable bool is_pure_ = true;
};

}  // namespace relayopt
