// The element types of rows: kernels compute on those that the row says, and on no others.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <vector>

#include "lib/check/random/random.h"
#include "lib/check/random/random_attrs.h"
#include "relayopt/relay/analysis/learn_inputs.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {
namespace {

// The cases that element_types distinguishes.
enum Class : size_t { kFloats, kIntegers, kTruth, kNumClasses };
constexpr std::string_view kClassNames[] = {"floating point", "integers", "truth values"};
using Classes = std::array<bool, kNumClasses>;

auto ClassOf(DataType dtype) -> Class {
  if (dtype.is_bool()) return kTruth;
  return dtype.is_float() ? kFloats : kIntegers;
}

auto RandomType(Random& random) -> DataType {
  return random.Pick({DataType::Float(32), DataType::Float(32), DataType::Float(64), DataType::Int(32),
                      DataType::Int(32), DataType::Int(64), DataType::UInt(8), DataType::Bool()});
}

auto RandomShape(Random& random) -> std::vector<Dim> {
  std::vector<Dim> shape;
  for (size_t rank = random.Pick<size_t>({1, 1, 2, 2, 3, 4, 4}); rank != 0; --rank) {
    shape.emplace_back(random.Pick<int64_t>({1, 2, 4, 4}));
  }
  return shape;
}

// The element types of the inputs of a random call that has a value; nothing when it has none.
auto TryCall(Random& random, Context& context, const OpDef& op) -> std::optional<std::vector<DataType>> {
  const DataType dtype = RandomType(random);
  const TypeId first = context.Tensor(RandomShape(random), dtype);
  const AttrsId attrs = RandomAttrs(random, context, op, context.type(first));
  std::vector<TypeId> inputs = {first};
  while (inputs.size() < Arity(op)) {
    const DataType other = random.Chance(50) ? dtype : RandomType(random);
    switch (random.Below(4)) {
      case 0: inputs.emplace_back(); break;
      case 1: inputs.push_back(context.Scalar(other)); break;
      case 2: inputs.push_back(context.Tensor(context.type(first).shape, other)); break;
      default: inputs.push_back(context.Tensor(RandomShape(random), other)); break;
    }
  }
  const auto call = LearnInputs(context, op, attrs, inputs);
  if (!call) return std::nullopt;
  std::vector<Tensor> tensors;
  std::vector<DataType> dtypes;
  for (const TypeId input : call->inputs) {
    if (!input || !context.type(input).is_tensor()) return std::nullopt;
    const auto value = MakeValue(context, input, {}, tensors.size());
    if (!value || !value->is_tensor() || value->tensor().size() == 0) return std::nullopt;
    tensors.push_back(value->tensor());
    dtypes.push_back(context.type(input).dtype);
  }
  std::vector<KernelInput> operands;
  for (const Tensor& tensor : tensors) operands.push_back({{&tensor, 1}, false});
  if (!RunKernel(context, {&op, attrs}, operands, call->result, {.max_tensor_bytes = 1 << 20})) return std::nullopt;
  return dtypes;
}

TEST_CASE("kernels compute on the element types of their rows") {
  constexpr int kTries = 1000;
  Random random(1);
  size_t seen = 0;
  for (const OpDef* op : AllOps()) {
    if (op->kernel == nullptr || Arity(*op) == 0 || op->stateful || FamilyOf(*op) == OpFamily::kNone) continue;
    std::vector<Classes> computed(Arity(*op));
    Context context;
    int count = 0;
    for (int i = 0; i < kTries; ++i) {
      const auto dtypes = TryCall(random, context, *op);
      if (!dtypes) continue;
      ++count;
      for (size_t k = 0; k < dtypes->size(); ++k) {
        computed[k][ClassOf((*dtypes)[k])] = true;
        INFO(op->name << " computes on " << ToString((*dtypes)[k]) << " as " << InputName(*op, k));
        CHECK(Accepts(*op, k, (*dtypes)[k]));
      }
    }
    // Too few calls say nothing of types that were not met. Types of later inputs depend on the first one's.
    if (count < 100) continue;
    ++seen;
    constexpr DataType kExamples[] = {DataType::Float(32), DataType::Int(32), DataType::Bool()};
    for (size_t c = 0; c < kNumClasses; ++c) {
      INFO(op->name << " never computed on " << kClassNames[c] << " as " << InputName(*op, 0));
      CHECK((computed[0][c] || !Accepts(*op, 0, kExamples[c])));
    }
  }
  CHECK(seen >= 140);
}

}  // namespace
}  // namespace relayopt
