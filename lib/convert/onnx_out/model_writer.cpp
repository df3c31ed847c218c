// Inputs and outputs keep the names, symbols and element types that they had in the model that was read. An output is a
// value of its own: the node that computes it or the initializer is renamed, or an Identity is inserted.
#include "model_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "function_writer.h"
#include "leaves.h"
#include "lib/convert/lower/large_tuples.h"
#include "lib/convert/onnx/foreign.h"
#include "lib/convert/onnx/tensor_data.h"
#include "names.h"
#include "old_versions.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

namespace {

constexpr DiagnosticKind kNoForm = {"no-onnx-form", Severity::kError,
                                    "{} has no form in ONNX ({} call{}, the first here){}"};

// Names of results: those of the model that was read, if there are as many.
auto OutputNames(const OnnxNames& names, size_t count) -> std::vector<OnnxPort> {
  if (names.outputs.size() == count) return names.outputs;
  std::vector<OnnxPort> ports;
  ports.reserve(count);
  for (size_t i = 0; i < count; ++i) ports.push_back({count == 1 ? "output" : fmt::format("output_{}", i), {}});
  return ports;
}

// Whether the module knows no more about a value's type than its message contains.
auto IsStated(const ValueInfo& info, const ValueType& type) -> bool {
  if (!info.type.is_tensor() || type.element_type == kUndefined || IsForeignElement(info.type.element_type))
    return true;
  if (info.type.element_type != type.element_type || !info.type.shape) return false;
  return std::ranges::equal(*info.type.shape, type.shape, [](const DimProto& stated, const Extent& extent) {
    return !stated.value || !extent.value || *stated.value == *extent.value;
  });
}

// Inputs or outputs of the model that was read, by their messages.
using Stated = TextViewMap<const ValueInfo*>;
auto ByMessage(const std::vector<ValueInfo>& infos) -> Stated {
  Stated stated;
  for (const ValueInfo& info : infos) stated.try_emplace(info.message, &info);
  return stated;
}

// Returns the message of an input or output of the model that was read, if it still holds.
auto StatedMessage(const OnnxPort& port, const Stated& stated, const ValueType& type) -> std::string_view {
  if (port.message.empty()) return {};
  const auto found = stated.find(port.message);
  const bool holds = found != stated.end() && found->second->name == type.name.text() && IsStated(*found->second, type);
  return holds ? found->second->message : std::string_view();
}

// The most bytes of an initializer that is copied for an output rather than computed by an Identity.
constexpr size_t kMostCopied = 64;

class ModelWriter {
 public:
  ModelWriter(const Module& module, DiagnosticSink& sink, int64_t opset, const OnnxNames& names)
      : table_(std::make_shared<NameTable>()),
        state_{.module = module, .sink = sink, .builder = ModelBuilder(*table_, std::max(opset, kLeastForms), opset)},
        target_(opset),
        names_(names),
        model_(module.context().Part<OnnxInterface>().model()) {
    if (model_ == nullptr) return;
    stated_inputs_ = ByMessage(model_->graph->inputs);
    stated_outputs_ = ByMessage(model_->graph->outputs);
  }

  auto Write() -> std::optional<Model> {
    if (const auto large = FindLargeTuple(state_.module)) {
      state_.sink.Report(kUnsupported, *large, "this value", TooManyTensors());
      return std::nullopt;
    }
    const GlobalId main = state_.module.FindGlobal("main");
    const Function& function = *state_.module.function<Function>(main);
    const Leaves results = LeavesOf(function.context(), function.type(function.body()));
    const auto outputs = OutputNames(names_, results.size());
    Model model;
    model.names = table_;
    AddInputs(model.graph, function);
    if (model_ != nullptr) ReserveNames();
    // An initializer that is an output has its name already.
    const TextViewSet initializers = InitializerNames();
    for (const OnnxPort& port : outputs) {
      if (!initializers.contains(port.name)) state_.builder.Reserve(port.name);
    }
    model.metadata = names_.metadata;
    const CallOutputs made = WriteNodes(main, function, model.graph);
    if (!made || state_.sink.has_errors()) return std::nullopt;
    SetOutputs(model.graph, *made, results, outputs);
    model.graph.initializers = std::move(state_.builder.initializers());
    if (model_ != nullptr) SortNodes(model.graph, state_.module.context().Part<OnnxInterface>());
    RemoveUnused(model.graph);
    ShareTransposes(model.graph, *table_, state_.module.context().Part<OnnxInterface>());
    Tidy(model.graph, *table_, target_);
    const auto& interface = state_.module.context().Part<OnnxInterface>();
    if (NameNodes(model.graph, *table_, function.context(), interface)) RemoveUnused(model.graph);
    model.opset = state_.builder.opset();
    if (target_ < model.opset && model.opset == kLeastForms) {
      // The model is of an older version than the forms are.
      const Needs needs = ToOldVersion(model.graph, target_);
      model.opset = needs.op_type.empty() ? target_ : needs.version;
      model.needs = needs.op_type;
      if (!model.needs.empty()) return model;
    }
    if (model_ != nullptr) {
      Restore(model);
      RestoreInitializers(model.graph);
    }
    AddDefaults(model.graph);
    AddDomains(model);
    return model;
  }

 private:
  auto InitializerNames() const -> TextViewSet {
    TextViewSet names;
    if (model_ == nullptr) return names;
    for (const TensorProto& tensor : model_->graph->initializers) names.insert(tensor.name);
    return names;
  }

  // Names inside of graphs that stay as they are, and names that values will get.
  void ReserveNames() {
    for (const GraphProto& graph : model_->graphs) {
      for (const NodeProto& node : graph.nodes) {
        // The initializer that a Constant, or a result that was folded while reading, becomes has its name.
        const bool is_main = &graph == model_->graph;
        for (const std::string_view output : node.outputs) {
          if (is_main) {
            state_.builder.KeepForInitializer(output);
          } else {
            state_.builder.Reserve(output);
          }
        }
      }
      if (&graph == model_->graph) continue;
      for (const ValueInfo& input : graph.inputs) state_.builder.Reserve(input.name);
      for (const TensorProto& tensor : graph.initializers) state_.builder.Reserve(tensor.name);
    }
  }

  // The metadata of a model.
  void Restore(Model& model) const {
    model.producer = model_->producer_name;
    model.producer_version = model_->producer_version;
    model.domain = model_->domain;
    model.version = model_->model_version;
    model.doc = model_->doc;
    // The first version in which initializers need not be inputs.
    constexpr int64_t kLeastVersion = 4;
    model.ir_version = std::max(model_->ir_version, kLeastVersion);
    if (model.opset > names_.opset) model.ir_version = std::max(model.ir_version, LeastIrVersion(model.opset));
    for (const OpsetImport& opset : model_->opsets.foreign()) model.opsets.emplace_back(opset.domain, opset.version);
    for (const FunctionProto& function : model_->functions) model.functions.emplace_back(function.message);
    const GraphProto& graph = *model_->graph;
    model.graph.doc = graph.doc;
    model.graph.annotations.assign(graph.annotations.begin(), graph.annotations.end());
    model.graph.props.assign(graph.metadata.begin(), graph.metadata.end());
    // A model works without types of values between nodes that it does not state.
    NameMap<const ValueInfo*> stated(table_->size());
    for (const ValueInfo& value : graph.values) {
      const ValueInfo*& first = stated[table_->Intern(value.name)];
      if (first == nullptr) first = &value;
    }
    // In the order of the model, which they usually have already.
    std::vector<std::pair<const ValueInfo*, size_t>> order;
    for (size_t i = 0; i < model.graph.values.size(); ++i) {
      if (const ValueInfo* value = stated[model.graph.values[i].name]) order.emplace_back(value, i);
    }
    if (!std::ranges::is_sorted(order)) std::ranges::sort(order);
    std::vector<ValueType> values;
    values.reserve(order.size());
    for (const auto& [value, i] : order) {
      values.push_back(std::move(model.graph.values[i]));
      AddStatedExtents(values.back(), value->type);
    }
    model.graph.values = std::move(values);
  }

  // Extents that the model states stay stated.
  static void AddStatedExtents(ValueType& value, const TypeProto& type) {
    const bool is_alike = type.is_tensor() && type.element_type == value.element_type && type.shape &&
                          type.shape->size() == value.shape.size();
    for (size_t i = 0; is_alike && i < value.shape.size(); ++i) {
      Extent& extent = value.shape[i];
      if (!extent.value && extent.symbol.empty()) extent.value = (*type.shape)[i].value;
    }
  }

  // Initializers whose elements Relay lacks were read as nodes.
  void RestoreInitializers(Graph& graph) const {
    const auto is_constant = [](const Node& node) {
      return node.is_foreign && node.op_type == "Constant" && node.outputs.size() == 1 && node.attributes.size() == 1;
    };
    if (std::ranges::none_of(graph.nodes, is_constant)) return;
    TextViewMap<const TensorProto*> tensors;
    for (const TensorProto& tensor : model_->graph->initializers) tensors[tensor.name] = &tensor;
    std::erase_if(graph.nodes, [&](const Node& node) {
      if (!is_constant(node)) return false;
      const auto found = tensors.find(node.outputs[0].text());
      if (found == tensors.end() || found->second->message.empty()) return false;
      const TensorProto& tensor = *found->second;
      if (node.attributes[0].message.find(tensor.message) == std::string::npos) return false;
      graph.initializers.push_back({.name = node.outputs[0],
                                    .element_type = tensor.element_type,
                                    .dims = tensor.dims,
                                    .message = tensor.message});
      return true;
    });
  }

  // Initializers with the values of inputs that callers may leave out.
  void AddDefaults(Graph& graph) const {
    TextViewMap<const Constant*> defaults;
    for (const auto& [parameter, port] : names_.inputs) {
      if (port.default_value != nullptr) defaults[port.name] = port.default_value.get();
    }
    for (const ValueType& input : graph.inputs) {
      const auto value = defaults.find(input.name.text());
      if (value == defaults.end()) continue;
      TensorData tensor = ToTensorData(*value->second);
      tensor.name = input.name;
      graph.initializers.push_back(std::move(tensor));
    }
  }

  // The domains of nodes that the model does not list.
  void AddDomains(Model& model) const {
    absl::flat_hash_set<std::string> listed;
    for (const auto& [domain, version] : model.opsets) listed.insert(domain);
    for (const auto& pair : state_.domains) {
      if (!listed.contains(pair.first)) model.opsets.emplace_back(pair);
    }
  }

  void AddInputs(Graph& graph, const Function& function) {
    for (const auto& [parameter, port] : names_.inputs) {
      symbols_.insert(port.symbols.begin(), port.symbols.end());
      state_.builder.Reserve(port.name);
    }
    for (const OnnxPort& port : names_.outputs) symbols_.insert(port.symbols.begin(), port.symbols.end());
    for (const ExprId param : function.params()) args_.push_back(AddInput(graph, function, param));
  }

  // Returns the inputs and nodes of the graph; what has no form is reported.
  auto WriteNodes(GlobalId main, const Function& function, Graph& graph) -> CallOutputs {
    graph.name = names_.graph.empty() ? "main" : names_.graph;
    // Constants with names keep them, so these names are reserved.
    const auto& constants = function.context().Part<ConstantNames>();
    for (const ExprId id : function.ids()) {
      if (function.kind(id) != ExprKind::kConstant) continue;
      if (const auto name = constants.Find(function.constant_id(id))) state_.builder.KeepForInitializer(*name);
    }
    FunctionWriter writer(state_, main, function);
    CallOutputs made = writer.Write(graph, args_);
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
      const bool is_port = known != names_.inputs.end() && leaves.size() == 1;
      const bool is_handle = leaves[i]->dtype == kHandle && is_port && !known->second.message.empty();
      if (!leaves[i]->is_tensor() || (ElementTypeOf(leaves[i]->dtype) == kUndefined && !is_handle)) {
        state_.sink.Report(kUnsupported, function.range(param), name, "ONNX does not have its type");
        continue;
      }
      // Callers use the names of inputs, so these stay exactly as they are.
      values.push_back(is_port ? table_->Intern(name) : state_.builder.Unique(name));
      graph.inputs.push_back(ValueOfType(*leaves[i], values.back()));
      state_.typed.insert(values.back());
      if (is_port) {
        SetSymbols(graph.inputs.back(), known->second.symbols);
        if (model_ != nullptr) {
          graph.inputs.back().message = StatedMessage(known->second, stated_inputs_, graph.inputs.back());
        }
      }
      NameUnknown(graph.inputs.back());
      if (!is_port || is_handle) continue;
      // The interface keeps types that Relay lacks.
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

  auto AddCast(Graph& graph, Name value, int32_t element_type) -> Name {
    return state_.builder.AddNode(graph, "Cast", {value}, {Int("to", element_type)}, 1)[0];
  }

  void SetSymbols(ValueType& value, const std::vector<std::string>& symbols) {
    for (size_t i = 0; i < value.shape.size() && symbols.size() == value.shape.size(); ++i) {
      if (!value.shape[i].value) value.shape[i].symbol = table_->Intern(symbols[i]);
    }
  }

  // All unknown extents of inputs get names.
  void NameUnknown(ValueType& value) {
    for (Extent& extent : value.shape) {
      if (extent.value || !extent.symbol.empty()) continue;
      do {
        extent.symbol = table_->Intern(fmt::format("d{}", unknown_++));
      } while (symbols_.contains(extent.symbol.text()));
    }
  }

  // Gives initializers that are outputs the names of these. A weight of the model keeps its own name, and an
  // initializer that is several outputs is written again for each of which the model contained the elements, or if it
  // is small.
  void NameInitializers(Graph& graph, Values& values, const std::vector<OnnxPort>& ports) {
    std::vector<TensorData>& initializers = state_.builder.initializers();
    // The places of initializers, counted from 1.
    NameMap<size_t> places(table_->size());
    for (size_t i = 0; i < initializers.size(); ++i) places[initializers[i].name] = i + 1;
    const TextViewSet weights = InitializerNames();
    const TextViewSet constants = ConstantResults();
    NameSet given;
    Names outputs;
    for (const OnnxPort& port : ports) {
      outputs.push_back(table_->Intern(port.name));
      if (places[outputs.back()] != 0) given.insert(outputs.back());
    }
    // The initializers of outputs, by the names that these had before.
    std::vector<size_t> sources(values.size());
    for (size_t i = 0; i < values.size(); ++i) sources[i] = places[values[i]];
    NameMap<Name> renamed;
    bool has_renamed = false;
    for (size_t i = 0; i < values.size(); ++i) {
      if (sources[i] == 0 || given.contains(outputs[i])) continue;
      TensorData& source = initializers[sources[i] - 1];
      const bool is_weight = weights.contains(source.name.text());
      if (!is_weight && !given.contains(source.name)) {
        renamed[source.name] = outputs[i];
        source.name = outputs[i];
        source.is_named = true;
      } else if (weights.contains(ports[i].name) || constants.contains(ports[i].name) ||
                 (!is_weight && source.bytes.size() <= kMostCopied)) {
        TensorData copy = source;
        copy.name = outputs[i];
        copy.is_named = true;
        initializers.push_back(std::move(copy));
      } else {
        continue;
      }
      given.insert(outputs[i]);
      values[i] = outputs[i];
      has_renamed = true;
    }
    if (has_renamed) RenameValues(graph, renamed);
    for (Name& value : values) {
      if (const Name now = renamed[value]; !now.empty()) value = now;
    }
  }

  // The results of Constant nodes of the model that was read.
  auto ConstantResults() const -> TextViewSet {
    TextViewSet names;
    if (model_ == nullptr) return names;
    for (const NodeProto& node : model_->graph->nodes) {
      if (node.op_type == "Constant") names.insert(node.outputs.begin(), node.outputs.end());
    }
    return names;
  }

  // Gives each result a value of its own with the name of the original output: the node that computes it gets that name
  // if there is one.
  void SetOutputs(Graph& graph, const Values& results, std::span<const Type* const> types,
                  const std::vector<OnnxPort>& ports) {
    Values values = results;
    for (size_t i = 0; i < values.size(); ++i) {
      if (types[i]->dtype == kHandle || !IsForeign(ports[i].element_type, ElementTypeOf(types[i]->dtype))) continue;
      RaiseFor(ports[i].element_type);
      values[i] = AddCast(graph, values[i], ports[i].element_type);
    }
    NameInitializers(graph, values, ports);
    // The results that nodes give.
    NameSet own(table_->size());
    for (const Node& node : graph.nodes) {
      for (const Name output : node.outputs) own.insert(output);
    }
    NameMap<Name> renamed(table_->size());
    for (size_t i = 0; i < values.size(); ++i) {
      if (own.erase(values[i])) renamed[values[i]] = table_->Intern(ports[i].name);
    }
    RenameValues(graph, renamed);
    // What copies are copies of: equal outputs are copies of the same value, whether there are two of them or more.
    NameMap<Name> copies(table_->size());
    for (const Node& node : graph.nodes) {
      if (node.op_type == "Identity" && node.domain.empty() && node.inputs.size() == 1)
        copies[node.outputs[0]] = node.inputs[0];
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const Name output = table_->Intern(ports[i].name);
      const Name now = renamed[values[i]];
      const Name source = now.empty() ? values[i] : now;
      // An output that the model lists twice has its name already.
      if (source != output) {
        const Name copied = copies[source];
        const Name from = copied.empty() ? source : copied;
        graph.nodes.push_back({.op_type = "Identity", .inputs = {from}, .outputs = {output}, .attributes = {}});
      }
      graph.outputs.push_back(ValueOfType(*types[i], output));
      if (IsForeign(ports[i].element_type, graph.outputs.back().element_type)) {
        graph.outputs.back().element_type = ports[i].element_type;
      }
      SetSymbols(graph.outputs.back(), ports[i].symbols);
      if (model_ != nullptr) {
        graph.outputs.back().message = StatedMessage(ports[i], stated_outputs_, graph.outputs.back());
      }
    }
  }

  std::shared_ptr<NameTable> table_;
  WriteState state_;
  int64_t target_;
  const OnnxNames& names_;
  // The model whose nodes the module keeps, or null.
  std::shared_ptr<const ModelProto> model_;
  Stated stated_inputs_;
  Stated stated_outputs_;
  std::vector<Values> args_;
  size_t unknown_ = 0;
  // Names of extents that the model has.
  TextSet symbols_;
};

}  // namespace

auto WriteModel(const Module& module, DiagnosticSink& sink, int64_t opset, const OnnxNames& names)
    -> std::optional<Model> {
  return ModelWriter(module, sink, opset, names).Write();
}

}  // namespace relayopt::onnx::out
