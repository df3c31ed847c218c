// Running Relay programs.
#include "relayopt/eval/evaluator.h"

#include "machine.h"

namespace relayopt {

Evaluator::Evaluator(const Module& module, EvaluationLimits limits) : module_(module), limits_(limits) {}
Evaluator::~Evaluator() = default;

auto Evaluator::Call(GlobalId id, std::vector<Value> args) -> Result<Value> {
  return Machine(*this).Run(id, std::move(args));
}

auto Evaluator::PlanOf(const FunctionRef& function) -> const FunctionPlan& {
  auto& plan = plans_[function.get()];
  if (plan == nullptr) plan = std::make_unique<FunctionPlan>(function);
  return *plan;
}

auto Evaluator::TensorOf(ConstantId id) -> const Tensor& {
  const auto [entry, is_new] = constants_.try_emplace(id);
  if (is_new) entry->second = Tensor(module_.context().constant(id));
  return entry->second;
}

}  // namespace relayopt
