// The import of a model. The nodes of a graph are in topological order, so one pass over them is enough: a converter
// finds its inputs in the scope, emits Relay that is typed and folded as it grows, and its results go into the scope.
//
//   Gather(x, i) -> y        scope: x = %x, i = 2      emits take(%x, 2, axis=0)      scope: y = that call
//
// What nobody uses is never laid out. At the end the operators that have become static are made so.
#include "importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "diagnostics.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/fold_constant.h"

namespace relayopt::onnx {

namespace {

// Graphs inside of graphs and functions inside of functions; converting them takes stack.
constexpr size_t kMaxDepth = 64;
// The newest version of the operator set that the table knows.
constexpr int64_t kNewestOpset = 21;

auto IsDefaultDomain(std::string_view domain) -> bool { return domain.empty() || domain == "ai.onnx"; }

// Relay text is read back only when a name holds none of these.
auto IsHardToRead(char c) -> bool {
  return std::isspace(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("\"'%,()=[]{};").find(c) != std::string_view::npos;
}

// The tuple whose fields these are, all of them in order; none when there is no such tuple.
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
      sink_(sink),
      context_(&module_.context()),
      builder_(module_.context()),
      em_(builder_),
      files_(source->name()) {
  module_.set_source(source);
  context_->Keep(source);
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
  bool ok = CheckOptions();
  ok &= CheckOperators();
  ok &= AddInitializers(*model_.graph, scope, true);
  ok &= AddInputs(*model_.graph, scope);
  if (!ok || !ConvertNodes(model_.graph->nodes, {scope, nullptr})) return std::nullopt;
  auto outputs = OutputsOf(*model_.graph, scope, "the model");
  if (!outputs) return std::nullopt;
  return Finish(*std::move(outputs));
}

void Importer::Warn(std::string_view where, std::string text) {
  if (warned_.insert(fmt::format("{}: {}", where, text)).second) sink_.Report(diag::kNodeNote, {}, where, text);
}

auto Importer::Sanitized(std::string_view name) -> std::string {
  std::string text(name);
  if (std::ranges::none_of(text, IsHardToRead)) return text;
  std::ranges::replace_if(text, IsHardToRead, '_');
  const std::string stem = text;
  for (int i = 1; names_.contains(text); ++i) text = fmt::format("{}_{}", stem, i);
  names_.insert(text);
  Warn("names", fmt::format("'{}' becomes %{}, which can be read back", name, text));
  return text;
}

// --- Before the nodes ---

auto Importer::CheckOptions() -> bool {
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> symbols;
  for (const ValueInfo& input : model_.graph->inputs) {
    const bool is_weight = std::ranges::any_of(model_.graph->initializers,
                                               [&](const TensorProto& tensor) { return tensor.name == input.name; });
    if (!is_weight) inputs.push_back(input.name);
    if (!input.type.shape) continue;
    for (const DimProto& dim : *input.type.shape) {
      if (!dim.symbol.empty()) symbols.push_back(dim.symbol);
    }
  }
  bool ok = true;
  const auto check = [&](std::string_view flag, std::string_view name, const std::vector<std::string_view>& known,
                         std::string_view what) {
    if (std::ranges::find(known, name) != known.end()) return;
    std::string list;
    for (const std::string_view one : known) list += fmt::format("{}'{}'", list.empty() ? "" : ", ", one);
    sink_.Report(diag::kBadOption, {},
                 fmt::format("{}: the model has no {} '{}'{}; it has {}", flag, what, name, DidYouMean(name, known),
                             list.empty() ? "none" : list));
    ok = false;
  };
  for (const auto& [name, shape] : options_.shapes) check("--onnx-shape", name, inputs, "input");
  for (const auto& [name, dtype] : options_.dtypes) check("--onnx-dtype", name, inputs, "input");
  for (const auto& [name, extent] : options_.dims) check("--onnx-dim", name, symbols, "symbolic extent");
  for (const NamedTensor& tensor : options_.bind) {
    if (!tensor.name.starts_with("arr_")) check("--onnx-bind", tensor.name, inputs, "input");
  }
  return ok;
}

auto Importer::CheckOperators() -> bool {
  struct Use {
    size_t count = 0;
    std::string first;
  };
  std::map<std::string, Use> unknown;
  std::vector<const std::vector<NodeProto>*> lists = {&model_.graph->nodes};
  absl::flat_hash_set<const void*> seen;
  for (size_t i = 0; i < lists.size(); ++i) {
    for (const NodeProto& node : *lists[i]) {
      for (const AttributeProto& attribute : node.attributes) {
        if (attribute.graph != nullptr && seen.insert(attribute.graph).second) lists.push_back(&attribute.graph->nodes);
      }
      if (const FunctionProto* function = FindFunction(node)) {
        if (seen.insert(function).second) lists.push_back(&function->nodes);
        continue;
      }
      if (FindOpRow(node.domain, node.op_type) != nullptr) continue;
      Use& use = unknown[fmt::format("{}{}{}", node.domain, node.domain.empty() ? "" : "::", node.op_type)];
      if (use.count++ == 0)
        use.first =
            node.name.empty() ? std::string(node.outputs.empty() ? "" : node.outputs[0]) : std::string(node.name);
    }
  }
  if (unknown.empty()) return true;
  std::string list;
  for (const auto& [name, use] : unknown) {
    list += fmt::format("{}{} ({}, first at '{}')", list.empty() ? "" : ", ", name,
                        use.count == 1 ? "once" : fmt::format("{} times", use.count), use.first);
  }
  sink_.Report(diag::kUnsupported, {}, list);
  return false;
}

auto Importer::AddInitializer(std::string_view name, Result<Constant> constant, int32_t element_type, Scope& scope,
                              bool is_outermost) -> bool {
  if (name.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    sink_.Report(diag::kBadTensor, {}, name, "an initializer needs a name");
    return false;
  }
  if (!constant) {
    sink_.Report(std::move(constant).error());
    return false;
  }
  const std::vector<Dim> dims(constant->shape().begin(), constant->shape().end());
  const TypeId type = context_->Tensor(dims, constant->dtype());
  Value value;
  if (options_.freeze_params || !is_outermost) {
    value.expr = builder_.Constant(context_->AddConstant(*std::move(constant)));
    builder_.SetType(value.expr, type);
  } else {
    value.expr = Variable(name, type);
    weights_.emplace_back(name, value.expr);
    result_.params.push_back(
        {std::string(context_->text(builder_.function().var(value.expr).name)), Tensor(*constant)});
  }
  value.element_type = element_type;
  scope.Set(name, value);
  return true;
}

auto Importer::AddInitializers(const GraphProto& graph, Scope& scope, bool is_outermost) -> bool {
  bool ok = true;
  for (const TensorProto& tensor : graph.initializers) {
    ok &= AddInitializer(tensor.name, ToConstant(tensor, files_, *context_), tensor.element_type, scope, is_outermost);
  }
  for (const SparseTensorProto& sparse : graph.sparse_initializers) {
    ok &= AddInitializer(sparse.values.name, ToConstant(sparse, files_, *context_), sparse.values.element_type, scope,
                         is_outermost);
  }
  return ok;
}

auto Importer::Variable(std::string_view name, TypeId type) -> ExprId {
  const ExprId var = builder_.Var({context_->Intern(Sanitized(name)), type, {}});
  builder_.SetType(var, type);
  return var;
}

auto Importer::TypeOfInput(const ValueInfo& input, bool is_outermost) -> std::optional<TypeId> {
  const auto fail = [&](std::string_view why) {
    sink_.Report(diag::kBadInput, {}, input.name, why);
    return std::nullopt;
  };
  const TypeProto& type = input.type;
  if (!type.is_tensor()) return fail("Relay has no sequences, optionals, maps or sparse tensors as inputs");
  std::optional<DataType> dtype = RelayType(type.element_type);
  const auto given_dtype =
      std::ranges::find(options_.dtypes, input.name, [](const auto& pair) { return std::string_view(pair.first); });
  if (is_outermost && given_dtype != options_.dtypes.end()) dtype = given_dtype->second;
  if (!dtype) return fail(fmt::format("Relay has no tensors of element type {}", ElementTypeName(type.element_type)));
  std::vector<Dim> dims;
  const auto given =
      std::ranges::find(options_.shapes, input.name, [](const auto& pair) { return std::string_view(pair.first); });
  if (is_outermost && given != options_.shapes.end()) {
    for (const auto& extent : given->second) dims.push_back(extent ? Dim(*extent) : Dim::Any());
    return context_->Tensor(dims, *dtype);
  }
  if (!type.shape) return fail("its rank is not known; --onnx-shape gives it a shape");
  for (const DimProto& dim : *type.shape) {
    const auto bound =
        std::ranges::find(options_.dims, dim.symbol, [](const auto& pair) { return std::string_view(pair.first); });
    if (!dim.symbol.empty() && bound != options_.dims.end()) {
      dims.emplace_back(bound->second);
    } else if (dim.value && *dim.value >= 0) {
      dims.emplace_back(*dim.value);
    } else if (dim.value && *dim.value < -1) {
      return fail("it has a negative extent");
    } else {
      dims.push_back(Dim::Any());
    }
  }
  return context_->Tensor(dims, *dtype);
}

auto Importer::Bound(std::string_view name, size_t position) -> const Tensor* {
  for (const NamedTensor& tensor : options_.bind) {
    if (tensor.name == name || tensor.name == fmt::format("arr_{}", position)) return &tensor.tensor;
  }
  return nullptr;
}

auto Importer::AddInputs(const GraphProto& graph, Scope& scope) -> bool {
  bool ok = true;
  size_t position = 0;
  for (const ValueInfo& input : graph.inputs) {
    if (scope.is_own(input.name)) {
      // Without freezing a weight that is an input keeps its place among the inputs.
      if (options_.freeze_params) continue;
      const auto weight = std::ranges::find(weights_, input.name, [](const auto& pair) { return pair.first; });
      if (weight == weights_.end()) continue;
      params_.push_back(weight->second);
      weights_.erase(weight);
      continue;
    }
    result_.inputs.push_back({std::string(input.name), input.type.element_type});
    const Tensor* bound = Bound(input.name, position++);
    Value value;
    value.element_type = input.type.element_type;
    if (bound != nullptr) {
      const auto dtype = RelayType(input.type.element_type);
      // NumPy lacks some types; their values come as others.
      const Tensor tensor = FromNumPy(*bound, input.type.element_type);
      if (!input.type.is_tensor() || !dtype || tensor.dtype() != *dtype) {
        sink_.Report(diag::kBadInput, {}, input.name,
                     fmt::format("the array bound to it has element type {} instead of {}",
                                 relayopt::ToString(bound->dtype()), ElementTypeName(input.type.element_type)));
        ok = false;
        continue;
      }
      value.expr = EmitConstant(builder_, tensor);
    } else {
      const auto type = TypeOfInput(input, true);
      if (!type) {
        ok = false;
        continue;
      }
      value.expr = Variable(input.name, *type);
      params_.push_back(value.expr);
      result_.inputs.back().parameter = context_->text(builder_.function().var(value.expr).name);
    }
    scope.Set(input.name, value);
  }
  return ok;
}

// --- Nodes ---

auto Importer::FindFunction(const NodeProto& node) const -> const FunctionProto* {
  for (const FunctionProto& function : model_.functions) {
    if (function.name == node.op_type && function.domain == node.domain && function.overload == node.overload)
      return &function;
  }
  return nullptr;
}

auto Importer::OpsetOf(std::string_view domain, const FunctionFrame* frame) const -> int64_t {
  if (IsDefaultDomain(domain) && options_.opset) return *options_.opset;
  const auto find = [&](const std::vector<OpsetImport>& opsets) -> std::optional<int64_t> {
    for (const OpsetImport& opset : opsets) {
      if (opset.domain == domain || (IsDefaultDomain(domain) && IsDefaultDomain(opset.domain))) return opset.version;
    }
    return std::nullopt;
  };
  if (frame != nullptr) {
    if (const auto version = find(frame->function->opsets)) return *version;
  }
  return find(model_.opsets).value_or(1);
}

auto Importer::SourceName(const NodeProto& proto) -> const std::string& {
  const auto [entry, is_new] = source_names_.try_emplace(&proto);
  if (is_new) {
    entry->second =
        proto.name.empty() ? fmt::format("{}_{}", proto.op_type, unnamed_[proto.op_type]++) : std::string(proto.name);
  }
  return entry->second;
}

auto Importer::Where(const NodeProto& proto) -> std::string {
  const std::string domain = IsDefaultDomain(proto.domain) ? "" : fmt::format("{}::", proto.domain);
  return fmt::format("node '{}' ({}{})", SourceName(proto), domain, proto.op_type);
}

auto Importer::InputsOf(const NodeProto& proto, Frame frame, std::string_view where)
    -> std::optional<std::vector<Value>> {
  std::vector<Value> inputs;
  for (const std::string_view name : proto.inputs) {
    if (name.empty()) {
      inputs.emplace_back();
      continue;
    }
    const Value* value = frame.scope.Find(name);
    if (value == nullptr) {
      sink_.Report(diag::kBadNode, {}, where,
                   fmt::format("input '{}' has no value here: nodes come after what they use", name));
      return std::nullopt;
    }
    inputs.push_back(*value);
    // Inputs and weights carry the name of what uses them first.
    const ExprId expr = value->expr;
    const bool is_leaf = expr && (em_.is_var(expr) || em_.is_constant(expr));
    if (is_leaf && !builder_.function().span(expr)) {
      Span span;
      span.source = context_->Intern(fmt::format("{}.{}", SourceName(proto), name));
      builder_.SetSpan(expr, context_->Intern(span));
    }
  }
  // Optional inputs at the end may be left out or written as empty names.
  while (!inputs.empty() && inputs.back().is_absent()) inputs.pop_back();
  return inputs;
}

void Importer::MarkSpans(size_t first, std::string_view name) {
  Span span;
  span.source = context_->Intern(name);
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
  const std::string where = Where(proto);
  auto inputs = InputsOf(proto, frame, where);
  if (!inputs) return false;
  if (const FunctionProto* function = FindFunction(proto)) {
    return CallFunction(proto, *function, frame, *std::move(inputs));
  }
  const OpRow* row = FindOpRow(proto.domain, proto.op_type);
  RELAYOPT_CHECK(row != nullptr, "unknown operators were reported before");
  const InputRange range = InputRangeOf(*row);
  if (inputs->size() < range.least || inputs->size() > range.most) {
    sink_.Report(diag::kBadNode, {}, where,
                 fmt::format("it has {} inputs, and the operator takes {}", inputs->size(), row->inputs));
    return false;
  }
  for (const AttributeProto& attribute : proto.attributes) {
    if (!FindAttribute(*row, attribute.name))
      Warn(row->name, fmt::format("attribute '{}' is not known and is ignored", attribute.name));
  }
  const size_t first = builder_.function().size();
  const std::vector<Value> given = *inputs;
  Node node(*this, em_, proto, *row, frame.function, frame.scope, OpsetOf(row->domain, frame.function),
            *std::move(inputs));
  Results results = row->convert(node);
  if (em_.failed()) {
    if (node.needs_value()) needs_values_ = true;
    sink_.Report(node.needs_value() ? diag::kNeedsValue : diag::kBadNode, {}, where, em_.error());
    return false;
  }
  if (sink_.has_errors()) return false;
  for (Value& value : results.values) {
    if (value.element_type != kUndefined || !value.expr) continue;
    // What rearranges or passes on elements keeps what they mean.
    const bool keeps = !given.empty() && given[0].expr && em_.dtype(given[0].expr) == em_.dtype(value.expr);
    value.element_type = keeps ? given[0].element_type : ElementTypeOf(em_.dtype(value.expr));
  }
  MarkSpans(first, SourceName(proto));
  return StoreResults(proto, std::move(results.values), frame.scope, where);
}

auto Importer::StoreResults(const NodeProto& proto, std::vector<Value> results, Scope& scope, std::string_view where)
    -> bool {
  for (size_t i = 0; i < proto.outputs.size(); ++i) {
    const std::string_view name = proto.outputs[i];
    if (name.empty()) continue;
    if (i >= results.size() || results[i].is_absent()) {
      sink_.Report(diag::kBadNode, {}, where, fmt::format("output '{}' cannot be imported", name));
      return false;
    }
    if (scope.is_own(name)) {
      sink_.Report(diag::kBadNode, {}, where, fmt::format("output '{}' has the name of another value", name));
      return false;
    }
    scope.Set(name, std::move(results[i]));
  }
  return true;
}

auto Importer::CallFunction(const NodeProto& proto, const FunctionProto& function, Frame frame,
                            std::vector<Value> inputs) -> bool {
  const std::string where = Where(proto);
  const auto fail = [&](std::string_view why) {
    sink_.Report(diag::kBadNode, {}, where, why);
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
  return StoreResults(proto, std::move(results), frame.scope, where);
}

auto Importer::ImportBody(Node& node, const GraphProto& graph, const std::vector<Value>& inputs)
    -> std::optional<std::vector<Value>> {
  if (node.failed()) return std::nullopt;
  if (depth_ >= kMaxDepth) {
    node.Fail("functions and graphs are nested deeper than {}", kMaxDepth);
    return std::nullopt;
  }
  Scope scope(&node.scope());
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
  if (row == nullptr) return node.Fail("'{}' is no operator that is known", op);
  NodeProto proto;
  proto.op_type = row->name;
  proto.outputs = {row->name};
  proto.attributes = std::move(attributes);
  Node inner(*this, em_, proto, *row, nullptr, node.scope(), opset, std::move(inputs));
  return row->convert(inner);
}

// --- After the nodes ---

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
    fields.push_back(AsExpr(outputs[i]));
    if (!fields.back()) {
      sink_.Report(diag::kBadGraph, {},
                   fmt::format("output '{}' is an optional without a value, which Relay lacks", output.name));
      return std::nullopt;
    }
    const int32_t declared = output.type.element_type;
    result_.outputs.push_back({std::string(output.name), declared != kUndefined ? declared : outputs[i].element_type});
  }
  const ExprId body = fields.size() == 1 ? fields[0] : em_.Tuple(fields);
  // Weights that nobody uses are no parameters.
  absl::flat_hash_set<uint32_t> used;
  std::vector<ExprId> pending = {body};
  while (!weights_.empty() && !pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (!used.insert(id.value()).second) continue;
    for (const ExprId operand : builder_.function().operands(id)) pending.push_back(operand);
  }
  for (const auto& [name, var] : weights_) {
    if (used.contains(var.value())) params_.push_back(var);
  }
  const ExprId root = builder_.Lambda(FunctionInfo(), params_, body);
  module_.SetFunction(module_.NameGlobal("main"), std::make_shared<Function>(Relayout(builder_.Finish(root))));
  if (!Settle(module_)) return std::nullopt;
  result_.module = std::move(module_);
  return std::move(result_);
}

// Infers all types and makes static what the values of constants have made so.
auto Importer::Settle(Module& module) -> bool {
  if (!options_.freeze_params) return true;
  if (!InferTypes(module, sink_)) return false;
  const Result<PassRef> pass = CreatePass(kDynamicToStaticPass);
  RELAYOPT_CHECK(pass.has_value(), "the pass has no options");
  PassContext context;
  context.SetDiagnostics(&sink_);
  const Result<bool> changed = (*pass)->Apply(module, context);
  if (!changed) sink_.Report(changed.error());
  return changed.has_value() && !sink_.has_errors();
}

}  // namespace relayopt::onnx
