// Makes functions from annotated regions.
#include "region_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/relay/transforms/type_var_collector.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

RegionFunctions::RegionFunctions(const Function& function, const AnnotatedRegions& regions, bool bind_constants)
    : function_(function),
      regions_(regions),
      bind_constants_(bind_constants),
      place_(regions.size()),
      started_(regions.size()),
      position_(function.size()),
      input_of_(function.size()) {
  for (uint32_t i = 0; i < regions.size(); ++i) {
    uint32_t position = 0;
    for (const ExprId begin : regions.inputs(RegionId(i))) {
      if (!InnerValue(begin)) position_[begin] = position++;
    }
  }
  Walk();
}

auto RegionFunctions::InnerValue(ExprId begin) const -> ExprId {
  const ExprId value = function_.operand(begin, 0);
  const bool is_inside = IsCompilerEnd(function_, value) && regions_.RegionOf(value) == regions_.RegionOf(begin);
  return is_inside ? function_.operand(value, 0) : ExprId();
}

auto RegionFunctions::Find(ExprId annotation) const -> const RegionFunction* {
  const RegionId region = regions_.RegionOf(annotation);
  return region && place_[region] != 0 ? &functions_[place_[region] - 1] : nullptr;
}

// From the root to the operands: inputs and regions are found after everything below them.
void RegionFunctions::Walk() {
  SideTable<ExprId, bool> visited(function_.size());
  const auto enter = [&](ExprId node) {
    if (visited[node]) return;
    visited[node] = true;
    stack_.push_back({node, 0, {}});
  };
  enter(function_.root());
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    if (frame.region) {
      const std::vector<ExprId>& outputs = Open(frame.region).outputs;
      if (frame.next < outputs.size()) {
        enter(outputs[frame.next++]);
        continue;
      }
      const RegionId region = frame.region;
      stack_.pop_back();
      functions_.push_back(std::move(open_[region]));
      open_.erase(region);
      place_[region] = static_cast<uint32_t>(functions_.size());
    } else if (frame.next < function_.operands(frame.node).size()) {
      enter(function_.operand(frame.node, frame.next++));
    } else {
      const ExprId node = frame.node;
      stack_.pop_back();
      Leave(node);
    }
  }
}

auto RegionFunctions::Open(RegionId region) -> RegionFunction& {
  const auto [place, is_new] = open_.try_emplace(region);
  if (is_new) place->second.region = region;
  return place->second;
}

void RegionFunctions::Leave(ExprId node) {
  if (IsCompilerBegin(function_, node)) FindInput(node);
  if (!IsCompilerEnd(function_, node)) return;
  const RegionId region = regions_.RegionOf(node);
  if (!region || started_[region]) return;
  started_[region] = true;
  RegionFunction& function = Open(region);
  function.first_output = function_.operand(node, 0);
  absl::flat_hash_map<ExprId, bool> seen;
  for (const ExprId end : regions_.outputs(region)) {
    const ExprId value = function_.operand(end, 0);
    if (seen.try_emplace(value, true).second) function.outputs.push_back(value);
  }
  stack_.push_back({node, 0, region});
}

void RegionFunctions::FindInput(ExprId begin) {
  if (InnerValue(begin)) return;
  const RegionId region = regions_.RegionOf(begin);
  const ExprId value = function_.operand(begin, 0);
  // Values are the same if their defining expressions are.
  ExprId producer = value;
  while (IsCompilerBegin(function_, producer) || IsCompilerEnd(function_, producer)) {
    producer = function_.operand(producer, 0);
  }
  // A region that is already complete needs one of its own results as an input. The caller detects this.
  RegionFunction& function = place_[region] != 0 ? functions_[place_[region] - 1] : Open(region);
  const auto [place, is_new] = inputs_.try_emplace({producer, region}, static_cast<uint32_t>(function.inputs.size()));
  input_of_[begin] = place->second;
  if (!is_new) return;
  const auto is_constant = [this](ExprId id) { return function_.kind(id) == ExprKind::kConstant; };
  const bool is_bound =
      bind_constants_ && (is_constant(value) || (function_.kind(value) == ExprKind::kTuple &&
                                                 std::ranges::all_of(function_.operands(value), is_constant)));
  function.inputs.push_back(
      {fmt::format("{}_{}_i{}", regions_.compiler(region), region.value(), position_[begin]), value, is_bound});
}

namespace {

// A moved constant becomes a new one, printed separately from the original; literals have no identity.
template <typename CopyExpr>
auto BindConstant(const Function& from, FunctionBuilder& to, ExprId value, CopyExpr&& copy) -> ExprId {
  if (from.kind(value) != ExprKind::kConstant || from.constant(value).is_scalar()) return copy(value);
  const ExprId made = to.Constant(from.context().AddConstant(from.constant(value)));
  to.SetType(made, from.type(value));
  return made;
}

}  // namespace

auto RegionFunctions::Build(const RegionFunction& region, std::vector<FunctionAttr> attrs) const -> Function {
  FunctionBuilder to(function_.context());
  absl::flat_hash_map<ExprId, ExprId> made;
  const auto copy = [&](ExprId id) {
    const auto operands = MapToVector<ExprId>(function_.operands(id), [&](ExprId operand) { return made.at(operand); });
    return to.Copy(function_, id, operands);
  };
  std::vector<ExprId> inputs;
  std::vector<ExprId> params;
  for (const RegionFunction::Input& input : region.inputs) {
    if (input.is_bound) {
      for (const ExprId field : function_.operands(input.value)) made.try_emplace(field, copy(field));
      inputs.push_back(BindConstant(function_, to, input.value, copy));
    } else {
      const TypeId type = function_.type(input.value);
      params.push_back(to.Var({function_.context().Intern(input.name), type, {}}));
      to.SetType(params.back(), type);
      inputs.push_back(params.back());
    }
  }
  // The expressions that the outputs need, up to the begins, in the order of the table.
  std::vector<ExprId> body = region.outputs;
  absl::flat_hash_map<ExprId, bool> seen;
  for (const ExprId id : body) seen[id] = true;
  for (size_t i = 0; i < body.size(); ++i) {
    if (IsCompilerBegin(function_, body[i])) {
      const ExprId inner = InnerValue(body[i]);
      if (inner && seen.try_emplace(inner, true).second) body.push_back(inner);
      continue;
    }
    for (const ExprId operand : function_.operands(body[i])) {
      if (seen.try_emplace(operand, true).second) body.push_back(operand);
    }
  }
  std::ranges::sort(body);
  for (const ExprId id : body) {
    const ExprId inner = IsCompilerBegin(function_, id) ? InnerValue(id) : ExprId();
    const ExprId value = inner ? made.at(inner) : IsCompilerBegin(function_, id) ? inputs[input_of_[id]] : copy(id);
    made[id] = value;
  }
  const auto outputs = MapToVector<ExprId>(region.outputs, [&](ExprId output) { return made.at(output); });
  FunctionInfo info;
  info.attrs = std::move(attrs);
  // The type variables of the function that contains the region.
  TypeVarCollector vars(function_.context());
  for (const ExprId param : params) vars.Add(to.function().var(param).annotation);
  for (const ExprId output : region.outputs) vars.Add(function_.type(output));
  info.type_params = vars.found();
  if (outputs.size() == 1) info.result = function_.type(region.first_output);
  const ExprId result = outputs.size() == 1 ? outputs[0] : EmitTuple(to, outputs);
  return Relayout(to.Finish(to.Lambda(std::move(info), params, result)));
}

}  // namespace relayopt
