// Counting of the steps of roundings to quantized numbers.
//
//   %0 = qnn.quantize(%x, 0.5f, 0)            1 rounding on the way to output 0
//   %1 = qnn.dequantize(%0, 0.5f, 0)
//   %2 = qnn.quantize(nn.relu(%1), 0.1f, 0)   2 on the way to output 1
//   (%0, qnn.dequantize(%2, 0.1f, 0))         allowed: 1, and 2 * 0.1
#include "lib/check/quantization_steps.h"

#include <algorithm>
#include <cmath>

#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/quantization.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

// Facts about the values of an output.
struct Output {
  size_t steps = 0;
  // The distance of neighbouring values, or 0 if it is not known.
  double scale = 0;
};

auto CountSteps(const Function& function, const SideTable<ExprId, bool>* reached) -> size_t {
  size_t count = 0;
  for (const ExprId id : function.ids()) {
    if (reached != nullptr && !(*reached)[id]) continue;
    if (function.kind(id) == ExprKind::kOpCall) count += StepsOf(*function.op(id));
  }
  return count;
}

// The steps of the roundings in `output` and in what it is computed from.
auto StepsOnTheWay(const Function& function, ExprId output) -> size_t {
  SideTable<ExprId, bool> reached(function.size());
  reached[output] = true;
  for (const ExprId id : function.ids().reversed()) {
    if (!reached[id]) continue;
    for (const ExprId operand : function.operands(id)) reached[operand] = true;
  }
  return CountSteps(function, &reached);
}

auto LargestElement(const Constant& constant) -> double {
  const auto scalar = constant.ScalarAsDouble();
  return scalar ? std::fabs(*scalar) : 0;
}

// The scale of numbers that are dequantized last of all.
auto ScaleOf(const Function& function, ExprId output) -> double {
  if (function.kind(output) != ExprKind::kOpCall || function.op(output) != "qnn.dequantize"_op) return 0;
  const ExprId scale = function.operand(output, 1);
  return function.kind(scale) == ExprKind::kConstant ? LargestElement(function.constant(scale)) : 0;
}

// Returns what is known about `count` outputs: those of a literal tuple one by one, else all together.
auto OutputsOf(const Module& module, std::string_view entry, size_t count) -> std::vector<Output> {
  const GlobalId id = module.FindGlobal(entry);
  const Function* function = id ? module.function<Function>(id) : nullptr;
  if (function == nullptr) return std::vector<Output>(count);
  // Other functions may be called on the way to any output.
  size_t elsewhere = 0;
  for (const GlobalId other : module.SortedFunctions<Function>()) {
    if (other != id) elsewhere += CountSteps(*module.function<Function>(other), nullptr);
  }
  const ExprId body = function->body();
  const auto describe = [&](ExprId output) {
    return Output{StepsOnTheWay(*function, output) + elsewhere, ScaleOf(*function, output)};
  };
  std::vector<Output> outputs;
  if (function->kind(body) == ExprKind::kTuple && function->operands(body).size() == count) {
    for (const ExprId field : function->operands(body)) outputs.push_back(describe(field));
    return outputs;
  }
  return std::vector<Output>(count, describe(body));
}

auto LargestNumber(const Tensor& tensor) -> double {
  double largest = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double number = std::fabs(NumberAt(tensor, i));
    if (std::isfinite(number)) largest = std::max(largest, number);
  }
  return largest;
}

}  // namespace

auto QuantizationSlack(const Module& before, const Module& after, std::string_view entry, const Value& expected)
    -> std::vector<RoundingTolerance> {
  constexpr double kLargest = 127;
  std::vector<Tensor> tensors;
  FlattenTensors(expected, tensors);
  const std::vector<Output> here = OutputsOf(before, entry, tensors.size());
  const std::vector<Output> there = OutputsOf(after, entry, tensors.size());
  std::vector<RoundingTolerance> slack;
  for (size_t k = 0; k < tensors.size(); ++k) {
    double step = 1;
    if (tensors[k].dtype().is_float()) {
      step = std::max(here[k].scale, there[k].scale);
      if (step == 0) step = LargestNumber(tensors[k]) / kLargest;
    }
    slack.push_back({static_cast<double>(std::max(here[k].steps, there[k].steps)) * step});
  }
  return slack;
}

}  // namespace relayopt
