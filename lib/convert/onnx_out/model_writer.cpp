// Inputs and outputs keep the names, symbols and element types that they had in the model that was read. An output is a
// value of its own: the node that gives it is renamed, or an Identity stands between.
#include "model_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "function_writer.h"
#include "leaves.h"
#include "lib/convert/onnx/tensor_data.h"

namespace relayopt::onnx::out {

namespace {

constexpr DiagnosticKind kNoForm = {"no-onnx-form", Severity::kError,
                                    "{} has no form in ONNX ({} call{}, the first here){}"};

// NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as they were written.
void Rename(Graph& graph, const absl::flat_hash_map<std::string, std::string>& names) {
  const auto rename = [&](std::string& name) {
    const auto found = names.find(name);
    if (found != names.end()) name = found->second;
  };
  for (Node& node : graph.nodes) {
    std::ranges::for_each(node.inputs, rename);
    std::ranges::for_each(node.outputs, rename);
    for (Attribute& attribute : node.attributes) {
      if (attribute.graph != nullptr) Rename(*attribute.graph, names);
    }
  }
  for (ValueType& value : graph.outputs) rename(value.name);
  for (ValueType& value : graph.values) rename(value.name);
}

// Names of results: those of the model that was read, where there are as many.
auto OutputNames(const OnnxNames& names, size_t count) -> std::vector<OnnxPort> {
  if (names.outputs.size() == count) return names.outputs;
  std::vector<OnnxPort> ports;
  for (size_t i = 0; i < count; ++i) ports.push_back({count == 1 ? "output" : fmt::format("output_{}", i), {}});
  return ports;
}

void SetSymbols(ValueType& value, const std::vector<std::string>& symbols) {
  for (size_t i = 0; i < value.shape.size() && symbols.size() == value.shape.size(); ++i) {
    if (!value.shape[i].value) value.shape[i].symbol = symbols[i];
  }
}

class ModelWriter {
 public:
  ModelWriter(const Module& module, DiagnosticSink& sink, int64_t opset, const OnnxNames& names)
      : state_{.module = module, .sink = sink, .builder = ModelBuilder(opset)}, names_(names) {}

  auto Write() -> std::optional<Model> {
    const GlobalId main = state_.module.FindGlobal("main");
    const Function& function = *state_.module.function<Function>(main);
    const std::vector<const Type*> results = LeavesOf(function.context(), function.type(function.body()));
    const auto outputs = OutputNames(names_, results.size());
    for (const OnnxPort& port : outputs) state_.builder.Reserve(port.name);
    Model model;
    model.metadata = names_.metadata;
    const CallOutputs made = WriteNodes(main, function, model.graph);
    if (!made || state_.sink.has_errors()) return std::nullopt;
    SetOutputs(model.graph, *made, results, outputs);
    model.graph.initializers = std::move(state_.builder.initializers());
    Tidy(model.graph);
    model.opset = state_.builder.opset();
    return model;
  }

 private:
  // The inputs and nodes of the graph; what has no form is reported.
  auto WriteNodes(GlobalId main, const Function& function, Graph& graph) -> CallOutputs {
    graph.name = names_.graph.empty() ? "main" : names_.graph;
    std::vector<Values> args;
    for (const ExprId param : function.params()) args.push_back(AddInput(graph, function, param));
    // Constants with names keep them, so these names are reserved.
    FunctionWriter writer(state_, main, function);
    CallOutputs made = writer.Write(graph, args);
    for (const auto& [name, missing] : state_.missing) {
      state_.sink.Report(kNoForm, missing.first, name, missing.calls, missing.calls == 1 ? "" : "s", missing.why);
    }
    return made;
  }

  // One input for each tensor of a parameter.
  auto AddInput(Graph& graph, const Function& function, ExprId param) -> Values {
    const Context& context = function.context();
    const std::string hint(context.text(function.var(param).name));
    const auto leaves = LeavesOf(context, function.type(param));
    const auto known = names_.inputs.find(hint);
    Values values;
    for (size_t i = 0; i < leaves.size(); ++i) {
      std::string name = leaves.size() == 1 ? hint : fmt::format("{}_{}", hint, i);
      if (known != names_.inputs.end() && leaves.size() == 1) name = known->second.name;
      if (name.empty()) name = "input";
      if (!leaves[i]->is_tensor() || ElementTypeOf(leaves[i]->dtype) == kUndefined) {
        state_.sink.Report(kUnsupported, function.range(param), name, "its type is none that ONNX has");
        continue;
      }
      values.push_back(state_.builder.Unique(name));
      graph.inputs.push_back(ValueOfType(*leaves[i], values.back()));
      state_.typed.insert(values.back());
      if (known != names_.inputs.end() && leaves.size() == 1) SetSymbols(graph.inputs.back(), known->second.symbols);
      NameUnknown(graph.inputs.back());
      if (known == names_.inputs.end() || leaves.size() != 1) continue;
      // Types that Relay lacks are those of the interface all the same.
      ValueType& type = graph.inputs.back();
      if (!IsForeign(known->second.element_type, type.element_type)) continue;
      RaiseFor(known->second.element_type);
      values.back() = AddCast(graph, values.back(), type.element_type);
      type.element_type = known->second.element_type;
    }
    return values;
  }

  // 4-bit integers and 8-bit floats are held in wider types of Relay.
  static auto IsForeign(int32_t element_type, int32_t held) -> bool {
    return element_type != held && (IsFloat8(element_type) || element_type == kInt4 || element_type == kUint4);
  }
  void RaiseFor(int32_t element_type) { state_.builder.Raise(IsFloat8(element_type) ? 19 : 21); }

  auto AddCast(Graph& graph, const std::string& value, int32_t element_type) -> std::string {
    return state_.builder.AddNode(graph, "Cast", {value}, {Int("to", element_type)}, 1)[0];
  }

  // Extents of inputs have names, whatever they are.
  void NameUnknown(ValueType& value) {
    for (Extent& extent : value.shape) {
      if (!extent.value && extent.symbol.empty()) extent.symbol = fmt::format("d{}", unknown_++);
    }
  }

  // Each result is a value of its own with the name that users know: that of the node that gives it, where one does.
  void SetOutputs(Graph& graph, const Values& results, const std::vector<const Type*>& types,
                  const std::vector<OnnxPort>& ports) {
    Values values = results;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!IsForeign(ports[i].element_type, ElementTypeOf(types[i]->dtype))) continue;
      RaiseFor(ports[i].element_type);
      values[i] = AddCast(graph, values[i], ports[i].element_type);
    }
    absl::flat_hash_set<std::string> own;
    for (const Node& node : graph.nodes) own.insert(node.outputs.begin(), node.outputs.end());
    absl::flat_hash_map<std::string, std::string> renamed;
    for (size_t i = 0; i < values.size(); ++i) {
      if (own.erase(values[i]) != 0) renamed[values[i]] = ports[i].name;
    }
    Rename(graph, renamed);
    absl::flat_hash_set<std::string> given;
    for (size_t i = 0; i < values.size(); ++i) {
      const auto found = renamed.find(values[i]);
      const std::string& source = found == renamed.end() ? values[i] : found->second;
      if (source != ports[i].name || !given.insert(source).second) {
        graph.nodes.push_back(
            {.op_type = "Identity", .inputs = {source}, .outputs = {ports[i].name}, .attributes = {}});
      }
      graph.outputs.push_back(ValueOfType(*types[i], ports[i].name));
      if (IsForeign(ports[i].element_type, graph.outputs.back().element_type)) {
        graph.outputs.back().element_type = ports[i].element_type;
      }
      SetSymbols(graph.outputs.back(), ports[i].symbols);
    }
  }

  WriteState state_;
  const OnnxNames& names_;
  size_t unknown_ = 0;
};

}  // namespace

auto WriteModel(const Module& module, DiagnosticSink& sink, int64_t opset, const OnnxNames& names)
    -> std::optional<Model> {
  return ModelWriter(module, sink, opset, names).Write();
}

}  // namespace relayopt::onnx::out
