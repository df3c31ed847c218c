// Evaluator: runs Relay programs.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
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

// Limits of an evaluation; exceeding one is an error.
struct EvaluationLimits {
  // Their max_steps is not used: operators share the steps of the evaluation.
  KernelLimits kernels;
  // The number of expressions to evaluate altogether, where an operator counts once more for each kWorkOfStep
  // operations on elements.
  uint64_t max_steps = uint64_t{1} << 24;
  // The number of nested function calls.
  size_t max_depth = size_t{1} << 20;
  // The number of values that nested function calls have room for.
  size_t max_slots = size_t{1} << 21;
};

// Called before each operator call is evaluated, with its arguments.
using OpObserver = std::function<void(const OpDef& op, std::span<const Value> args)>;

// How often an operator was evaluated, and how long that took.
struct OpProfile {
  uint64_t calls = 0;
  std::chrono::nanoseconds time{};
};

// The floats that decided something by being zero or not, over several disturbed evaluations of one program: those that
// were cast to truth values, the differences of those that were compared, and divisors.
struct ZeroLog {
  // The numbers at one position.
  struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void Add(double number);
    // Whether the numbers are as far from one another as from zero, so that rounding may make one of them zero.
    auto MayBeZero() const -> bool;
  };
  // By decision, in the order of evaluation, and element.
  std::vector<std::vector<Range>> decisions;
};

// Evaluates the functions of one module. Evaluation is strict: the expressions of a scope are evaluated in the order of
// the table, which is the order in which the A-normal form of the program binds them. Nothing is recursive. Programs
// that fail (no kernel, division by zero, a limit reached, no clause that matches) end with a diagnostic. An evaluator
// is for one thread; a module may have several evaluators.
class Evaluator {
 public:
  explicit Evaluator(const Module& module, EvaluationLimits limits = {});
  Evaluator(const Evaluator&) = delete;
  auto operator=(const Evaluator&) -> Evaluator& = delete;
  ~Evaluator();

  // Calls a global function. The arguments must have the types of its parameters; extents `?` are arbitrary.
  auto Call(GlobalId id, std::vector<Value> args) -> Result<Value>;
  // The same for a function that this evaluator has computed, a value of kind kClosure.
  auto Apply(const Value& closure, std::vector<Value> args) -> Result<Value>;
  // Returns the types of the parameters of such a function.
  static auto ParamTypes(const Value& closure) -> std::vector<TypeId>;

  // From now on perturbs the floats that operators compute, at random and by as much as their precision permits. How
  // far two results of the same program then differ shows how much it magnifies rounding errors. What may be zero
  // according to earlier evaluations in `zeros` sometimes is.
  void Disturb(uint64_t seed, ZeroLog* zeros = nullptr);
  // From now on moves what operators round to quantized numbers (RoundsToSteps) by a step up or down, at random. How
  // far two results then differ shows what the steps of the program allow.
  void DisturbSteps(uint64_t seed);
  // From now on puts arbitrary numbers in the place of results that another way to compute the same need not have: NaN
  // that an operator makes of infinities, infinities that it makes of numbers or may make of scaled ones, the largest
  // of numbers with NaN among them or of nothing but infinities, and zeros times NaN. With `domain_errors` also NaN
  // that it makes of numbers. Where two results then differ, such a result decides. Seeds from 1 to 4 put one value
  // everywhere.
  void ReplaceOpen(uint64_t seed, bool domain_errors);
  // Perturbs the floats in values likewise, if Disturb has been called.
  auto Disturbed(std::vector<Value> values) -> std::vector<Value>;
  void set_observer(OpObserver observer) { observer_ = std::move(observer); }
  // From now on operators are counted and timed, by name; what was counted before is forgotten.
  void StartProfile() { profile_ = std::make_unique<std::map<std::string_view, OpProfile>>(); }
  // Of StartProfile; null before that.
  auto profile() const -> const std::map<std::string_view, OpProfile>* { return profile_.get(); }

  // The first operator so far whose result TVM leaves undefined, and the reason; returns empty if there is none.
  auto undefined() const -> const std::string& { return undefined_; }

 private:
  friend class Machine;

  class Disturbance;

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
