// Evaluator: runs Relay programs.
#include "relayopt/relay/eval/evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "machine.h"
#include "relayopt/relay/eval/compare.h"

namespace relayopt {

namespace {

// Returns a number in [-1, 1) and advances `state`.
auto NextNoise(uint64_t& state) -> double {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<double>(static_cast<int32_t>(state >> 32)) / 2147483648.0;
}

// Floats below this may be treated as 0.
constexpr double kVerySmall = 1e-30;

// Calls `visit` with a value of the C++ type of a float; does nothing for other types.
template <typename Visit>
void VisitFloats(DataType dtype, Visit&& visit) {
  if (dtype == DataType::Float(64)) visit(double());
  if (dtype == DataType::Float(32)) visit(float());
  if (dtype == DataType::Float(16)) visit(Half());
  if (dtype == DataType::BFloat(16)) visit(BFloat());
}

}  // namespace

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
  std::vector<TypeId> types;
  for (const ExprId param : plan.function.params(plan.lambdas[closure.object().lambda].function)) {
    types.push_back(plan.function.type(param));
  }
  return types;
}

void Evaluator::Disturb(uint64_t seed) { disturbance_ = std::make_unique<Disturbance>(Disturbance{.state = seed}); }

void Evaluator::DisturbSteps(uint64_t seed) {
  disturbance_ = std::make_unique<Disturbance>(Disturbance{.state = seed, .steps = true});
}

void Evaluator::DisturbByStep(Tensor& tensor, double step) {
  const auto move = [&]<typename T>(T) {
    Tensor made(tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()});
    T* to = made.mutable_data<T>();
    for (const T& element : tensor.elements<T>()) {
      const double direction = std::round(NextNoise(disturbance_->state) * 1.5);
      const double moved = static_cast<double>(element) + direction * step;
      const bool fits = !std::is_integral_v<T> || (moved >= static_cast<double>(std::numeric_limits<T>::min()) &&
                                                   moved <= static_cast<double>(std::numeric_limits<T>::max()));
      *to++ = fits ? static_cast<T>(moved) : element;
    }
    tensor = std::move(made);
  };
  if (tensor.dtype() == DataType::Int(8)) move(int8_t());
  if (tensor.dtype() == DataType::UInt(8)) move(uint8_t());
  if (tensor.dtype() == DataType::Int(16)) move(int16_t());
  if (tensor.dtype() == DataType::Int(32)) move(int32_t());
  if (tensor.dtype() == DataType::Float(32)) move(float());
}

auto Evaluator::Disturbed(std::vector<Value> values) -> std::vector<Value> {
  if (disturbance_ == nullptr || disturbance_->steps) return values;
  for (Value& value : values) {
    if (!value.is_tensor()) continue;
    Tensor tensor = value.tensor();
    DisturbTensor(tensor);
    value = Value(std::move(tensor));
  }
  return values;
}

auto Evaluator::LargestMagnitude(const Tensor& tensor) -> double {
  double largest = 0;
  const auto visit = [&]<typename T>(T) {
    for (const T& element : tensor.elements<T>()) largest = std::max(largest, std::abs(static_cast<double>(element)));
  };
  VisitFloats(tensor.dtype(), visit);
  return largest;
}

void Evaluator::DisturbTensor(Tensor& tensor, double magnitude) {
  const auto disturb = [&]<typename T>(T) {
    Tensor made(tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()});
    const double bound = RelativeBound(tensor.dtype());
    T* to = made.mutable_data<T>();
    for (const T& element : tensor.elements<T>()) {
      const auto number = static_cast<double>(element);
      if (!std::isfinite(number)) {
        *to++ = element;
        continue;
      }
      double noisy = number + bound * std::max(std::abs(number), magnitude) * NextNoise(disturbance_->state);
      // A value that one order of computation gives as 0 may be a small number in another.
      if (std::abs(number) < kVerySmall) noisy = NextNoise(disturbance_->state) < 0 ? 0 : kVerySmall;
      T disturbed = element;
      if constexpr (std::is_same_v<T, double>)
        disturbed = noisy;
      else
        disturbed = T(static_cast<float>(noisy));
      // A finite number stays finite.
      *to++ = std::isfinite(static_cast<double>(disturbed)) ? disturbed : element;
    }
    tensor = std::move(made);
  };
  VisitFloats(tensor.dtype(), disturb);
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
