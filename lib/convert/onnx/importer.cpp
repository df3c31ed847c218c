// The import of a model. The nodes of a graph are in topological order, so one pass over them is enough: a converter
// finds its inputs in the scope, emits Relay that is typed and folded as it grows, and its results go into the scope.
//
//   Gather(x, i) -> y        scope: x = %x, i = 2      emits take(%x, 2, axis=0)      scope: y = that call
//
// What is not used is never laid out. At the end the operators that have become static are made so.
#include "importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "diagnostics.h"
#include "foreign_rules.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::onnx {

namespace {

// Graphs inside of graphs and functions inside of functions; converting them takes stack.
constexpr size_t kMaxDepth = 64;
// Nodes that are converted altogether. Graphs in loops and functions in functions are converted each time they run,
// which a small file may ask for without end.
constexpr size_t kMostNodes = 1'000'000;
// The newest version of the operator set that the table knows.
constexpr int64_t kNewestOpset = 21;

auto IsDefaultDomain(std::string_view domain) -> bool { return domain.empty() || domain == "ai.onnx"; }

}  // namespace

auto InternSpanText(Context& context, std::string_view text) -> StringId {
  const auto is_control = [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; };
  const bool is_plain = std::ranges::none_of(text, is_control) && text.find("*/") == std::string_view::npos;
  if (is_plain) return context.Intern(text);
  std::string made(text);
  std::ranges::replace_if(made, is_control, '_');
  for (size_t at = made.find("*/"); at != std::string::npos; at = made.find("*/", at)) made[at + 1] = '_';
  return context.Intern(made);
}

auto Scope::Find(std::string_view name) const -> const Value* {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    if (const auto found = scope->values_.find(name); found != scope->values_.end()) return &found->second;
  }
  return nullptr;
}

Importer::Importer(const ModelProto& model, const std::shared_ptr<const SourceText>& source, const OnnxOptions& options,
                   DiagnosticSink& sink)
    : model_(model),
      source_(source),
      options_(options),
      named_options_(options),
      sink_(sink),
      module_(options.context != nullptr ? options.context : std::make_shared<Context>()),
      context_(&module_.context()),
      own_builder_(module_.context()),
      builder_(*own_builder_),
      em_(builder_),
      files_(source->name()),
      called_(&model) {
  module_.set_source(source);
  context_->Keep(source);
  budget_ = kMostNodes;
  if (model.graph == nullptr) return;
  if (options.keep) {
    auto& interface = context_->Part<OnnxInterface>();
    shares_context_ = interface.has_nodes() || model.graphs.size() > 1 || !model.functions.empty();
    interface.ReserveNodes(model.graph->nodes.size());
  }
  budget_ += model.graph->nodes.size();
  node_sources_.reserve(model.graph->nodes.size());
  sources_.reserve(model.graph->nodes.size());
}

namespace {

// Returns a context that is owned elsewhere.
auto Borrowed(Context& context) -> std::shared_ptr<Context> { return {std::shared_ptr<Context>(), &context}; }

// ONNX defines what a node means.
auto ExactOptions(bool keep) -> const OnnxOptions& {
  static const OnnxOptions expanding = {.exact = true, .keeps_nan = true};
  static const OnnxOptions keeping = {.exact = true, .keeps_nan = true, .keep = true};
  return keep ? keeping : expanding;
}

}  // namespace

Importer::Importer(const ModelProto& model, const ModelProto* called, FunctionBuilder& to, DiagnosticSink& sink,
                   bool keep)
    : model_(model),
      options_(ExactOptions(keep)),
      named_options_(options_),
      sink_(sink),
      module_(Borrowed(to.context())),
      context_(&to.context()),
      builder_(to),
      em_(builder_),
      files_("-"),
      called_(called),
      shares_context_(true),
      budget_(kMostNodes) {}

auto Importer::Expand(const NodeProto& node, Scope& scope) -> std::optional<std::vector<Value>> {
  if (!ConvertNode(node, {scope, nullptr})) return std::nullopt;
  return MapToVector<Value>(node.outputs,
                            [&](std::string_view output) { return output.empty() ? Value() : *scope.Find(output); });
}

auto Importer::Run() -> std::optional<OnnxModule> {
  if (model_.graph == nullptr) {
    sink_.Report(diag::kNoGraph, {});
    return std::nullopt;
  }
  if (model_.has_training_info) Warn("model", "training information is ignored");
  if (OpsetOf("", nullptr) > kNewestOpset) {
    Warn("model", fmt::format("version {} of the operators is newer than {}, the newest that is known",
                              OpsetOf("", nullptr), kNewestOpset));
  }
  Scope scope;
  scope.Reserve(model_.graph->nodes.size() + model_.graph->initializers.size());
  bool ok = CheckOptions();
  if (options_.keep) {
    context_->Part<FoldingLimit>().Set();
    NoteDeclared(*model_.graph);
  } else {
    ok &= CheckOperators();
  }
  ok &= AddInitializers(*model_.graph, scope, true);
  ok &= AddInputs(*model_.graph, scope);
  if (!ok || !ConvertNodes(model_.graph->nodes, {scope, nullptr})) return std::nullopt;
  auto outputs = OutputsOf(*model_.graph, scope, "the model");
  if (!outputs) return std::nullopt;
  return Finish(*std::move(outputs));
}

void Importer::Warn(std::string_view where, std::string text) {
  if (is_quiet_) return;
  if (warned_.insert(fmt::format("{}: {}", where, text)).second) sink_.Report(diag::kNodeNote, {}, where, text);
}

auto Importer::FindFunction(const NodeProto& node) const -> const FunctionProto* {
  return called_ == nullptr ? nullptr : called_->FunctionOf(node);
}

auto Importer::OpsetOf(std::string_view domain, const FunctionFrame* frame) const -> int64_t {
  if (IsDefaultDomain(domain) && options_.opset) return *options_.opset;
  if (frame != nullptr) {
    if (const auto version = frame->function->opsets.Find(domain)) return *version;
  }
  return model_.opsets.Find(domain).value_or(1);
}

auto Importer::SourceOf(const NodeProto& proto) -> Source {
  const auto [entry, is_new] = node_sources_.try_emplace(&proto);
  if (is_new) entry->second = NewSource(proto);
  return entry->second;
}

auto Importer::NewSource(const NodeProto& proto) -> Source {
  Source source;
  source.name = proto.name;
  if (proto.name.empty()) {
    std::string& name = made_names_.emplace_back(proto.op_type);
    name.append("_").append(std::to_string(unnamed_[proto.op_type]++));
    source.name = name;
  }
  source.id = InternSpanText(*context_, source.name);
  if (!options_.keep) return source;
  // Kept nodes are found by this name.
  const auto is_taken = [&](StringId id) {
    return (shares_context_ && context_->Part<OnnxInterface>().FindNode(id) != nullptr) || !sources_.insert(id).second;
  };
  while (is_taken(source.id)) {
    const std::string stem = fmt::format("{}_{}", proto.op_type, proto.name);
    source.name = made_names_.emplace_back(fmt::format("{}_{}", stem, ++copies_[stem]));
    source.id = InternSpanText(*context_, source.name);
  }
  return source;
}

auto Importer::Where(const NodeProto& proto) -> std::string {
  const std::string domain = IsDefaultDomain(proto.domain) ? "" : fmt::format("{}::", proto.domain);
  return fmt::format("node '{}' ({}{})", SourceOf(proto).name, domain, proto.op_type);
}

auto Importer::InputsOf(const NodeProto& proto, Frame frame) -> std::optional<std::vector<Value>> {
  std::vector<Value> inputs;
  inputs.reserve(proto.inputs.size());
  for (const std::string_view name : proto.inputs) {
    if (name.empty()) {
      inputs.emplace_back();
      continue;
    }
    const Value* value = frame.scope.Find(name);
    if (value == nullptr) {
      sink_.Report(diag::kBadNode, {}, Where(proto),
                   fmt::format("input '{}' has no value here: nothing makes it, or only what needs this node", name));
      return std::nullopt;
    }
    inputs.push_back(*value);
    // Inputs and weights carry the name of what uses them first.
    const ExprId expr = value->expr;
    const bool is_leaf = expr && (em_.is_var(expr) || em_.is_constant(expr));
    if (is_leaf && !builder_.function().span(expr)) {
      Span span;
      span.source = InternSpanText(*context_, fmt::format("{}.{}", SourceOf(proto).name, name));
      builder_.SetSpan(expr, context_->Intern(span));
    }
  }
  // Optional inputs at the end may be left out or written as empty names.
  while (!inputs.empty() && inputs.back().is_absent()) inputs.pop_back();
  return inputs;
}

void Importer::MarkSpans(size_t first, StringId source) {
  Span span;
  span.source = source;
  const SpanId id = context_->Intern(span);
  for (size_t i = first; i < builder_.function().size(); ++i) {
    const ExprId expr(static_cast<uint32_t>(i));
    if (!builder_.function().span(expr)) builder_.SetSpan(expr, id);
  }
}

auto Importer::ConvertNodes(const std::vector<NodeProto>& nodes, Frame frame) -> bool {
  return std::ranges::all_of(nodes, [&](const NodeProto& node) { return ConvertNode(node, frame); });
}

auto Importer::ConvertNode(const NodeProto& proto, Frame frame) -> bool {
  // Nodes without names are numbered in their order.
  const Source source = SourceOf(proto);
  if (budget_ == 0) {
    sink_.Report(diag::kBadNode, {}, Where(proto), "loops and functions ask for too many nodes");
    return false;
  }
  --budget_;
  auto inputs = InputsOf(proto, frame);
  if (!inputs) return false;
  if (options_.keep) return KeepNode(proto, source.id, frame, *std::move(inputs));
  if (const FunctionProto* function = FindFunction(proto)) {
    return CallFunction(proto, *function, frame, *std::move(inputs));
  }
  if (options_.steps_recurrent) {
    const OpRow* row = FindOpRow(proto.domain, proto.op_type);
    const bool is_plain = std::ranges::all_of(
        *inputs, [](const Value& value) { return !value.is_sequence() && !value.is_empty_optional; });
    if (row != nullptr && IsRecurrent(*row) && is_plain && frame.function == nullptr) {
      const size_t first = builder_.function().size();
      auto results = CallForeign(proto, row, frame, *inputs);
      MarkSpans(first, source.id);
      return StoreResults(proto, *std::move(results), frame.scope);
    }
  }
  return ExpandNode(proto, frame, *std::move(inputs));
}

auto Importer::ExpandNode(const NodeProto& proto, Frame frame, std::vector<Value> inputs) -> bool {
  const OpRow* row = FindOpRow(proto.domain, proto.op_type);
  if (row == nullptr) {
    sink_.Report(diag::kUnsupported, {}, fmt::format("{}::{}", proto.domain, proto.op_type));
    return false;
  }
  const InputRange range = InputRangeOf(*row);
  if (inputs.size() < range.least || inputs.size() > range.most) {
    sink_.Report(diag::kBadNode, {}, Where(proto),
                 fmt::format("it has {} inputs, and the operator takes {}", inputs.size(), row->inputs));
    return false;
  }
  for (const AttributeProto& attribute : proto.attributes) {
    if (FindAttribute(*row, attribute.name)) continue;
    sink_.Report(diag::kBadNode, {}, Where(proto), fmt::format("attribute '{}' is not known", attribute.name));
    return false;
  }
  const size_t first = builder_.function().size();
  const std::vector<Value> given = inputs;
  Node node(*this, em_, proto, *row, frame.function, frame.scope, OpsetOf(row->domain, frame.function),
            std::move(inputs));
  Results results = row->convert(node);
  const bool needs_value = node.needs_value() || em_.needs_length();
  if (needs_value) needs_values_ = true;
  if (em_.failed()) {
    if (needs_value) {
      sink_.Report(diag::kNeedsValue, {}, Where(proto), em_.error(), node.remedy());
    } else {
      sink_.Report(diag::kBadNode, {}, Where(proto), em_.error());
    }
    return false;
  }
  if (sink_.has_errors()) return false;
  for (Value& value : results.values) {
    if (value.element_type != kUndefined || !value.expr) continue;
    // Operators that rearrange or pass on elements preserve their meaning.
    const bool keeps = !given.empty() && given[0].expr && em_.dtype(given[0].expr) == em_.dtype(value.expr);
    value.element_type = keeps ? given[0].element_type : ElementTypeOf(em_.dtype(value.expr));
  }
  MarkSpans(first, SourceOf(proto).id);
  return StoreResults(proto, std::move(results.values), frame.scope);
}

auto Importer::StoreResults(const NodeProto& proto, std::vector<Value> results, Scope& scope) -> bool {
  for (size_t i = 0; i < proto.outputs.size(); ++i) {
    const std::string_view name = proto.outputs[i];
    if (name.empty()) continue;
    if (i >= results.size() || results[i].is_absent()) {
      sink_.Report(diag::kBadNode, {}, Where(proto), fmt::format("output '{}' cannot be imported", name));
      return false;
    }
    const ExprId expr = results[i].expr;
    if (!scope.Add(name, std::move(results[i]))) {
      sink_.Report(diag::kBadNode, {}, Where(proto), fmt::format("output '{}' has the name of another value", name));
      return false;
    }
    if (options_.keep) NameConstant(expr, name, proto.op_type == "Constant");
  }
  return true;
}

// A constant has the name of the value for which it was created. Scalars are shared, except for those of a Constant.
void Importer::NameConstant(ExprId id, std::string_view name, bool is_own) {
  if (!id || !em_.is_constant(id)) return;
  const ConstantId constant = builder_.function().constant_id(id);
  auto& names = context_->Part<ConstantNames>();
  const bool is_shared = !is_own && builder_.function().constant(id).is_scalar();
  if (!is_shared && !names.Find(constant)) names.Set(constant, name);
}

auto Importer::CallFunction(const NodeProto& proto, const FunctionProto& function, Frame frame,
                            std::vector<Value> inputs) -> bool {
  const auto fail = [&](std::string_view why) {
    sink_.Report(diag::kBadNode, {}, Where(proto), why);
    return false;
  };
  for (const FunctionFrame* outer = frame.function; outer != nullptr; outer = outer->caller) {
    if (outer->function == &function) return fail("the function calls itself");
  }
  if (depth_ >= kMaxDepth) return fail(fmt::format("functions and graphs are nested deeper than {}", kMaxDepth));
  if (inputs.size() > function.inputs.size()) return fail("it has more inputs than the function");
  FunctionFrame inner{&function, {}, frame.function};
  // Attributes of the call first: they hide defaults of the same name.
  std::vector<AttributeProto> renamed;
  renamed.reserve(proto.attributes.size());
  for (const AttributeProto& attribute : proto.attributes) {
    if (attribute.reference.empty()) {
      inner.attributes.push_back(&attribute);
    } else if (const AttributeProto* outer =
                   frame.function != nullptr ? frame.function->Find(attribute.reference) : nullptr) {
      AttributeProto& copy = renamed.emplace_back(*outer);
      copy.name = attribute.name;
      inner.attributes.push_back(&copy);
    }
  }
  for (const AttributeProto& attribute : function.default_attributes) inner.attributes.push_back(&attribute);
  Scope scope;
  for (size_t i = 0; i < function.inputs.size(); ++i)
    scope.Set(function.inputs[i], i < inputs.size() ? inputs[i] : Value());
  ++depth_;
  const bool ok = ConvertNodes(function.nodes, {scope, &inner});
  --depth_;
  if (!ok) return false;
  std::vector<Value> results;
  for (const std::string_view name : function.outputs) {
    const Value* value = scope.Find(name);
    results.push_back(value != nullptr ? *value : Value());
  }
  return StoreResults(proto, std::move(results), frame.scope);
}

auto Importer::ImportBody(Node& node, const GraphProto& graph, const std::vector<Value>& inputs)
    -> std::optional<std::vector<Value>> {
  if (node.failed()) return std::nullopt;
  if (depth_ >= kMaxDepth) {
    node.Fail("functions and graphs are nested deeper than {}", kMaxDepth);
    return std::nullopt;
  }
  Scope scope(&node.scope());
  if (options_.keep) NoteDeclared(graph);
  ++depth_;
  bool ok = AddInitializers(graph, scope, false);
  for (size_t i = 0; i < graph.inputs.size() && i < inputs.size(); ++i) scope.Set(graph.inputs[i].name, inputs[i]);
  ok = ok && ConvertNodes(graph.nodes, {scope, node.frame()});
  --depth_;
  if (!ok) return std::nullopt;
  return OutputsOf(graph, scope, "the graph");
}

auto Importer::ConvertAs(Node& node, std::string_view op, std::vector<Value> inputs,
                         std::vector<AttributeProto> attributes, int64_t opset) -> Results {
  const OpRow* row = FindOpRow("", op);
  if (row == nullptr) return node.Fail("unknown operator '{}'", op);
  NodeProto proto;
  proto.op_type = row->name;
  proto.outputs = {row->name};
  proto.attributes = std::move(attributes);
  Node inner(*this, em_, proto, *row, nullptr, node.scope(), opset, std::move(inputs));
  return row->convert(inner);
}

}  // namespace relayopt::onnx
