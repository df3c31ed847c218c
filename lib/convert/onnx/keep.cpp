// Keeping nodes: a model as a module that can become the same model again.
//
// Each node becomes one call. If an operator of Relay means exactly what the node means, its call is the node's twin,
// so that passes over Relay know it; any other node becomes a call of a foreign operator (foreign.h). Whether there is
// a twin is tried: the node is converted as usual, and what was emitted is the twin when it is a single call on the
// node's own inputs that the writer turns into a single node of this operator. Otherwise it is dropped.
//
//   y = Conv<pads=[1,1,1,1]>(x, w, b)   =>   nn.bias_add(nn.conv2d(%x, w), b)
//   z = LayerNormalization(y, g, h)     =>   onnx.LayerNormalization(%1, g, h)
//
// Graphs inside of nodes stay the bytes that they are; the values that they take from outside are operands. An If whose
// condition is known becomes its branch. Nodes on sequences are expanded, because Relay has only tuples for them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <protozero/pbf_writer.hpp>

#include "builders.h"
#include "diagnostics.h"
#include "families.h"
#include "fields.h"
#include "foreign.h"
#include "importer.h"
#include "lib/convert/onnx_out/single_node.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_tables.h"
#include "stated_types.h"

namespace relayopt::onnx {

auto MayHaveTwin(const OpRow& row) -> bool {
  static const absl::flat_hash_set<const OpRow*> rows = [] {
    absl::flat_hash_set<const OpRow*> all;
    for (const auto& family :
         {ElementwiseRows(), BinaryRows(), CastRows(), ShapeRows(), CreationRows(), SliceRows(), IndexingRows(),
          SortRows(), ConvolutionRows(), PoolingRows(), NormalizationRows(), ReductionRows()}) {
      for (const OpRow& one : family) all.insert(&one);
    }
    return all;
  }();
  return rows.contains(&row);
}

namespace {

auto IsOfFamily(const OpRow& row, std::span<const OpRow> family) -> bool {
  return &row >= family.data() && &row < family.data() + family.size();
}

// Whether the row has that many inputs. What is left out at the end is none.
auto TakesInputs(const OpRow& row, const std::vector<Value>& inputs) -> bool {
  size_t count = inputs.size();
  while (count > 0 && inputs[count - 1].is_absent()) --count;
  const InputRange range = InputRangeOf(row);
  return count >= range.least && inputs.size() <= range.most;
}

// Whether every attribute of the node is one that the row has.
auto KnowsAttributes(const OpRow& row, const NodeProto& node) -> bool {
  return std::ranges::all_of(node.attributes, [&](const AttributeProto& attribute) {
    return FindAttribute(row, attribute.name).has_value() && attribute.reference.empty();
  });
}

// Whether all inputs are constants, and one has numbers that are not finite: of NaN Relay and ONNX compute other
// results.
auto AreSpecial(const Emitter& em, const std::vector<Value>& inputs) -> bool {
  const auto is_variable = [&](const Value& input) { return input.expr && !em.is_constant(input.expr); };
  return std::ranges::none_of(inputs, is_variable) &&
         std::ranges::any_of(inputs, [&](const Value& input) { return input.expr && !em.IsFinite(input.expr); });
}

// Whether it is known how often a loop runs at most, and whether it begins.
auto IsKnownLoop(const Emitter& em, const std::vector<Value>& inputs) -> bool {
  const auto is_known = [&](size_t i) { return i >= inputs.size() || !inputs[i].expr || em.IntOf(inputs[i].expr); };
  return is_known(0) && is_known(1);
}

auto HasGraphs(const NodeProto& node) -> bool {
  return std::ranges::any_of(node.attributes, [](const AttributeProto& attribute) {
    return attribute.graph != nullptr || attribute.type == AttributeType::kGraphs;
  });
}

// Calls `visit` with the names that a graph defines.
template <typename Visit>
void ForDefinitions(const GraphProto& graph, Visit&& visit) {
  for (const ValueInfo& input : graph.inputs) visit(input.name);
  for (const TensorProto& tensor : graph.initializers) visit(tensor.name);
  for (const SparseTensorProto& sparse : graph.sparse_initializers) visit(sparse.values.name);
  for (const NodeProto& node : graph.nodes) std::ranges::for_each(node.outputs, visit);
}

// Calls `visit` with the names that a graph, without the graphs in it, uses.
template <typename Visit>
void ForUses(const GraphProto& graph, Visit&& visit) {
  for (const NodeProto& node : graph.nodes) std::ranges::for_each(node.inputs, visit);
  for (const ValueInfo& output : graph.outputs) visit(output.name);
}

// The graphs in the attributes of a node, at whatever depth, by level. The graphs in one are next to each other.
class InnerGraphTree {
 public:
  explicit InnerGraphTree(const NodeProto& node) {
    Add(node);
    num_outermost_ = graphs_.size();
    for (size_t i = 0; i < graphs_.size(); ++i) {
      graphs_[i].first = graphs_.size();
      for (const NodeProto& inner : graphs_[i].proto->nodes) Add(inner);
      graphs_[i].last = graphs_.size();
    }
  }

  // Calls `enter` and `leave` with the number of each graph, those in a graph between both calls of it.
  template <typename Enter, typename Leave>
  void Walk(Enter&& enter, Leave&& leave) const {
    struct Step {
      size_t graph;
      bool is_entered;
    };
    std::vector<Step> steps;
    const auto push = [&](size_t first, size_t last) {
      for (size_t i = last; i > first; --i) steps.push_back({i - 1, false});
    };
    push(0, num_outermost_);
    while (!steps.empty()) {
      const size_t graph = steps.back().graph;
      if (std::exchange(steps.back().is_entered, true)) {
        leave(graph);
        steps.pop_back();
        continue;
      }
      enter(graph);
      push(graphs_[graph].first, graphs_[graph].last);
    }
  }

  auto proto(size_t graph) const -> const GraphProto& { return *graphs_[graph].proto; }

 private:
  // A graph, and the range of those in it.
  struct Entry {
    std::string_view name;
    const GraphProto* proto;
    size_t first = 0;
    size_t last = 0;
  };

  // In the order of their names, because those of a call and of a model stand in different orders.
  void Add(const NodeProto& node) {
    const size_t first = graphs_.size();
    for (const AttributeProto& attribute : node.attributes) {
      if (attribute.graph != nullptr) graphs_.push_back({attribute.name, attribute.graph});
    }
    std::ranges::sort(graphs_.begin() + static_cast<int64_t>(first), graphs_.end(), {}, &Entry::name);
  }

  std::vector<Entry> graphs_;
  size_t num_outermost_ = 0;
};

}  // namespace

auto CapturesOf(const NodeProto& node, const std::function<bool(std::string_view)>& is_around)
    -> std::vector<std::string_view> {
  const InnerGraphTree graphs(node);
  // How often a name is defined by the graphs that have been entered.
  TextViewMap<size_t> definitions;
  // The graph of the first use, and the number of the use in it.
  TextViewMap<std::pair<size_t, size_t>> captured;
  const auto enter = [&](size_t graph) {
    ForDefinitions(graphs.proto(graph), [&](std::string_view name) { ++definitions[name]; });
    size_t number = 0;
    ForUses(graphs.proto(graph), [&](std::string_view name) {
      const std::pair use(graph, number++);
      if (name.empty() || !is_around(name)) return;
      if (const auto found = definitions.find(name); found != definitions.end() && found->second != 0) return;
      std::pair<size_t, size_t>& first = captured.try_emplace(name, use).first->second;
      first = std::min(first, use);
    });
  };
  const auto leave = [&](size_t graph) {
    ForDefinitions(graphs.proto(graph), [&](std::string_view name) { --definitions[name]; });
  };
  graphs.Walk(enter, leave);
  std::vector<std::string_view> names;
  for (const auto& [name, use] : captured) names.push_back(name);
  std::ranges::sort(names, {}, [&](std::string_view name) { return captured.at(name); });
  return names;
}

namespace {

auto HasNewAxis(const NodeProto& node) -> bool {
  return std::ranges::any_of(node.attributes, [](const AttributeProto& attribute) {
    return attribute.name == "new_axis" && attribute.i != 0;
  });
}

// Whether nodes on sequences become more nodes on tensors: a graph for each item, or a node for each of several items
// that gives it a new axis.
auto GrowsAsTensors(const GraphProto& graph) -> bool {
  bool has_list = false;
  bool stacks = false;
  for (const NodeProto& node : graph.nodes) {
    if (node.op_type == "SequenceMap") return true;
    has_list |= node.op_type == "SplitToSequence";
    has_list |= node.op_type == "SequenceConstruct" && node.inputs.size() > 1;
    stacks |= node.op_type == "ConcatFromSequence" && HasNewAxis(node);
  }
  return has_list && stacks;
}

}  // namespace

auto Importer::KeepsSequences(const NodeProto& proto, const OpRow& row, const std::vector<Value>& inputs) const
    -> bool {
  if (keeps_sequences_) return IsOfFamily(row, SequenceRows());
  if (proto.op_type != "Loop" || std::ranges::none_of(inputs, &Value::is_sequence)) return false;
  // A loop that is unrolled has its body once for each iteration.
  const auto count = inputs[0].expr ? em_.IntOf(inputs[0].expr) : std::nullopt;
  return !IsKnownLoop(em_, inputs) || !count || *count > 1;
}

void Importer::NoteDeclared(const GraphProto& graph) {
  for (const auto* list : {&graph.values, &graph.outputs}) {
    for (const ValueInfo& value : *list) declared_.try_emplace(value.name, &value);
  }
  if (&graph != model_.graph) return;
  keeps_sequences_ = GrowsAsTensors(graph);
  for (const ValueInfo& output : graph.outputs) {
    if (!output.type.is_tensor()) other_outputs_.insert(output.name);
  }
}

auto Importer::DeclaredType(std::string_view name) -> TypeId {
  knows_declared_ = true;
  const auto found = declared_.find(name);
  return found == declared_.end() ? context_->Scalar(kHandle) : ForeignType(*context_, found->second->type);
}

auto Importer::ConstantCall(const TensorProto& tensor) -> ExprId {
  std::string message;
  {
    protozero::pbf_writer writer(message);
    writer.add_string(field::kAttributeName, "value");
    writer.add_message(field::kT, tensor.message.data(), tensor.message.size());
    writer.add_int32(field::kAttributeType, static_cast<int32_t>(AttributeType::kTensor));
  }
  NodeProto node;
  node.op_type = "Constant";
  // The written tensor has the name of the initializer.
  const auto named = std::make_shared<NodeProto>(node);
  named->outputs.push_back(tensor.name);
  AttributeProto& attribute = node.attributes.emplace_back();
  attribute.name = "value";
  attribute.type = AttributeType::kTensor;
  attribute.message = message;
  std::vector<Dim> dims(tensor.dims.begin(), tensor.dims.end());
  ForeignParts parts;
  parts.version = OpsetOf("", nullptr);
  const TypeId type = context_->Tensor(dims, kHandle);
  parts.types.push_back(DeclaredTypeText(*context_, type));
  const ExprId made = builder_.OpCall(InternOpInstance(*context_, MakeForeign(*context_, node, parts)), {});
  builder_.SetType(made, type);
  const StringId source = SourceOf(*named).id;
  NoteNode(*named, source);
  context_->Part<OnnxInterface>().Keep(named);
  MarkSpans(made.value(), source);
  return made;
}

void Importer::NoteNode(const NodeProto& proto, StringId source) {
  context_->Part<OnnxInterface>().NoteNode(source, &proto);
}

auto Importer::KeepNode(const NodeProto& proto, StringId source, Frame frame, std::vector<Value> inputs) -> bool {
  const auto is_expanded = [](const Value& value) { return value.is_sequence() || value.is_empty_optional; };
  const OpRow* row = FindFunction(proto) != nullptr ? nullptr : FindOpRow(proto.domain, proto.op_type);
  bool has_like = row != nullptr && row->by_types && frame.function == nullptr && other_outputs_.empty();
  if (has_like) {
    const Emission* like = alike_.Find(builder_.function(), proto, inputs);
    if (like != nullptr) return KeepAlike(proto, source, *like, frame.scope, inputs);
  }
  if (row != nullptr && (!KnowsAttributes(*row, proto) || !TakesInputs(*row, inputs) || GivesMaps(*row))) row = nullptr;
  const size_t first = builder_.function().size();
  // The node is expanded, so nothing will refer to it.
  const bool is_settled = row != nullptr && !GivesSequenceOutput(proto) && proto.op_type == "If" && !inputs.empty() &&
                          std::ranges::none_of(inputs, is_expanded) && em_.IntOf(inputs[0].expr).has_value();
  if (is_settled) return ExpandNode(proto, frame, std::move(inputs));
  NoteNode(proto, source);
  std::optional<std::vector<Value>> results;
  size_t first_named = first;
  if (row != nullptr && KeepsSequences(proto, *row, inputs)) {
    results = CallForeign(proto, row, frame, inputs);
  } else if (std::ranges::any_of(inputs, is_expanded)) {
    // An optional that is an output has a different type than its contents.
    const bool is_optional = row != nullptr && row->name == "Optional" && GivesSequenceOutput(proto);
    const bool is_sequence = row != nullptr && !is_optional && IsOfFamily(*row, SequenceRows());
    if (row != nullptr && !is_optional && !is_sequence) return ExpandNode(proto, frame, std::move(inputs));
    if (is_sequence) results = TryExpansion(proto, *row, frame, inputs);
  } else if (row != nullptr && !GivesSequenceOutput(proto)) {
    const bool has_twin = MayHaveTwin(*row) || IsOfFamily(*row, SequenceRows());
    // Passes know parts of a shape by the slice that they are, which becomes one node again.
    const bool is_shape = row->domain.empty() && row->name == "Shape";
    if (is_shape) results = TryExpansion(proto, *row, frame, inputs);
    // The whole shape that it is a part of may be the result of another node, whose name it has then.
    if (results && results->size() == 1 && (*results)[0].expr) first_named = (*results)[0].expr.value();
    if (!is_shape && has_twin && !AreSpecial(em_, inputs)) {
      results = TryTwin(proto, *row, frame, inputs);
      // Where constants are folded, whether there is a twin may depend on their values.
      has_like =
          has_like &&
          (results || std::ranges::none_of(inputs, [this](const Value& input) { return em_.is_constant(input.expr); }));
    }
  }
  size_t first_made = first;
  if (!results) {
    first_made = builder_.function().size();
    knows_declared_ = false;
    results = CallForeign(proto, row, frame, inputs);
    has_like = has_like && !knows_declared_;
  }
  if (has_like) alike_.Note(builder_.function(), ExprId(static_cast<uint32_t>(first_made)), inputs, *results);
  MarkSpans(first_named, source);
  for (const Value& result : *results) {
    if (result.is_sequence()) makers_[result.items.get()] = &proto;
  }
  return StoreResults(proto, *std::move(results), frame.scope);
}

auto Importer::KeepAlike(const NodeProto& proto, StringId source, const Emission& like, Scope& scope,
                         const std::vector<Value>& inputs) -> bool {
  const size_t first = builder_.function().size();
  NoteNode(proto, source);
  auto results = like.Emit(builder_, inputs);
  MarkSpans(first, source);
  return StoreResults(proto, std::move(results), scope);
}

auto Importer::GivesSequenceOutput(const NodeProto& proto) const -> bool {
  return !other_outputs_.empty() &&
         std::ranges::any_of(proto.outputs, [&](std::string_view name) { return other_outputs_.contains(name); });
}

auto Importer::TryExpansion(const NodeProto& proto, const OpRow& row, Frame frame, const std::vector<Value>& inputs)
    -> std::optional<std::vector<Value>> {
  for (const Value& input : inputs) {
    const bool is_plain = !input.expr || (em_.is_tensor(input.expr) && em_.dtype(input.expr) != kHandle);
    if (!is_plain) return std::nullopt;
  }
  is_quiet_ = true;
  Node node(*this, em_, proto, row, frame.function, frame.scope, OpsetOf(row.domain, frame.function), inputs);
  Results results = row.convert(node);
  is_quiet_ = false;
  if (em_.failed()) {
    em_.Clear();
    return std::nullopt;
  }
  if (std::ranges::any_of(results.values, [](const Value& value) { return IsForeignElement(value.element_type); }))
    return std::nullopt;
  return std::move(results.values);
}

auto Importer::TryTwin(const NodeProto& proto, const OpRow& row, Frame frame, const std::vector<Value>& inputs)
    -> std::optional<std::vector<Value>> {
  const ExprId first(static_cast<uint32_t>(builder_.function().size()));
  auto results = TryExpansion(proto, row, frame, inputs);
  if (!results || !IsTwin(proto, *results, first)) return std::nullopt;
  const Function& function = builder_.function();
  const auto given = [&] { return BytesGiven(function, MapToVector<ExprId>(inputs, &Value::expr), proto.attributes); };
  const bool are_large = AreLargeConstants(function, first, MapToVector<ExprId>(*results, &Value::expr), given);
  return are_large ? std::nullopt : std::move(results);
}

// An input of the node, or a constant.
auto Importer::IsGiven(ExprId id, ExprId first) const -> bool {
  return id.value() < first.value() || em_.is_constant(id);
}

auto Importer::IsTwin(const NodeProto& proto, const std::vector<Value>& results, ExprId first) -> bool {
  const Function& function = builder_.function();
  ExprId call;
  for (size_t i = 0; i < proto.outputs.size(); ++i) {
    if (proto.outputs[i].empty()) continue;
    if (i >= results.size()) return false;
    if (results[i].is_sequence() || results[i].is_empty_optional) return true;
    const ExprId value = results[i].expr;
    if (!value || !em_.is_tensor(value)) return false;
    if (IsGiven(value, first)) continue;
    const bool is_field = function.kind(value) == ExprKind::kTupleGetItem;
    const ExprId made = is_field ? function.operand(value, 0) : value;
    if (function.kind(made) != ExprKind::kOpCall || (call && call != made)) return false;
    // An output is a field of its own.
    if (is_field && function.index(value) != i) return false;
    call = made;
  }
  if (!call) return true;
  const auto are_given = [&](ExprId id, bool is_biased) {
    const auto operands = function.operands(id);
    for (size_t i = is_biased ? 1 : 0; i < operands.size(); ++i) {
      const bool is_tuple = function.kind(operands[i]) == ExprKind::kTuple && !IsGiven(operands[i], first);
      if (!is_tuple && !IsGiven(operands[i], first)) return false;
      if (!is_tuple) continue;
      for (const ExprId field : function.operands(operands[i])) {
        if (!IsGiven(field, first)) return false;
      }
    }
    return true;
  };
  const bool is_biased = out::IsBiased(function, call);
  if (!are_given(call, is_biased)) return false;
  const ExprId inner = is_biased ? function.operand(call, 0) : call;
  if (is_biased && !are_given(inner, false)) return false;
  const std::string written = single_nodes_.Find(function, inner).value_or("");
  if (written == proto.op_type) return true;
  constexpr std::array kMoved = {"Flatten", "Squeeze", "Unsqueeze"};
  return !written.empty() && std::ranges::find(kMoved, proto.op_type) != kMoved.end() &&
         (written == "Reshape" || written == "Squeeze" || written == "Unsqueeze");
}

// A sequence that was a tuple so far is one value for nodes and for callers.
auto Importer::AsOne(const Value& value) -> ExprId {
  if (!value.is_sequence()) return AsExpr(value);
  NodeProto node;
  node.op_type = value.items->empty() ? "SequenceEmpty" : "SequenceConstruct";
  Exprs operands;
  for (const Value& item : *value.items) operands.push_back(AsExpr(item));
  if (value.items->empty() && value.element_type != kUndefined) {
    AttributeProto& attribute = node.attributes.emplace_back();
    attribute.name = "dtype";
    attribute.type = AttributeType::kInt;
    attribute.i = value.element_type;
  }
  ForeignParts parts;
  parts.row = FindOpRow("", node.op_type);
  parts.version = RowVersion(*parts.row, OpsetOf("", nullptr));
  const ExprId made = builder_.OpCall(InternOpInstance(*context_, MakeForeign(*context_, node, parts)), operands);
  builder_.SetType(made, context_->Scalar(kHandle));
  const auto maker = makers_.find(value.items.get());
  if (maker != makers_.end() && maker->second->op_type == node.op_type) {
    MarkSpans(made.value(), SourceOf(*maker->second).id);
  }
  return made;
}

// Replaces a node of a version before 7, the oldest that is written, by the node of version 7 that means the same, if
// the difference is an attribute that says nothing or a slope of PRelu for each channel.
auto Importer::RaiseToVersion7(const OpRow& row, NodeProto& proto, std::vector<Value>& inputs) -> bool {
  const auto drop = [&](std::string_view name) {
    std::erase_if(proto.attributes, [&](const AttributeProto& attribute) { return attribute.name == name; });
  };
  if (row.name == "Gemm") {
    drop("broadcast");
    return true;
  }
  if (row.name == "LSTM" || row.name == "GRU" || row.name == "RNN") {
    drop("output_sequence");
    return true;
  }
  if (row.name != "PRelu" || inputs.size() != 2 || !em_.is_tensor(inputs[0].expr) || !em_.is_tensor(inputs[1].expr)) {
    return false;
  }
  drop("consumed_inputs");
  const ExprId slope = inputs[1].expr;
  const int64_t rank = em_.rank(inputs[0].expr);
  if (em_.rank(slope) != 1 || rank < 3 || em_.Extent(slope, 0) == 1) return true;
  if (!em_.is_constant(slope)) return false;
  inputs[1].expr = ExpandDims(em_, slope, 1, rank - 2);
  return true;
}

auto Importer::CallForeign(const NodeProto& of_file, const OpRow* row, Frame frame, std::vector<Value> inputs)
    -> std::optional<std::vector<Value>> {
  ForeignParts parts;
  parts.row = row;
  const std::string_view domain = of_file.domain == "ai.onnx" ? "" : of_file.domain;
  int64_t opset = OpsetOf(domain, frame.function);
  constexpr int64_t kLeastWritten = 7;
  std::optional<NodeProto> raised;
  if (row != nullptr && domain.empty() && opset < kLeastWritten) {
    raised = of_file;
    if (RaiseToVersion7(*row, *raised, inputs)) opset = kLeastWritten;
  }
  const NodeProto& proto = raised ? *raised : of_file;
  const bool has_graphs = HasGraphs(proto);
  // The contents of a graph are written in exactly this version, and so is a node that came later.
  const bool is_exact = row == nullptr || has_graphs || opset < FirstVersion(*row);
  parts.version = is_exact ? opset : RowVersion(*row, opset);
  parts.results.clear();
  for (const std::string_view output : proto.outputs) parts.results += output.empty() ? '0' : '1';
  while (parts.results.ends_with('0')) parts.results.pop_back();
  if (parts.results.empty()) parts.results = "1";
  Exprs operands;
  for (const Value& input : inputs) operands.push_back(input.is_absent() ? em_.CallBare(NoneOp(), {}) : AsOne(input));
  if (has_graphs) {
    const auto is_around = [&](std::string_view name) { return frame.scope.Find(name) != nullptr; };
    for (const std::string_view name : CapturesOf(proto, is_around)) {
      parts.captures.emplace_back(name);
      operands.push_back(AsOne(*frame.scope.Find(name)));
    }
  }
  std::vector<TypeId> types;
  std::vector<const Constant*> constants;
  for (const ExprId operand : operands) {
    types.push_back(builder_.function().type(operand));
    constants.push_back(em_.is_constant(operand) ? &builder_.function().constant(operand) : nullptr);
  }
  std::string error;
  OpInstance call = MakeForeign(*context_, proto, parts);
  TypeId type = TypeOfForeign(*context_, call, types, constants, error);
  if (!type) {
    for (size_t i = 0; i < parts.results.size(); ++i) {
      const std::string_view output = i < proto.outputs.size() ? proto.outputs[i] : std::string_view();
      parts.types.push_back(DeclaredTypeText(*context_, DeclaredType(output)));
    }
    call = MakeForeign(*context_, proto, parts);
    type = TypeOfForeign(*context_, call, types, constants, error);
  }
  const ExprId made = builder_.OpCall(InternOpInstance(*context_, call), operands);
  builder_.SetType(made, type);
  std::vector<Value> results;
  for (size_t i = 0; i < parts.results.size(); ++i) {
    if (parts.results[i] == '0') {
      results.emplace_back();
    } else {
      results.emplace_back(parts.results.size() == 1 ? made : em_.Get(made, i));
    }
  }
  return results;
}

}  // namespace relayopt::onnx
