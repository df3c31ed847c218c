// Calls of onnx.RNN, onnx.GRU and onnx.LSTM as calls of the kernel that steps through time.
#include <fmt/format.h>

#include <algorithm>

#include "families.h"
#include "foreign.h"
#include "foreign_rules.h"
#include "recurrent_kernel.h"

namespace relayopt::onnx {

namespace {

// Numbers are taken in the order of the activations that have any.
auto ActivationsOf(const AttributeProto* names, const AttributeProto* alphas, const AttributeProto* betas)
    -> std::vector<RecurrentActivation> {
  std::vector<RecurrentActivation> activations;
  if (names == nullptr) return activations;
  size_t alpha = 0;
  size_t beta = 0;
  const auto take = [](const AttributeProto* from, size_t& next) -> std::optional<double> {
    if (from == nullptr || next >= from->floats.size()) return std::nullopt;
    return from->floats[next++];
  };
  for (const std::string_view name : names->strings) {
    RecurrentActivation& one = activations.emplace_back();
    one.name = name;
    if (ActivationHasAlpha(name)) one.alpha = take(alphas, alpha);
    if (ActivationHasBeta(name)) one.beta = take(betas, beta);
  }
  return activations;
}

// Sets `error` if an attribute has another type than that of the operator.
auto AttributesOf(const ForeignNode& node, std::string& error) -> RecurrentAttributes {
  const auto find = [&](std::string_view name, AttributeType type) -> const AttributeProto* {
    const AttributeProto* attribute = FindAttribute(node.attributes, name);
    if (attribute == nullptr || attribute->type == type) return attribute;
    error = fmt::format(kWrongAttributeType, name);
    return nullptr;
  };
  const auto flag = [&](std::string_view name) {
    const AttributeProto* attribute = find(name, AttributeType::kInt);
    return attribute != nullptr && attribute->i != 0;
  };
  RecurrentAttributes attributes;
  attributes.kind = node.op_type == "LSTM"  ? RecurrentKind::kLSTM
                    : node.op_type == "GRU" ? RecurrentKind::kGRU
                                            : RecurrentKind::kRNN;
  if (const auto* direction = find("direction", AttributeType::kString)) attributes.direction = direction->s;
  attributes.activations =
      ActivationsOf(find("activations", AttributeType::kStrings), find("activation_alpha", AttributeType::kFloats),
                    find("activation_beta", AttributeType::kFloats));
  if (const auto* clip = find("clip", AttributeType::kFloat)) attributes.clip = clip->f;
  attributes.batch_first = flag("layout");
  attributes.input_forget = flag("input_forget");
  attributes.linear_before_reset = flag("linear_before_reset");
  return attributes;
}

}  // namespace

auto IsRecurrent(const OpRow& row) -> bool {
  const auto rows = RecurrentRows();
  return &row >= rows.data() && &row < rows.data() + rows.size();
}

auto RecurrentKernel(KernelContext& kernel) -> KernelStatus {
  const ForeignNode node = ReadForeign(kernel.context(), {&kernel.op(), kernel.attrs_id()});
  if (!node.error.empty()) return kernel.Error("{}", node.error);
  const auto input = [&](size_t i) -> const Tensor* {
    return i < kernel.size() && !kernel.tuple(i).empty() ? &kernel.input(i) : nullptr;
  };
  const RecurrentInputs inputs = {.x = input(0),
                                  .w = input(1),
                                  .r = input(2),
                                  .b = input(3),
                                  .lengths = input(4),
                                  .h = input(5),
                                  .c = input(6),
                                  .p = input(7)};
  std::string error;
  const RecurrentAttributes attributes = AttributesOf(node, error);
  if (!error.empty()) return kernel.Error("{}", error);
  auto outputs = RunRecurrent(attributes, inputs, error);
  if (!outputs) return kernel.Error("{}", error);
  Tensor* const all[] = {&outputs->y, &outputs->h, outputs->c ? &*outputs->c : nullptr};
  std::vector<Tensor> results;
  for (size_t i = 0; i < node.results.size() && i < std::size(all); ++i) {
    const bool is_given = node.results[i] == '1' && all[i] != nullptr;
    results.push_back(is_given ? std::move(*all[i]) : Tensor(DataType::Float(32), {0}));
  }
  return kernel.ReturnTuple(std::move(results));
}

}  // namespace relayopt::onnx
