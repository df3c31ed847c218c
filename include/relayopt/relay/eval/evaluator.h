// Running Relay programs.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/eval/value.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

struct EvaluationLimits {
  KernelLimits kernels;
  // Expressions evaluated altogether.
  uint64_t max_steps = uint64_t{1} << 32;
  // Function calls that wait for others.
  size_t max_depth = size_t{1} << 20;
};

// Sees every call of an operator with its arguments, before it is evaluated.
using OpObserver = std::function<void(const OpDef& op, std::span<const Value> args)>;

// How often an operator was evaluated, and how long that took.
struct OpProfile {
  uint64_t calls = 0;
  std::chrono::nanoseconds time{};
};

// Evaluates functions of one module, strictly: what a scope holds is evaluated in the order of the table, which is the
// order in which the program's normal form binds it. Does not recurse on anything. Programs that fail (no kernel,
// division by zero, a limit reached, no clause that matches) end with a diagnostic. For one thread; modules may have
// several evaluators.
class Evaluator {
 public:
  explicit Evaluator(const Module& module, EvaluationLimits limits = {});
  Evaluator(const Evaluator&) = delete;
  auto operator=(const Evaluator&) -> Evaluator& = delete;
  ~Evaluator();

  // The result of the global function. The arguments have the types of its parameters, with any extents for `?`.
  auto Call(GlobalId id, std::vector<Value> args) -> Result<Value>;
  // The same for a function that this evaluator has computed, a value of kind kClosure.
  auto Apply(const Value& closure, std::vector<Value> args) -> Result<Value>;
  // The types of the parameters of such a function.
  static auto ParamTypes(const Value& closure) -> std::vector<TypeId>;

  // From now on the floats that operators compute change at random by as much as their precision lets them differ from
  // what is right: two results of one program tell how much it magnifies rounding.
  void Disturb(uint64_t seed);
  // The values with the floats among them changed in that way, once Disturb has been called.
  auto Disturbed(std::vector<Value> values) -> std::vector<Value>;
  // Whether in a disturbed evaluation an operator has made an infinity of numbers, or NaN of what was none: another way
  // of computing the same may stay in the range of floats there, or leave it.
  auto left_numbers() const -> bool { return disturbance_ != nullptr && disturbance_->left_numbers; }
  void set_observer(OpObserver observer) { observer_ = std::move(observer); }
  // From now on operators are counted and timed, by name; what was counted before is forgotten.
  void StartProfile() { profile_ = std::make_unique<std::map<std::string_view, OpProfile>>(); }
  // Of StartProfile; null before that.
  auto profile() const -> const std::map<std::string_view, OpProfile>* { return profile_.get(); }

  // The first operator so far whose result the reference leaves open, and why; empty when there was none.
  auto undefined() const -> const std::string& { return undefined_; }

 private:
  friend class Machine;

  struct Disturbance {
    uint64_t state;
    bool left_numbers = false;
  };

  // By what rounds numbers of its own size, or of `magnitude` where that is more.
  void DisturbTensor(Tensor& tensor, double magnitude = 0);
  static auto LargestMagnitude(const Tensor& tensor) -> double;
  auto PlanOf(const FunctionRef& function) -> const FunctionPlan&;
  auto TensorOf(ConstantId id) -> const Tensor&;

  const Module& module_;
  EvaluationLimits limits_;
  absl::flat_hash_map<const Function*, std::unique_ptr<FunctionPlan>> plans_;
  absl::flat_hash_map<ConstantId, Tensor> constants_;
  std::string undefined_;
  std::unique_ptr<Disturbance> disturbance_;
  OpObserver observer_;
  std::unique_ptr<std::map<std::string_view, OpProfile>> profile_;
};

}  // namespace relayopt
