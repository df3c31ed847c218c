// A module of Relay as a graph of nodes.
//
// A function is a table in post-order, so its nodes are written in the order of their ids: each expression becomes the
// names of the values that it stands for. Regions (the body of a function, the branches of an `if`) are lists of
// expressions that are written when they are entered, into the graph where that happens:
//
//   if (%c) { nn.relu(%x) } else { %x }    =>   v1 = If<then_branch={v0 = Relu(x)}, else_branch={v2 = Identity(x)}>(c)
//
// A call of a function writes its body there, with the parameters standing for the arguments; of one that ends by
// calling itself it is a loop (loops.cpp). What nothing uses is swept out at the end.
#include "function_writer.h"

#include <algorithm>

#include "leaves.h"
#include "lib/convert/onnx/foreign.h"
#include "loops.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

namespace {

// How deep calls, branches and loops may nest.
constexpr size_t kMostNested = 200;

}  // namespace

// -- values --

auto FunctionWriter::Unsupported(ExprId id, std::string_view what, std::string_view why) -> CallOutputs {
  state_.sink.Report(kUnsupported, function_.range(id), what, why);
  return std::nullopt;
}

auto FunctionWriter::ValuesOf(ExprId id) -> const Values& {
  id = regions_.Resolved(id);
  if (function_.kind(id) == ExprKind::kConstant && values_[id].empty()) {
    const Constant& constant = function_.constant(id);
    const auto name = function_.context().Part<ConstantNames>().Find(function_.constant_id(id));
    values_[id] = {state_.builder.Initializer(constant, name.value_or(""))};
    state_.builder.NoteOrigin(values_[id][0], function_, id);
  } else if (function_.kind(id) == ExprKind::kTuple && values_[id].empty()) {
    values_[id] = FieldsOf(id);
  } else if (function_.kind(id) == ExprKind::kVar && values_[id].empty() && function_.type(id)) {
    // A variable of a pattern: the match has no form, but all failures are found in one run.
    values_[id] = Values(LeavesOf(function_.context(), function_.type(id)).size());
  }
  return values_[id];
}

// -- expressions --

void FunctionWriter::WriteRegion(Graph& graph, const std::vector<ExprId>& region,
                                 std::initializer_list<ExprId> skipped) {
  for (const ExprId id : region) {
    if (std::ranges::find(skipped, id) == skipped.end()) WriteExpr(graph, id);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kMostNested.
void FunctionWriter::WriteExpr(Graph& graph, ExprId id) {
  const size_t first = graph.nodes.size();
  CallOutputs made;
  switch (function_.kind(id)) {
    // A tuple gets its values when it is used as a whole: tuples inside of tuples would hold each value many times.
    case ExprKind::kTuple: values_[id].clear(); return;
    case ExprKind::kTupleGetItem: made = FieldOf(id); break;
    case ExprKind::kOpCall: made = WriteOpCall(graph, id); break;
    case ExprKind::kCall: made = WriteCall(graph, id); break;
    case ExprKind::kIf: made = WriteIf(graph, id); break;
    case ExprKind::kMatch:
    case ExprKind::kConstructor: made = Unsupported(id, "an algebraic data type", "it has none"); break;
    case ExprKind::kRefCreate:
    case ExprKind::kRefRead:
    case ExprKind::kRefWrite:
      made = Unsupported(id, "a reference", "it has none; try ToANormalForm,PartialEvaluate");
      break;
    // Functions and globals get their names where they are used.
    default: return;
  }
  NoteSource(graph, first, id);
  // A failed call gets names, too, so that all failures are found in one run.
  if (!made) made = Values(function_.type(id) ? LeavesOf(function_.context(), function_.type(id)).size() : 1);
  values_[id] = *std::move(made);
}

void FunctionWriter::NoteSource(Graph& graph, size_t first, ExprId id) {
  SpanId span = function_.span(id);
  // A composite has the span of its result.
  if (!span && function_.kind(id) == ExprKind::kCall) {
    const ExprId callee = regions_.Resolved(function_.operand(id, 0));
    if (function_.kind(callee) == ExprKind::kFunction) span = function_.span(function_.body(callee));
  }
  if (!span) return;
  for (size_t i = first; i < graph.nodes.size(); ++i) {
    if (!graph.nodes[i].source) graph.nodes[i].source = function_.context().span(span).source;
  }
}

auto FunctionWriter::FieldsOf(ExprId tuple) -> Values {
  Values values;
  std::vector<ExprId> rest = {tuple};
  while (!rest.empty()) {
    const ExprId id = regions_.Resolved(rest.back());
    rest.pop_back();
    if (function_.kind(id) == ExprKind::kTuple && values_[id].empty()) {
      const auto fields = function_.operands(id);
      rest.insert(rest.end(), fields.rbegin(), fields.rend());
    } else {
      const Values& more = ValuesOf(id);
      values.insert(values.end(), more.begin(), more.end());
    }
  }
  return values;
}

// For each field of a tuple, the index of its first tensor among those of the tuple; and finally their number.
auto FunctionWriter::BeginsOf(TypeId tuple) -> const std::vector<size_t>& {
  std::vector<size_t>& begins = begins_[tuple];
  if (!begins.empty()) return begins;
  begins.push_back(0);
  for (const TypeId field : function_.context().type(tuple).args)
    begins.push_back(begins.back() + LeavesOf(function_.context(), field).size());
  return begins;
}

auto FunctionWriter::FieldOf(ExprId id) -> CallOutputs {
  const ExprId tuple = function_.operand(id, 0);
  const Values& values = ValuesOf(tuple);
  if (!function_.type(tuple)) return std::nullopt;
  const std::vector<size_t>& begins = BeginsOf(function_.type(tuple));
  const size_t first = begins[function_.index(id)];
  const size_t count = begins[function_.index(id) + 1] - first;
  if (first + count > values.size()) return std::nullopt;
  return Values(values.begin() + static_cast<int64_t>(first), values.begin() + static_cast<int64_t>(first + count));
}

void FunctionWriter::AddTypes(Graph& graph, ExprId id, const Values& values) {
  if (!function_.type(id)) return;
  const auto leaves = LeavesOf(function_.context(), function_.type(id));
  for (size_t i = 0; i < leaves.size() && i < values.size(); ++i) {
    if (!leaves[i]->is_tensor() || leaves[i]->dtype == kHandle || !state_.typed.insert(values[i])) continue;
    graph.values.push_back(ValueOfType(*leaves[i], values[i]));
  }
}

auto FunctionWriter::Missing(ExprId call, std::string why) -> CallOutputs {
  MissingForm& missing = state_.missing[function_.op(call)->name];
  if (missing.calls++ == 0) {
    missing.first = function_.range(call);
    missing.why = std::move(why);
  }
  return std::nullopt;
}

namespace {

auto ToAttribute(const AttributeProto& from) -> Attribute {
  Attribute to;
  to.name = from.name;
  to.type = from.type;
  to.i = from.i;
  to.f = from.f;
  to.s = from.s;
  to.ints = from.ints;
  to.floats = from.floats;
  to.strings.assign(from.strings.begin(), from.strings.end());
  to.message = from.message;
  return to;
}

}  // namespace

auto FunctionWriter::WriteForeign(Graph& graph, ExprId id) -> CallOutputs {
  const ForeignNode call = ReadForeign(function_.context(), function_.instance(id));
  if (!call.error.empty()) return Unsupported(id, function_.op(id)->name, call.error);
  const auto operands = function_.operands(id);
  if (call.captures.size() > operands.size()) return Unsupported(id, function_.op(id)->name, "operands are missing");
  Node node;
  node.op_type = call.op_type;
  node.domain = call.domain;
  node.overload = call.overload;
  node.is_foreign = true;
  const size_t num_inputs = operands.size() - call.captures.size();
  for (size_t i = 0; i < operands.size(); ++i) {
    const Values& values = ValuesOf(operands[i]);
    Name value = values.empty() ? Name() : values[0];
    // A node that stays takes no other tuples than sequences whose elements are known; an empty one is a missing input.
    if (!values.empty() && function_.context().type(function_.type(operands[i])).is_tuple())
      value = state_.builder.AddNode(graph, "SequenceConstruct", values, {}, 1)[0];
    (i < num_inputs ? node.inputs : node.captures).push_back(value);
  }
  while (!node.inputs.empty() && node.inputs.back().empty()) node.inputs.pop_back();
  node.capture_names.assign(call.captures.begin(), call.captures.end());
  for (const AttributeProto& attribute : call.attributes) node.attributes.push_back(ToAttribute(attribute));
  for (const char given : call.results) node.outputs.push_back(given == '1' ? state_.builder.NewName() : Name());
  if (!node.domain.empty()) {
    int64_t& version = state_.domains[std::string(node.domain)];
    version = std::max(version, call.version);
  }
  Values values = node.outputs;
  graph.nodes.push_back(std::move(node));
  // Optional results that are missing are empty tuples, which have no value.
  values.erase(std::ranges::remove(values, Name()).begin(), values.end());
  AddTypes(graph, id, values);
  return values;
}

// The same as WriteForm does, for most calls with less work.
auto FunctionWriter::WritePlain(Graph& graph, ExprId id, const OnnxForm& form) -> CallOutputs {
  if (form.write != nullptr) return std::nullopt;
  Names inputs;
  for (const ExprId operand : function_.operands(id)) {
    const Values& values = ValuesOf(operand);
    if (values.size() != 1) return std::nullopt;
    inputs.push_back(values[0]);
  }
  CallOutputs made = WritePlainCall(state_.builder, graph, function_, id, form, inputs);
  if (made) AddTypes(graph, id, *made);
  return made;
}

// A reshape by copied and stated extents gives nodes no others than its data have if the unknown ones are the stated
// ones: SimplifyShapes makes such, for types to know what it knows.
auto FunctionWriter::OnlyStatesExtents(ExprId id) -> bool {
  if (function_.op(id) != "reshape"_op) return false;
  const auto* attrs = function_.context().As<ReshapeAttrs>(function_.attrs(id));
  const ExprId data = function_.operand(id, 0);
  const Type* type = TensorType(function_, data);
  if (attrs == nullptr || type == nullptr || attrs->newshape.size() != type->rank()) return false;
  bool has_unknown = false;
  for (size_t i = 0; i < type->rank(); ++i) {
    const Dim& code = attrs->newshape[i];
    const Dim& extent = type->shape[i];
    has_unknown |= !extent.is_int();
    if (!code.is_int() || code.value() < 0 || (extent.is_int() && !code.is(0) && code != extent)) return false;
  }
  if (!has_unknown) return false;
  if (!shapes_) {
    const Context& context = function_.context();
    const bool is_main = global_ == state_.module.FindGlobal("main");
    shapes_.emplace(function_, is_main ? context.Part<ExtentNames>().Get() : ExtentNames::Names());
  }
  const auto* given = shapes_->ExtentsOf(data);
  const auto* stated = shapes_->ExtentsOf(id);
  return given != nullptr && stated != nullptr && *given == *stated;
}

auto FunctionWriter::WriteOpCall(Graph& graph, ExprId id) -> CallOutputs {
  if (function_.op(id) == NoneOp()) return Values();
  if (IsNodeOp(function_.op(id))) return WriteForeign(graph, id);
  if (OnlyStatesExtents(id)) return ValuesOf(function_.operand(id, 0));
  const OnnxForm* form = FindOnnxForm(function_.op(id));
  if (form == nullptr) return Missing(id, "");
  if (CallOutputs made = WritePlain(graph, id, *form)) return made;
  auto args = MapToVector<Values>(function_.operands(id), [&](ExprId operand) { return ValuesOf(operand); });
  OnnxCall call(state_.builder, graph, function_, id, std::move(args));
  CallOutputs made = WriteForm(call, *form);
  if (!made) {
    return Missing(id, ": what ONNX or onnxruntime calls so lacks these types, attributes or unknown extents");
  }
  AddTypes(graph, id, *made);
  return made;
}

// -- graphs inside of graphs --

void FunctionWriter::SetOutputs(Graph& graph, const Values& values, std::span<const Type* const> types) {
  GraphNameSet own;
  for (const Node& node : graph.nodes) {
    own.insert(node.outputs.begin(), node.outputs.end());
  }
  for (size_t i = 0; i < values.size(); ++i) {
    Name name = values[i];
    if (own.erase(name) == 0) {
      name = state_.builder.AddNode(graph, "Identity", {name}, {}, 1)[0];
    }
    graph.outputs.push_back(ValueOfType(*types[i], name));
  }
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kMostNested.
auto FunctionWriter::WriteIf(Graph& graph, ExprId id) -> CallOutputs {
  if (!function_.type(id) || state_.depth >= kMostNested) return Unsupported(id, "this if", "it is nested too deeply");
  const auto types = LeavesOf(function_.context(), function_.type(id));
  if (!std::ranges::all_of(types, &Type::is_tensor))
    return Unsupported(id, "this if", "its type is a parameter of a generic function");
  ++state_.depth;
  Attributes branches;
  for (const uint32_t i : {1U, 0U}) {
    Graph branch;
    branch.name = i == 0 ? "then" : "else";
    WriteRegion(branch, regions_.Of(id, i));
    SetOutputs(branch, ValuesOf(function_.operand(id, i + 1)), types);
    branches.push_back(Branch(i == 0 ? "then_branch" : "else_branch", std::move(branch)));
  }
  --state_.depth;
  return state_.builder.AddNode(graph, "If", {ValuesOf(function_.operand(id, 0))[0]}, std::move(branches),
                                types.size());
}

// Whether the parameters of a call's function stand for as many values each as its arguments have: those of a generic
// function are counted as tensors where their type is a parameter.
auto FunctionWriter::TakesTensors(ExprId call) const -> bool {
  const Context& context = function_.context();
  const TypeId callee = function_.type(function_.operand(call, 0));
  if (!callee || !context.type(callee).is_function()) return true;
  std::vector<std::pair<TypeId, TypeId>> open;
  const auto pair_up = [&](std::span<const TypeId> params, auto&& type_of) {
    for (size_t i = 0; i < params.size(); ++i) open.emplace_back(params[i], type_of(i));
  };
  pair_up(context.type(callee).args, [&](size_t i) { return function_.type(function_.operand(call, i + 1)); });
  while (!open.empty()) {
    const auto [param_id, arg_id] = open.back();
    open.pop_back();
    if (param_id == arg_id || !param_id || !arg_id) continue;
    const Type& param = context.type(param_id);
    const Type& arg = context.type(arg_id);
    if (param.is_tuple() != arg.is_tuple()) return false;
    if (param.is_tuple() && param.args.size() == arg.args.size())
      pair_up(param.args, [&](size_t i) { return arg.args[i]; });
  }
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion)
auto FunctionWriter::WriteCall(Graph& graph, ExprId id) -> CallOutputs {
  if (!TakesTensors(id)) return Unsupported(id, "this call", "a parameter of a generic function is a tuple");
  const ExprId callee = regions_.Resolved(function_.operand(id, 0));
  const auto args = MapToVector<Values>(function_.operands(id).subspan(1), [&](ExprId arg) { return ValuesOf(arg); });
  if (state_.depth >= kMostNested) return Unsupported(id, "this call", "it is nested too deeply");
  if (function_.kind(callee) == ExprKind::kFunction) {
    if (CompositeAttr(function_, callee)) return WriteComposite(graph, callee, args);
    return Apply(graph, callee, args, id);
  }
  if (function_.kind(callee) != ExprKind::kGlobal) {
    return Unsupported(id, "a call of a computed function", "there are no functions as values");
  }
  const GlobalId global = function_.global(callee);
  const auto* target = state_.module.function<Function>(global);
  if (target == nullptr) return Unsupported(id, "this call", "the callee is not a function of Relay");
  if (std::ranges::find(state_.active, global) != state_.active.end()) {
    return Unsupported(id, "recursion", "only functions that end by calling themselves are loops");
  }
  FunctionWriter writer(state_, global, *target);
  return writer.Write(graph, args);
}

// NOLINTNEXTLINE(misc-no-recursion)
auto FunctionWriter::Apply(Graph& graph, ExprId callee, const std::vector<Values>& args, ExprId at) -> CallOutputs {
  ++state_.depth;
  const bool is_root = callee == function_.root();
  if (is_root) state_.active.push_back(global_);
  CallOutputs made;
  if (regions_.SelfCall(callee).has_value()) {
    made = WriteLoop(*this, graph, callee, args, at);
  } else {
    Bind(callee, args);
    WriteRegion(graph, regions_.Of(callee, 0));
    made = ValuesOf(function_.body(callee));
  }
  if (is_root) state_.active.pop_back();
  --state_.depth;
  return made;
}

void FunctionWriter::Bind(ExprId callee, const std::vector<Values>& args) {
  for (size_t i = 0; i < args.size(); ++i) values_[function_.params(callee)[i]] = args[i];
}

auto FunctionWriter::WriteComposite(Graph& graph, ExprId callee, const std::vector<Values>& args) -> CallOutputs {
  const std::string_view name = function_.context().text(CompositeAttr(function_, callee));
  Bind(callee, args);
  for (const OnnxPattern& pattern : OnnxPatterns()) {
    if (pattern.name != name) continue;
    CallOutputs made = pattern.write(state_.builder, graph, function_, function_.body(callee),
                                     [this](ExprId id) { return ValuesOf(id); });
    if (made) AddTypes(graph, function_.body(callee), *made);
    if (made) return made;
    break;
  }
  // Composite functions of other compilers are written as their operators.
  WriteRegion(graph, regions_.Of(callee, 0));
  return ValuesOf(function_.body(callee));
}

}  // namespace relayopt::onnx::out
