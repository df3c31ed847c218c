// The solver for the type of a single call, outside of any function.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "relayopt/relay/ops/type_rule.h"
#include "relayopt/relay/types/unifier.h"

namespace relayopt {

// Unification for one call of which nothing but the input types is known. Errors of the rule are not kept.
class KnownTypesSolver final : public RuleSolver {
 public:
  KnownTypesSolver(Unifier& unifier, std::span<const TypeId> inputs) : unifier_(unifier), inputs_(inputs) {}

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
  auto InputConstant(size_t) const -> const Constant* override {
    is_pure_ = false;
    return nullptr;
  }

  // Returns the result type, or invalid if the rule did not determine it.
  auto result() -> TypeId { return result_ ? unifier_.Resolve(result_) : result_; }
  // Whether the rule has looked at nothing but types and has stated the result once.
  auto is_pure() const -> bool { return is_pure_; }

 private:
  Unifier& unifier_;
  std::span<const TypeId> inputs_;
  TypeId result_;
  mutable bool is_pure_ = true;
};

}  // namespace relayopt
