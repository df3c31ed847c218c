#include "twins.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "lib/relay/analysis/shared_result.h"

namespace relayopt::onnx {

namespace {

constexpr size_t kUsualCount = 8;

template <typename T>
void AppendNumber(std::string& to, T number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void AppendText(std::string& to, std::string_view text) {
  AppendNumber(to, static_cast<uint32_t>(text.size()));
  to += text;
}

// Whether the value of an attribute is part of its key.
auto IsShort(const AttributeProto& attribute) -> bool {
  constexpr size_t kMostBytes = 256;
  return attribute.reference.empty() && !attribute.message.empty() && attribute.message.size() <= kMostBytes &&
         attribute.graph == nullptr && attribute.tensor == nullptr && attribute.sparse == nullptr;
}

}  // namespace

auto Twin::Of(const Function& function, ExprId first, const std::vector<Value>& inputs,
              const std::vector<Value>& results) -> std::optional<Twin> {
  const auto is_constant = [&](const Value& input) {
    return input.expr && function.kind(input.expr) == ExprKind::kConstant;
  };
  const bool has_constants = std::ranges::any_of(inputs, is_constant);
  const auto place_of = [&](ExprId id) -> std::optional<Place> {
    if (id.value() >= first.value()) return static_cast<Place>(inputs.size() + id.value() - first.value());
    const auto input = std::ranges::find(inputs, id, &Value::expr);
    return input == inputs.end() ? std::nullopt : std::optional(static_cast<Place>(input - inputs.begin()));
  };
  Twin twin;
  twin.exists_ = true;
  for (uint32_t i = first.value(); i < function.size(); ++i) {
    const ExprId id(i);
    const ExprKind kind = function.kind(id);
    // A constant may have been computed from those among the inputs.
    const bool is_scalar = kind == ExprKind::kConstant && !has_constants && function.constant(id).is_scalar();
    const bool is_plain =
        is_scalar || kind == ExprKind::kOpCall || kind == ExprKind::kTuple || kind == ExprKind::kTupleGetItem;
    if (!is_plain || !function.type(id) || !IsSharedResult(function.context(), function.type(id))) return std::nullopt;
    Step& step = twin.steps_.emplace_back(Step{kind, function.payload(id), function.type(id), {}});
    for (const ExprId operand : function.operands(id)) {
      const auto place = place_of(operand);
      if (!place) return std::nullopt;
      step.operands.push_back(*place);
    }
  }
  for (const Value& result : results) {
    const auto place = result.expr ? place_of(result.expr) : std::optional(kAbsent);
    if (!place || result.is_sequence() || result.is_empty_optional) return std::nullopt;
    twin.results_.push_back({*place, result.element_type});
  }
  return twin;
}

auto Twin::Again(FunctionBuilder& to, const Step& step, std::span<const ExprId> operands) -> ExprId {
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

auto Twin::Emit(FunctionBuilder& to, const std::vector<Value>& inputs) const -> std::vector<Value> {
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

auto Twins::SetKey(const Emitter& em, const NodeProto& node, const std::vector<Value>& inputs) -> bool {
  const Function& function = em.function();
  key_.clear();
  AppendText(key_, node.op_type);
  AppendText(key_, node.domain);
  AppendNumber(key_, static_cast<uint32_t>(inputs.size()));
  bool has_variable = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& input = inputs[i];
    if (input.is_sequence() || input.is_empty_optional) return false;
    if (!input.expr) {
      AppendNumber(key_, UINT32_MAX);
      continue;
    }
    const TypeId type = function.type(input.expr);
    if (!type || function.context().type(type).has_incomplete) return false;
    const bool is_constant = function.kind(input.expr) == ExprKind::kConstant;
    has_variable |= !is_constant;
    AppendNumber(key_, type.value());
    // Equal operands are equal in all nodes that are alike.
    size_t same = 0;
    while (inputs[same].expr != input.expr) ++same;
    const auto place = static_cast<uint32_t>(same) << 1;
    AppendNumber(key_, place | (is_constant ? 1 : 0));
    AppendNumber(key_, input.element_type);
  }
  for (const std::string_view output : node.outputs) key_ += output.empty() ? '0' : '1';
  for (const AttributeProto& attribute : node.attributes) {
    if (!IsShort(attribute)) return false;
    AppendText(key_, attribute.message);
  }
  // The values of constants alone are computed.
  return has_variable;
}

void Twins::Note(const Function& function, ExprId first, const std::vector<Value>& inputs,
                 const std::optional<std::vector<Value>>& results) {
  if (key_.empty()) return;
  const auto is_constant = [&](const Value& input) {
    return input.expr && function.kind(input.expr) == ExprKind::kConstant;
  };
  if (results) {
    if (auto twin = Twin::Of(function, first, inputs, *results)) twins_.try_emplace(key_, *std::move(twin));
  } else if (std::ranges::none_of(inputs, is_constant)) {
    // Where constants are folded, whether there is a twin may depend on their values.
    twins_.try_emplace(key_, Twin());
  }
}

auto Twins::Find(const Emitter& em, const NodeProto& node, const std::vector<Value>& inputs) -> const Twin* {
  constexpr size_t kMostInputs = 8;
  if (inputs.size() > kMostInputs || !SetKey(em, node, inputs)) {
    key_.clear();
    return nullptr;
  }
  const auto twin = twins_.find(key_);
  return twin == twins_.end() ? nullptr : &twin->second;
}

}  // namespace relayopt::onnx
