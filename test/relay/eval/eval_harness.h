// Runs operators and programs, with results as text.
#pragma once

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/eval/format.h"
#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/text/reader.h"

namespace relayopt::testing {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

inline auto Extents(const Tensor& tensor) -> std::vector<int64_t> {
  return {tensor.shape().begin(), tensor.shape().end()};
}

template <typename T>
auto Make(DataType dtype, std::vector<int64_t> shape, const std::vector<T>& values) -> Tensor {
  Tensor tensor(dtype, std::move(shape));
  REQUIRE(tensor.size() == static_cast<int64_t>(values.size()));
  std::copy(values.begin(), values.end(), tensor.mutable_data<T>());
  return tensor;
}
inline auto Floats(std::vector<int64_t> shape, const std::vector<float>& values) -> Tensor {
  return Make<float>(DataType::Float(32), std::move(shape), values);
}
inline auto Ints(std::vector<int64_t> shape, const std::vector<int32_t>& values) -> Tensor {
  return Make<int32_t>(DataType::Int(32), std::move(shape), values);
}

// One operator on tensors.
class OpRunner {
 public:
  Context context;

  template <typename A>
  auto Run(const OpDef* op, const std::vector<Tensor>& inputs, const A& attrs) -> Result<KernelResult> {
    return Run(op, inputs, context.InternAttrs(attrs));
  }
  auto Run(const OpDef* op, const std::vector<Tensor>& inputs, AttrsId attrs = {}) -> Result<KernelResult> {
    std::vector<KernelInput> arguments;
    for (const Tensor& input : inputs) arguments.push_back({std::span(&input, 1), false});
    return RunKernel(context, {op, attrs}, arguments, {}, limits);
  }

  // The elements of the first result; `error: ...`; with ` undefined` behind when the reference leaves the result open.
  template <typename... Args>
  auto Text(const OpDef* op, const std::vector<Tensor>& inputs, const Args&... attrs) -> std::string {
    const auto result = Run(op, inputs, attrs...);
    if (!result) return "error: " + result.error().text;
    std::string text;
    const Tensor& tensor = result->tensors[0];
    for (int64_t i = 0; i < tensor.size(); ++i) text += (i == 0 ? "" : " ") + FormatElement(tensor, i);
    return text + (result->undefined.empty() ? "" : " undefined");
  }

  KernelLimits limits;
};

// A well-typed module.
inline auto ReadProgram(std::string_view text) -> Module {
  DiagnosticSink sink;
  auto module = ReadModule(SourceText::FromString("test.relay", "#[version = \"0.0.5\"]\n" + std::string(text)), sink);
  REQUIRE(module.has_value());
  REQUIRE(InferTypes(*module, sink));
  return *std::move(module);
}

// The result of @main, or the name of the diagnostic it ends with.
inline auto RunProgram(const Module& module, std::vector<Value> args = {}, EvaluationLimits limits = {})
    -> std::string {
  Evaluator evaluator(module, limits);
  const auto result = evaluator.Call(module.FindGlobal("main"), std::move(args));
  return result ? FormatValue(module, *result) : std::string(result.error().kind->id);
}
inline auto RunProgram(std::string_view text, EvaluationLimits limits = {}) -> std::string {
  return RunProgram(ReadProgram(text), {}, limits);
}

}  // namespace relayopt::testing
