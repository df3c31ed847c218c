#include "alike.h"

#include <algorithm>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "lib/relay/analysis/shared_result.h"

namespace relayopt::onnx {

namespace {

constexpr size_t kUsualCount = 8;

// Whether the value of an attribute is part of its key.
auto IsShort(const AttributeProto& attribute) -> bool {
  constexpr size_t kMostBytes = 256;
  return attribute.reference.empty() && !attribute.message.empty() && attribute.message.size() <= kMostBytes &&
         attribute.graph == nullptr && attribute.tensor == nullptr && attribute.sparse == nullptr;
}

}  // namespace

auto Emission::Of(const Function& function, ExprId first, const std::vector<Value>& inputs,
                  const std::vector<Value>& results) -> std::optional<Emission> {
  const auto is_constant = [&](const Value& input) {
    return input.expr && function.kind(input.expr) == ExprKind::kConstant;
  };
  const bool has_constants = std::ranges::any_of(inputs, is_constant);
  const auto place_of = [&](ExprId id) -> std::optional<Place> {
    if (id.value() >= first.value()) return static_cast<Place>(inputs.size() + id.value() - first.value());
    const auto input = std::ranges::find(inputs, id, &Value::expr);
    return input == inputs.end() ? std::nullopt : std::optional(static_cast<Place>(input - inputs.begin()));
  };
  Emission made;
  for (uint32_t i = first.value(); i < function.size(); ++i) {
    const ExprId id(i);
    const ExprKind kind = function.kind(id);
    // A constant may have been computed from those among the inputs.
    const bool is_scalar = kind == ExprKind::kConstant && !has_constants && function.constant(id).is_scalar();
    const bool is_plain =
        is_scalar || kind == ExprKind::kOpCall || kind == ExprKind::kTuple || kind == ExprKind::kTupleGetItem;
    if (!is_plain || !function.type(id) || !IsSharedResult(function.context(), function.type(id))) return std::nullopt;
    Step& step = made.steps_.emplace_back(Step{kind, function.payload(id), function.type(id), {}});
    for (const ExprId operand : function.operands(id)) {
      const auto place = place_of(operand);
      if (!place) return std::nullopt;
      step.operands.push_back(*place);
    }
  }
  for (const Value& result : results) {
    const auto place = result.expr ? place_of(result.expr) : std::optional(kAbsent);
    if (!place || result.is_sequence() || result.is_empty_optional) return std::nullopt;
    made.results_.push_back({*place, result.element_type});
  }
  return made;
}

auto Emission::Again(FunctionBuilder& to, const Step& step, std::span<const ExprId> operands) -> ExprId {
  ExprId made;
  switch (step.kind) {
    case ExprKind::kOpCall: made = to.OpCall(OpInstanceId(step.payload), operands); break;
    case ExprKind::kTuple: made = to.Tuple(operands); break;
    case ExprKind::kTupleGetItem: made = to.TupleGetItem(operands[0], step.payload); break;
    default: made = to.Constant(ConstantId(step.payload)); break;
  }
  to.SetType(made, step.type);
  return made;
}

auto Emission::Emit(FunctionBuilder& to, const std::vector<Value>& inputs) const -> std::vector<Value> {
  absl::InlinedVector<ExprId, kUsualCount> places;
  for (const Value& input : inputs) places.push_back(input.expr);
  absl::InlinedVector<ExprId, kUsualCount> operands;
  for (const Step& step : steps_) {
    operands.clear();
    for (const Place operand : step.operands) operands.push_back(places[operand]);
    places.push_back(Again(to, step, operands));
  }
  std::vector<Value> results;
  results.reserve(results_.size());
  for (const Result& result : results_) {
    Value& value = results.emplace_back(result.place == kAbsent ? ExprId() : places[result.place]);
    value.element_type = result.element_type;
  }
  return results;
}

namespace {

// Appends numbers and texts to a key whose size is known.
class KeyWriter {
 public:
  explicit KeyWriter(char* to) : to_(to) {}
  void Number(uint32_t number) {
    std::memcpy(to_, &number, sizeof number);
    to_ += sizeof number;
  }
  void Text(std::string_view text) {
    Number(static_cast<uint32_t>(text.size()));
    std::memcpy(to_, text.data(), text.size());
    to_ += text.size();
  }

 private:
  char* to_;
};

// The size of the key of a node with short attributes; nothing for others.
auto SizeOfKey(const NodeProto& node, size_t inputs) -> std::optional<size_t> {
  constexpr size_t kWord = sizeof(uint32_t);
  size_t size = 4 * kWord + node.op_type.size() + node.domain.size() + 3 * kWord * inputs;
  for (const AttributeProto& attribute : node.attributes) {
    if (!IsShort(attribute)) return std::nullopt;
    size += kWord + attribute.message.size();
  }
  return size;
}

}  // namespace

auto AlikeNodes::SetKey(const Function& function, const NodeProto& node, const std::vector<Value>& inputs) -> bool {
  constexpr size_t kMostOutputs = 32;
  const auto size = SizeOfKey(node, inputs.size());
  if (!size || node.outputs.size() >= kMostOutputs) return false;
  key_.resize(*size);
  KeyWriter key(key_.data());
  bool has_variable = false;
  for (const Value& input : inputs) {
    if (input.is_sequence() || input.is_empty_optional) return false;
    const TypeId type = input.expr ? function.type(input.expr) : TypeId();
    if (input.expr && (!type || function.context().type(type).has_incomplete)) return false;
    const bool is_constant = input.expr && function.kind(input.expr) == ExprKind::kConstant;
    has_variable |= input.expr && !is_constant;
    // Equal operands are equal in all nodes that are alike.
    const auto same = static_cast<uint32_t>(std::ranges::find(inputs, input.expr, &Value::expr) - inputs.begin());
    key.Number(type.value());
    key.Number(same << 1 | (is_constant ? 1 : 0));
    key.Number(static_cast<uint32_t>(input.element_type));
  }
  uint32_t outputs = 1;
  for (const std::string_view output : node.outputs) outputs = outputs << 1 | (output.empty() ? 0 : 1);
  key.Number(outputs);
  key.Number(static_cast<uint32_t>(inputs.size()));
  key.Text(node.op_type);
  key.Text(node.domain);
  for (const AttributeProto& attribute : node.attributes) key.Text(attribute.message);
  // The values of constants alone are computed.
  return has_variable;
}

void AlikeNodes::Note(const Function& function, ExprId first, const std::vector<Value>& inputs,
                      const std::vector<Value>& results) {
  if (key_.empty()) return;
  if (auto made = Emission::Of(function, first, inputs, results)) emissions_.try_emplace(key_, *std::move(made));
}

auto AlikeNodes::Find(const Function& function, const NodeProto& node, const std::vector<Value>& inputs)
    -> const Emission* {
  constexpr size_t kMostInputs = 16;
  if (inputs.size() > kMostInputs || !SetKey(function, node, inputs)) {
    key_.clear();
    return nullptr;
  }
  const auto found = emissions_.find(key_);
  return found == emissions_.end() ? nullptr : &found->second;
}

}  // namespace relayopt::onnx
