// Type rules learn weights from data; run with unknown weights, they tell which would fit.
#include "lib/fuzz/learn_inputs.h"

#include "relayopt/ops/type_rule.h"
#include "relayopt/types/unifier.h"

namespace relayopt {

namespace {

class LearningSolver final : public RuleSolver {
 public:
  LearningSolver(Unifier& unifier, std::span<const TypeId> inputs) : unifier_(unifier), inputs_(inputs) {}

  auto UnifyInput(size_t i, TypeId type) -> bool override { return unifier_.Unify(inputs_[i], type).has_value(); }
  auto UnifyResult(TypeId type) -> bool override {
    const std::optional<TypeId> unified = result_ ? unifier_.Unify(result_, type) : type;
    if (unified) result_ = *unified;
    return unified.has_value();
  }
  auto MergeResultWithInput(size_t i) -> bool override { return UnifyResult(inputs_[i]); }
  void Report(std::optional<size_t>, std::string) override {}
  auto InputConstant(size_t) const -> const Constant* override { return nullptr; }

  auto result() const -> TypeId { return result_; }

 private:
  Unifier& unifier_;
  std::span<const TypeId> inputs_;
  TypeId result_;
};

}  // namespace

auto LearnInputs(Context& context, const OpDef& op, AttrsId attrs, std::vector<TypeId> inputs)
    -> std::optional<LearntCall> {
  Unifier unifier(context);
  for (TypeId& input : inputs) {
    if (!input) input = unifier.Fresh();
  }
  LearningSolver solver(unifier, inputs);
  RuleContext rule(context, op, attrs, inputs, {}, solver);
  if (op.type(rule) != RuleStatus::kDone || !solver.result()) return std::nullopt;
  LearntCall call{{}, unifier.Resolve(solver.result())};
  if (context.type(call.result).has_incomplete) return std::nullopt;
  for (const TypeId input : inputs) {
    call.inputs.push_back(unifier.Resolve(input));
    if (context.type(call.inputs.back()).has_incomplete) return std::nullopt;
  }
  return call;
}

}  // namespace relayopt
