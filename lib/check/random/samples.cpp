// Sample values of the expressions of a program that is being generated.
#include "samples.h"

#include <algorithm>
#include <cmath>

#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/eval/value.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

template <typename T>
auto AllFinite(const Tensor& tensor) -> bool {
  const auto elements = tensor.elements<T>();
  return std::all_of(elements.begin(), elements.end(), [](T x) { return std::isfinite(x); });
}

auto IsFinite(const Tensor& tensor) -> bool {
  if (tensor.dtype() == DataType::Float(32)) return AllFinite<float>(tensor);
  if (tensor.dtype() == DataType::Float(64)) return AllFinite<double>(tensor);
  return true;
}

}  // namespace

auto Samples::Run(const Function& function, const OpInstance& instance, std::span<const ExprId> args, TypeId result)
    -> std::optional<Sample> {
  std::vector<Sample> operands;
  for (const ExprId arg : args) {
    const Sample* sample = Of(function, arg);
    if (sample == nullptr) return std::nullopt;
    operands.push_back(*sample);
  }
  const auto inputs = MapToVector<KernelInput>(operands, [&](const Sample& operand) {
    return KernelInput{operand.tensors, operand.is_tuple};
  });
  auto made = RunKernel(context_, instance, inputs, result);
  if (!made || !made->undefined.empty() || !std::ranges::all_of(made->tensors, IsFinite)) return std::nullopt;
  return Sample{std::move(made->tensors), made->is_tuple};
}

void Samples::Copy(ExprId from, ExprId to) {
  const auto found = samples_.find(from.value());
  if (found == samples_.end()) return;
  Sample sample = found->second;
  Set(to, std::move(sample));
}

auto Samples::Of(const Function& function, ExprId id) -> const Sample* {
  const auto found = samples_.find(id.value());
  if (found != samples_.end()) return &found->second;
  std::optional<Sample> sample;
  if (function.kind(id) == ExprKind::kConstant) {
    sample = Sample{{Tensor(function.constant(id))}, false};
  } else if (function.kind(id) == ExprKind::kTuple) {
    sample = Sample{{}, true};
    for (const ExprId field : function.operands(id)) {
      const Sample* of_field = Of(function, field);
      if (of_field == nullptr || of_field->is_tuple) return nullptr;
      sample->tensors.push_back(of_field->tensors[0]);
    }
  } else {
    sample = Make(function.type(id));
  }
  if (!sample) return nullptr;
  return &samples_.insert_or_assign(id.value(), *std::move(sample)).first->second;
}

auto Samples::Make(TypeId type) -> std::optional<Sample> {
  if (!type) return std::nullopt;
  const auto value = MakeValue(context_, type, {}, samples_.size());
  if (!value) return std::nullopt;
  if (value->is_tensor()) return Sample{{value->tensor()}, false};
  if (value->kind() != ValueKind::kTuple) return std::nullopt;
  Sample sample{{}, true};
  for (const Value& field : value->fields()) {
    if (!field.is_tensor()) return std::nullopt;
    sample.tensors.push_back(field.tensor());
  }
  return sample;
}

}  // namespace relayopt
