#include "inner_models.h"

#include <algorithm>
#include <deque>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "forms.h"
#include "leaves.h"
#include "lib/convert/onnx/fields.h"
#include "lib/convert/onnx/foreign.h"
#include "lib/convert/onnx/tensor_data.h"
#include "model_writer.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/convert/onnx/onnx.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/source.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

namespace {

// How deep graphs nest that are changed; deeper ones stay as they are.
constexpr int kMostInner = 16;
// Larger captured constants are not known inside of a graph, so that they are not folded into a second weight.
constexpr size_t kMostKnown = 64;
// Unless nothing else uses them, and the graph computes something from constants alone.
constexpr size_t kMostOwnBytes = size_t{1} << 24;

// How deep the model of a context is nested in others. A part of the context.
class NestingDepth {
 public:
  explicit NestingDepth(Context&) {}
  int depth = 0;
};

// The values that graphs of a node take from around it, by name: their types, and constants or null.
struct CapturedValue {
  const Type* type;
  const Constant* constant;
  // Whether nothing but the node uses the constant.
  bool is_own = false;
};
using Captures = TextViewMap<CapturedValue>;

// Data that the graphs of one node share.
struct Surroundings {
  const Function& function;
  const ModelProto* model;
  const InnerModels& models;
  // The version that the graphs have.
  int64_t opset;
  Captures captures;
  // Put before new names, after it the name of the attribute.
  std::string prefix;
  // What each iteration passes to the next, if the graphs are bodies of loops: values from the input and the output of
  // this index on.
  size_t first_input = 0;
  size_t first_output = 0;
  size_t num_carried = 0;
};

// The names that graphs define and use, and the number of their nodes.
struct GraphFacts {
  TextSet defined;
  TextSet used;
  size_t nodes = 0;
  bool has_external = false;
};

auto FactsOf(const ModelProto& graphs) -> GraphFacts {
  GraphFacts facts;
  for (const GraphProto& graph : graphs.graphs) {
    for (const ValueInfo& input : graph.inputs) facts.defined.emplace(input.name);
    for (const TensorProto& tensor : graph.initializers) {
      facts.defined.emplace(tensor.name);
      facts.has_external |= tensor.is_external;
    }
    for (const SparseTensorProto& sparse : graph.sparse_initializers) facts.defined.emplace(sparse.values.name);
    for (const NodeProto& node : graph.nodes) {
      facts.nodes += node.op_type == "Constant" ? 0 : 1;
      facts.defined.insert(node.outputs.begin(), node.outputs.end());
      facts.used.insert(node.inputs.begin(), node.inputs.end());
    }
    for (const ValueInfo& output : graph.outputs) facts.used.emplace(output.name);
  }
  return facts;
}

auto GraphMessage(std::string_view attribute) -> std::string_view {
  protozero::pbf_reader reader(attribute.data(), attribute.size());
  std::string_view message;
  while (reader.next()) {
    if (reader.tag_and_type() == protozero::tag_and_type(field::kG, protozero::pbf_wire_type::length_delimited)) {
      const protozero::data_view view = reader.get_view();
      message = {view.data(), view.size()};
    } else {
      reader.skip();
    }
  }
  return message;
}

auto IsSmall(const CapturedValue& value) -> bool {
  return value.constant != nullptr && value.constant->num_elements() <= kMostKnown;
}

// The captured constants from which, and from other constants, nodes compute what does not depend on anything else.
auto ComputedFrom(const GraphProto& graph, const Captures& captures) -> TextViewSet {
  TextViewSet known;
  TextViewSet found;
  for (const TensorProto& tensor : graph.initializers) known.insert(tensor.name);
  const auto is_known = [&](std::string_view name) {
    if (name.empty() || known.contains(name)) return true;
    const auto captured = captures.find(name);
    return captured != captures.end() && captured->second.constant != nullptr;
  };
  for (const NodeProto& node : graph.nodes) {
    const bool has_graph = std::ranges::any_of(node.attributes, [](const auto& each) { return each.graph != nullptr; });
    if (has_graph || !std::ranges::all_of(node.inputs, is_known)) continue;
    known.insert(node.outputs.begin(), node.outputs.end());
    for (const std::string_view name : node.inputs) {
      if (captures.contains(name) && !known.contains(name)) found.insert(name);
    }
  }
  return found;
}

// Returns the captures as a part of a graph: inputs, and initializers for constants.
auto CapturesMessage(const GraphProto& graph, const GraphFacts& facts, const Captures& captures) -> std::string {
  NameTable table;
  Graph part;
  part.name = graph.name;
  std::vector<std::string_view> names;
  for (const auto& [name, value] : captures) {
    if (facts.used.contains(std::string(name))) names.push_back(name);
  }
  std::ranges::sort(names);
  const TextViewSet computed_from = ComputedFrom(graph, captures);
  for (const std::string_view name : names) {
    const CapturedValue& value = captures.at(name);
    if (IsSmall(value) || (value.is_own && computed_from.contains(name))) {
      TensorData& tensor = part.initializers.emplace_back(ToTensorData(*value.constant));
      tensor.name = table.Intern(name);
      continue;
    }
    ValueType& input = part.inputs.emplace_back(ValueOfType(*value.type, table.Intern(name)));
    if (value.type->dtype != kHandle && input.element_type != kUndefined) continue;
    // An unknown value.
    std::string message;
    protozero::pbf_writer(message).add_bytes(field::kValueName, name.data(), name.size());
    input.message = table.Keep(message);
  }
  return Serialize(part);
}

// Returns the file of a model that consists of a graph.
auto ModelMessage(const Surroundings& around, std::string_view graph, std::string_view captures) -> std::string {
  // The first version in which initializers need not be inputs.
  constexpr int64_t kLeastIrVersion = 4;
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  const auto add_opset = [&](std::string_view domain, int64_t version) {
    protozero::pbf_writer opset(writer, field::kOpsetImport);
    if (!domain.empty()) opset.add_string(field::kOpsetDomain, domain.data(), domain.size());
    opset.add_int64(field::kOpsetVersion, version);
  };
  writer.add_int64(field::kIrVersion,
                   std::max(around.model == nullptr ? kLeastIrVersion : around.model->ir_version, kLeastIrVersion));
  add_opset("", around.opset);
  if (around.model != nullptr) {
    for (const OpsetImport& opset : around.model->opsets.foreign()) add_opset(opset.domain, opset.version);
    for (const FunctionProto& function : around.model->functions) {
      writer.add_message(field::kFunctions, function.message.data(), function.message.size());
    }
  }
  writer.add_message(field::kModelGraph, std::string(graph).append(captures));
  return bytes;
}

auto IsSame(const TensorData& tensor, const Constant& constant) -> bool {
  const TensorData other = ToTensorData(constant);
  return tensor.element_type == other.element_type && tensor.dims == other.dims && tensor.bytes == other.bytes;
}

// Removes the inputs and initializers that stand for captures, which makes them captures again, and gives unique names
// to what the graph did not define before.
void Restore(Model& model, const Surroundings& around, const GraphFacts& before, const std::string& prefix) {
  Graph& graph = model.graph;
  const auto is_capture = [&](Name name) {
    return !before.defined.contains(name.text()) && around.captures.contains(name.text());
  };
  std::erase_if(graph.inputs, [&](const ValueType& input) { return is_capture(input.name); });
  std::erase_if(graph.initializers, [&](const TensorData& tensor) {
    if (!is_capture(tensor.name)) return false;
    const Constant* constant = around.captures.at(tensor.name.text()).constant;
    return constant != nullptr && IsSame(tensor, *constant);
  });
  NameMap<Name> renamed;
  const auto rename = [&](Name name) {
    const bool is_new = !name.empty() && !before.defined.contains(name.text());
    if (is_new) renamed[name] = model.names->Intern(fmt::format("{}{}", prefix, name.text()));
  };
  std::vector<const Graph*> graphs = {&graph};
  for (size_t i = 0; i < graphs.size(); ++i) {
    const Graph& one = *graphs[i];
    for (const ValueType& input : one.inputs) rename(input.name);
    for (const TensorData& tensor : one.initializers) rename(tensor.name);
    for (const Node& node : one.nodes) {
      std::ranges::for_each(node.outputs, rename);
      for (const Attribute& attribute : node.attributes) {
        if (attribute.graph != nullptr) graphs.push_back(attribute.graph.get());
      }
    }
  }
  RenameValues(graph, renamed);
  for (TensorData& tensor : graph.initializers) {
    if (const Name now = renamed[tensor.name]; !now.empty()) tensor.name = now;
  }
}

using Extents = std::vector<std::optional<int64_t>>;
// By position among the values that a loop passes on.
using WidenedShapes = std::map<size_t, Extents>;

// The extents of `before` that are those of `after`, too, unless it `forgets` all.
auto SharedExtents(const Type& before, const Type* after, bool forgets) -> Extents {
  Extents extents;
  for (size_t axis = 0; axis < before.rank(); ++axis) {
    const Dim extent = before.shape[axis];
    const bool stays = !forgets && after != nullptr && extent.is_int() && extent == after->shape[axis];
    extents.push_back(stays ? std::optional(extent.value()) : std::nullopt);
  }
  return extents;
}

// Adds the inputs whose extents differ in the first iteration and the next one to `shapes`, with these extents unknown:
// models state those of the first. With `forgets` all extents become unknown. Returns nothing if they have other
// numbers of axes, and else whether `shapes` changed.
auto WidenCarried(const OnnxModule& read, const Surroundings& around, bool forgets, WidenedShapes& shapes)
    -> std::optional<bool> {
  const Function& body = *read.module.function<Function>(read.module.FindGlobal("main"));
  if (!body.type(body.body())) return std::nullopt;
  const Leaves results = LeavesOf(body.context(), body.type(body.body()));
  bool is_changed = false;
  for (size_t i = 0; i < around.num_carried; ++i) {
    if (around.first_input + i >= body.params().size() || around.first_output + i >= results.size())
      return std::nullopt;
    const Type* before = TensorType(body, body.params()[around.first_input + i]);
    const Type& after = *results[around.first_output + i];
    if (before == nullptr || before->dtype == kHandle || before->rank() == 0) continue;
    const bool is_known = after.is_tensor() && after.dtype != kHandle;
    if (is_known && after.rank() != before->rank()) return std::nullopt;
    Extents extents = SharedExtents(*before, is_known ? &after : nullptr, forgets);
    const auto known = std::ranges::count_if(before->shape, &Dim::is_int);
    if (known == std::ranges::count_if(extents, [](const auto& extent) { return extent.has_value(); })) continue;
    is_changed = true;
    shapes[i] = std::move(extents);
  }
  return is_changed;
}

// Reads a graph as a model, whose inputs have types that hold in all iterations; nothing if that is not possible.
auto ReadGraph(const std::string& message, const Surroundings& around) -> std::optional<OnnxModule> {
  // An extent may depend on another one that became unknown, and this on the next. After so many steps all extents of
  // what changes in an iteration are forgotten, so that a long chain is not read once for each link.
  constexpr int kMostSteps = 8;
  const auto source = SourceText::FromString("-", message);
  OnnxOptions options;
  options.exact = true;
  options.keep = true;
  WidenedShapes shapes;
  for (int step = 0; step <= kMostSteps + 1; ++step) {
    options.context = std::make_shared<Context>();
    options.context->Part<NestingDepth>().depth = around.function.context().Part<NestingDepth>().depth + 1;
    DiagnosticSink sink;
    auto read = ImportOnnx(source, options, sink);
    if (!read) return std::nullopt;
    const auto is_wider = WidenCarried(*read, around, step >= kMostSteps, shapes);
    if (!is_wider) return std::nullopt;
    if (!*is_wider) return read;
    options.shapes.clear();
    for (const auto& [at, extents] : shapes) {
      options.shapes.emplace_back(read->inputs[around.first_input + at].name, extents);
    }
  }
  return std::nullopt;
}

// Returns the message of the attribute with its graph changed; nothing if it stays as it is.
auto ChangedAttribute(const AttributeProto& attribute, const Surroundings& around) -> std::optional<std::string> {
  const auto before = ReadAttributeProto(attribute.message);
  if (!before) return std::nullopt;
  const GraphFacts facts = FactsOf(before->model);
  // Files beside the model are not read, because their elements would become part of it.
  if (facts.has_external) return std::nullopt;
  const std::string captures = CapturesMessage(*attribute.graph, facts, around.captures);
  const auto read = ReadGraph(ModelMessage(around, GraphMessage(attribute.message), captures), around);
  if (!read) return std::nullopt;
  DiagnosticSink sink;
  const auto changed = around.models.change ? around.models.change(read->module) : std::optional(read->module);
  auto model = changed ? BuildModel(*changed, {.opset = around.models.opset}, sink) : std::nullopt;
  if (!model || model->opset != around.models.opset.value_or(around.opset)) return std::nullopt;
  Restore(*model, around, facts, around.prefix + std::string(attribute.name) + "/");
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(field::kAttributeName, attribute.name.data(), attribute.name.size());
  writer.add_message(field::kG, Serialize(model->graph));
  writer.add_int32(field::kAttributeType, static_cast<int32_t>(AttributeType::kGraph));
  if (around.models.opset) return message;
  const auto after = ReadAttributeProto(message);
  if (!after) return std::nullopt;
  const size_t nodes = FactsOf(after->model).nodes;
  const bool is_better = nodes < facts.nodes || (nodes == facts.nodes && message.size() <= attribute.message.size());
  return is_better && message != attribute.message ? std::optional(std::move(message)) : std::nullopt;
}

// The name of the first output of the node that a call was read from; of others the name of the node.
auto PrefixOf(const Function& function, ExprId id) -> std::string {
  const SpanId span = function.span(id);
  if (!span) return "";
  const StringId source = function.context().span(span).source;
  const NodeProto* node = function.context().Part<OnnxInterface>().FindNode(source);
  const bool is_named = node != nullptr && !node->outputs.empty() && !node->outputs[0].empty();
  return std::string(is_named ? node->outputs[0] : function.context().text(source)) + "/";
}

// Whether a call gives tensors of which something is known, where the call before did. The branches of an If may state
// the same rank, which optimized ones do not share because it was not true.
auto KnowsResults(Rebuild& rebuild, ExprId before, const OpInstance& call, std::span<const ExprId> operands) -> bool {
  const Function& function = rebuild.to().function();
  Context& context = rebuild.to().context();
  if (!IsTyped(context, rebuild.from().type(before))) return true;
  const auto inputs = MapToVector<TypeId>(operands, [&](ExprId operand) { return function.type(operand); });
  if (!std::ranges::all_of(inputs, [](TypeId type) { return type.has_value(); })) return true;
  const auto constants =
      MapToVector<const Constant*>(operands, [&](ExprId operand) { return ConstantOf(function, operand); });
  std::string error;
  return IsTyped(context, TypeOfForeign(context, call, inputs, constants, error));
}

// Emits the call with other graphs, or none if less would be known of its results. What the graphs take from outside is
// in the order in which reading them again gives it.
auto EmitNode(Rebuild& rebuild, ExprId id, const ForeignNode& call, size_t num_inputs) -> ExprId {
  NodeProto node = ProtoOf(call);
  ForeignParts parts = PartsOf(call);
  const auto operands = rebuild.NewOperands(id);
  std::vector<ExprId> kept(operands.begin(), operands.begin() + static_cast<int64_t>(num_inputs));
  TextViewMap<ExprId> captured;
  for (size_t i = 0; i < call.captures.size(); ++i) captured[call.captures[i]] = operands[num_inputs + i];
  // The graphs of the attributes are those from before; the new ones are read.
  std::deque<LoneAttribute> attributes;
  for (AttributeProto& attribute : node.attributes) {
    if (attribute.graph == nullptr) continue;
    if (auto read = ReadAttributeProto(attribute.message))
      attribute.graph = attributes.emplace_back(std::move(*read)).attribute.graph;
  }
  for (const std::string_view name : CapturesOf(node, [&](auto each) { return captured.contains(each); })) {
    parts.captures.emplace_back(name);
    kept.push_back(captured.at(name));
  }
  Context& context = rebuild.to().context();
  const OpInstance instance = MakeForeign(context, node, parts);
  if (!KnowsResults(rebuild, id, instance, kept)) return {};
  const ExprId made = rebuild.to().OpCall(InternOpInstance(context, instance), kept);
  rebuild.to().SetType(made, rebuild.from().type(id));
  return made;
}

// Notes which inputs and outputs of the body of a loop are those that its iterations pass on.
void NoteCarried(const ForeignNode& call, size_t num_inputs, Surroundings& around) {
  if (call.op_type == "Loop") {
    // Before them are the number of the iteration and the condition.
    constexpr size_t kBefore = 2;
    around.first_input = kBefore;
    around.first_output = 1;
    around.num_carried = std::max(num_inputs, kBefore) - kBefore;
  } else if (call.op_type == "Scan") {
    const AttributeProto* scanned = FindAttribute(call.attributes, "num_scan_inputs");
    const size_t num_scanned = scanned == nullptr ? 0 : static_cast<size_t>(scanned->i);
    around.num_carried = num_inputs - std::min(num_inputs, num_scanned);
  }
}

}  // namespace

auto RewriteInnerModels(Rebuild& rebuild, ExprId id, const InnerModels& models) -> ExprId {
  const Function& function = rebuild.from();
  if (function.context().Part<NestingDepth>().depth >= kMostInner) return {};
  ForeignNode call = ReadForeign(function.context(), function.instance(id));
  const auto operands = function.operands(id);
  const auto has_graph = [](const AttributeProto& attribute) { return attribute.graph != nullptr; };
  if (!call.error.empty() || call.captures.size() > operands.size() ||
      std::ranges::none_of(call.attributes, has_graph)) {
    return {};
  }
  const size_t num_inputs = operands.size() - call.captures.size();
  const auto model = function.context().Part<OnnxInterface>().model();
  Surroundings around{.function = function,
                      .model = model.get(),
                      .models = models,
                      .opset = call.version,
                      .captures = {},
                      .prefix = PrefixOf(function, id)};
  NoteCarried(call, num_inputs, around);
  // The branches of an If may both use a constant.
  const bool is_loop = models.uses != nullptr && std::ranges::count_if(call.attributes, has_graph) == 1;
  for (size_t i = 0; i < call.captures.size(); ++i) {
    const ExprId operand = operands[num_inputs + i];
    const Type* type = function.type(operand) ? &function.context().type(function.type(operand)) : nullptr;
    if (type == nullptr || !type->is_tensor()) return {};
    const bool is_constant = function.kind(operand) == ExprKind::kConstant;
    const Constant* constant = is_constant ? &function.constant(operand) : nullptr;
    const bool is_own =
        is_loop && constant != nullptr && constant->num_bytes() <= kMostOwnBytes && models.uses->IsOwn(operand);
    around.captures[call.captures[i]] = {type, constant, is_own};
  }
  std::deque<std::string> messages;
  for (AttributeProto& attribute : call.attributes) {
    if (attribute.graph == nullptr) continue;
    auto message = ChangedAttribute(attribute, around);
    if (message) {
      attribute.message = messages.emplace_back(*std::move(message));
    } else if (models.opset) {
      return {};
    }
  }
  if (models.opset) call.version = *models.opset;
  return messages.empty() ? ExprId() : EmitNode(rebuild, id, call, num_inputs);
}

}  // namespace relayopt::onnx::out
