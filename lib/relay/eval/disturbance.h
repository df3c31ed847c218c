// What an evaluation changes on purpose, so that several runs show what decides about a result.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "relayopt/core/tensor.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/ops/op_instance.h"
#include "relayopt/support/split_mix.h"

namespace relayopt {

class Evaluator::Disturbance {
 public:
  // Computes the operator on other operands; returns nullopt if that fails.
  using Compute = std::function<std::optional<std::vector<Tensor>>(std::span<const Tensor> operands)>;

  enum class Kind : uint8_t {
    kRounding,  // floats change by as much as their precision permits
    kSteps,     // what is rounded to quantized numbers moves by a step
    kOpen,      // results that the order of computing decides become arbitrary
  };

  Disturbance(Kind kind, uint64_t seed) : kind_(kind), seed_(seed), random_(seed) {}

  void set_zeros(ZeroLog* zeros) { zeros_ = zeros; }
  void set_domain_errors_are_open(bool are_open) { domain_errors_are_open_ = are_open; }

  // Changes an argument of the program.
  void DisturbArgument(Tensor& tensor);
  // Changes the operands of an operator. One tensor that is several operands: what an operator computes exactly of it
  // (a difference that is zero) another way of computing the same may round. Operands of normalizations, also if they
  // are constants.
  void DisturbOperands(const OpInstance& instance, std::span<Tensor> operands);
  // Changes the results of an operator.
  void DisturbResults(const OpInstance& instance, std::span<const Tensor> operands, std::span<Tensor> results,
                      const Compute& compute);

 private:
  // Returns a number in [-1, 1).
  auto NextNoise() -> double;
  // Perturbs a tensor by the rounding error of numbers of its own size, or of size `magnitude` when that is larger. As
  // numbers of type `precision` are rounded, if that is given.
  void Round(Tensor& tensor, double magnitude = 0, std::optional<DataType> precision = std::nullopt);
  // Moves elements by -step, 0 or step, within their type.
  void MoveByStep(Tensor& tensor, double step);
  void ReplaceOpen(const OpInstance& instance, std::span<const Tensor> operands, std::span<Tensor> results,
                   const Compute& compute);
  // Puts arbitrary numbers at the open positions.
  void ReplaceAt(Tensor& result, const std::vector<bool>& is_open);
  // Makes the truth values arbitrary whose deciding numbers rounding may make zero.
  void DecideAtZero(const OpInstance& instance, std::span<const Tensor> operands, Tensor& result);
  // Computes the results anew with divisors that are zero, where rounding may make them zero.
  void DivideByZero(const OpInstance& instance, std::span<const Tensor> operands, std::span<Tensor> results,
                    const Compute& compute);
  // Records the numbers of a decision. Returns, for each of them that rounding may make zero, whether it is zero in
  // this run.
  auto ChooseZeros(const std::vector<double>& numbers) -> std::vector<std::optional<bool>>;

  Kind kind_;
  uint64_t seed_;
  SplitMix random_;
  ZeroLog* zeros_ = nullptr;
  // The number of decisions so far, which is the position in the log.
  size_t num_decisions_ = 0;
  bool domain_errors_are_open_ = false;
};

}  // namespace relayopt
