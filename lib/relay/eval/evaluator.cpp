// Evaluator: runs Relay programs.
#include "relayopt/relay/eval/evaluator.h"

#include <algorithm>
#include <cmath>

#include "disturbance.h"
#include "machine.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

Evaluator::Evaluator(const Module& module, EvaluationLimits limits) : module_(module), limits_(limits) {}
Evaluator::~Evaluator() = default;

auto Evaluator::Call(GlobalId id, std::vector<Value> args) -> Result<Value> {
  return Machine(*this).Run(id, std::move(args));
}

auto Evaluator::Apply(const Value& closure, std::vector<Value> args) -> Result<Value> {
  return Machine(*this).Run(closure, std::move(args));
}

auto Evaluator::ParamTypes(const Value& closure) -> std::vector<TypeId> {
  const FunctionPlan& plan = *closure.object().plan;
  return MapToVector<TypeId>(plan.function.params(plan.lambdas[closure.object().lambda].function),
                             [&](ExprId param) { return plan.function.type(param); });
}

void ZeroLog::Range::Add(double number) {
  least = std::min(least, number);
  most = std::max(most, number);
}

auto ZeroLog::Range::MayBeZero() const -> bool {
  const bool straddles = least <= 0 && most >= 0;
  const double nearest = straddles ? 0 : std::min(std::abs(least), std::abs(most));
  return most > least && nearest <= most - least;
}

void Evaluator::Disturb(uint64_t seed, ZeroLog* zeros) {
  disturbance_ = std::make_unique<Disturbance>(Disturbance::Kind::kRounding, seed);
  disturbance_->set_zeros(zeros);
}

void Evaluator::DisturbSteps(uint64_t seed) {
  disturbance_ = std::make_unique<Disturbance>(Disturbance::Kind::kSteps, seed);
}

void Evaluator::ReplaceOpen(uint64_t seed, bool domain_errors) {
  disturbance_ = std::make_unique<Disturbance>(Disturbance::Kind::kOpen, seed);
  disturbance_->set_domain_errors_are_open(domain_errors);
}

auto Evaluator::Disturbed(std::vector<Value> values) -> std::vector<Value> {
  if (disturbance_ == nullptr) return values;
  for (Value& value : values) {
    if (!value.is_tensor()) continue;
    Tensor tensor = value.tensor();
    disturbance_->DisturbArgument(tensor);
    value = Value(std::move(tensor));
  }
  return values;
}

auto Evaluator::PlanOf(const FunctionRef& function) -> const FunctionPlan& {
  auto& plan = plans_[function.get()];
  if (plan == nullptr) plan = std::make_unique<FunctionPlan>(function);
  return *plan;
}

auto Evaluator::TensorOf(ConstantId id) -> const Tensor& {
  const auto [entry, is_new] = constants_.try_emplace(id);
  if (is_new) entry->second = Tensor::View(module_.context().constant(id));
  return entry->second;
}

}  // namespace relayopt
