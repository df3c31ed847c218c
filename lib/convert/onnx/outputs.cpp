// Outputs of graphs, and the module that is made of those of the model.
#include <fmt/format.h>

#include "diagnostics.h"
#include "importer.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx {

namespace {

// Returns the tuple that has exactly these fields, in order, or invalid if there is none.
auto TupleOfAll(const Function& function, const Exprs& fields) -> ExprId {
  if (fields.empty() || function.kind(fields[0]) != ExprKind::kTupleGetItem) return {};
  const ExprId tuple = function.operand(fields[0], 0);
  const TypeId type = function.type(tuple);
  if (!type || function.context().type(type).args.size() != fields.size()) return {};
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool is_field = function.kind(fields[i]) == ExprKind::kTupleGetItem &&
                          function.operand(fields[i], 0) == tuple && function.index(fields[i]) == i;
    if (!is_field) return {};
  }
  return tuple;
}

}  // namespace

auto Importer::AsExpr(const Value& value) -> ExprId {
  if (!value.is_sequence()) return value.expr;
  Exprs fields;
  for (const Value& item : *value.items) {
    fields.push_back(AsExpr(item));
    if (!fields.back()) return {};
  }
  const ExprId whole = TupleOfAll(builder_.function(), fields);
  return whole ? whole : em_.Tuple(fields);
}

auto Importer::OutputsOf(const GraphProto& graph, const Scope& scope, std::string_view where)
    -> std::optional<std::vector<Value>> {
  std::vector<Value> outputs;
  for (const ValueInfo& output : graph.outputs) {
    const Value* value = scope.Find(output.name);
    if (value == nullptr || value->is_absent()) {
      sink_.Report(diag::kBadGraph, {}, fmt::format("output '{}' of {} has no value", output.name, where));
      return std::nullopt;
    }
    outputs.push_back(*value);
  }
  return outputs;
}

auto Importer::Finish(std::vector<Value> outputs) -> std::optional<OnnxModule> {
  Exprs fields;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueInfo& output = model_.graph->outputs[i];
    fields.push_back(options_.keep ? AsOne(outputs[i]) : AsExpr(outputs[i]));
    if (!fields.back()) {
      sink_.Report(diag::kBadGraph, {},
                   fmt::format("output '{}' is an optional without a value, which Relay lacks", output.name));
      return std::nullopt;
    }
    const int32_t declared = output.type.element_type;
    result_.outputs.push_back({std::string(output.name), declared != kUndefined ? declared : outputs[i].element_type});
  }
  const ExprId body = fields.size() == 1 ? fields[0] : em_.Tuple(fields);
  // Weights that are not used do not become parameters.
  absl::flat_hash_set<uint32_t> used;
  std::vector<ExprId> pending = {body};
  while (!weights_.empty() && !pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (!used.insert(id.value()).second) continue;
    for (const ExprId operand : builder_.function().operands(id)) pending.push_back(operand);
  }
  for (const ExprId var : weights_) {
    if (var && used.contains(var.value())) params_.push_back(var);
  }
  const ExprId root = builder_.Lambda(FunctionInfo(), params_, body);
  module_.SetFunction(module_.NameGlobal("main"), std::make_shared<Function>(Relayout(builder_.Finish(root))));
  if (!Settle(module_)) return std::nullopt;
  RememberNames();
  result_.module = std::move(module_);
  return std::move(result_);
}

void Importer::RememberNames() {
  const bool is_changed = !options_.shapes.empty() || !options_.dims.empty() || !options_.dtypes.empty();
  const auto port = [&](const ValueInfo& value) {
    OnnxPort made{std::string(value.name), {}, value.type.element_type};
    if (!is_changed) made.message = value.message;
    if (!value.type.is_tensor() || !value.type.shape) return made;
    for (const DimProto& dim : *value.type.shape) made.symbols.emplace_back(dim.symbol);
    return made;
  };
  OnnxNames names;
  names.graph = model_.graph->name;
  names.opset = OpsetOf("", nullptr);
  TextViewMap<const ValueInfo*> declared;
  for (const ValueInfo& value : model_.graph->inputs) declared.try_emplace(value.name, &value);
  for (const OnnxValue& input : result_.inputs) {
    const auto info = declared.find(input.name);
    if (info == declared.end() || input.parameter.empty()) continue;
    OnnxPort& made = names.inputs[input.parameter] = port(*info->second);
    if (const auto value = defaults_.find(input.name); value != defaults_.end()) made.default_value = value->second;
  }
  for (const ValueInfo& output : model_.graph->outputs) names.outputs.push_back(port(output));
  for (const StringPair& pair : model_.metadata) names.metadata.emplace_back(pair.key, pair.value);
  ExtentNames::Names symbols;
  for (const auto& [parameter, input] : names.inputs) symbols[parameter] = input.symbols;
  context_->Part<ExtentNames>().Set(std::move(symbols));
  context_->Part<OnnxInterface>().Set(std::move(names));
}

// Infers all types and makes static what the values of constants have made so.
auto Importer::Settle(Module& module) -> bool {
  if (!options_.freeze_params) return true;
  if (!InferTypes(module, sink_)) return false;
  if (options_.keep) return true;
  const Result<PassRef> pass = CreatePass(kDynamicToStaticPass);
  RELAYOPT_CHECK(pass.has_value(), "the pass has no options");
  PassContext context;
  context.SetDiagnostics(&sink_);
  const Result<bool> changed = (*pass)->Apply(module, context);
  if (!changed) sink_.Report(changed.error());
  return changed.has_value() && !sink_.has_errors();
}

}  // namespace relayopt::onnx
