// A module of Relay as a graph of nodes.
//
// A function is a table in post-order, so its nodes are written in the order of their ids: each expression becomes the
// names of the values that it stands for. Regions (the body of a function, the branches of an `if`) are lists of
// expressions that are written when they are entered, into the graph where that happens:
//
//   if (%c) { nn.relu(%x) } else { %x }    =>   v1 = If<then_branch={v0 = Relu(x)}, else_branch={v2 = Identity(x)}>(c)
//
// A call of a function writes its body there, with the parameters standing for the arguments. A function that ends by
// calling itself is a loop:
//
//   f(v) = if (c(v)) { f(s(v)) } else { r(v) }   =>   v = Loop("", c(v0), v0) { v' = s(v); yield c(v'), v' };  r(v)
//
// for which c is written twice: before the loop and in it. What nothing uses is swept out at the end.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "forms.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace onnx::out {
namespace {

constexpr DiagnosticKind kNoForm = {"no-onnx-form", Severity::kError,
                                    "{} has no form in ONNX ({} call{}, the first here){}"};
constexpr DiagnosticKind kUnsupported = {"onnx-unsupported", Severity::kError, "{} cannot be said in ONNX: {}"};
constexpr DiagnosticKind kNotPrepared = {"onnx-preparation", Severity::kError, "the module cannot be prepared: {}"};
constexpr DiagnosticKind kOpset = {"onnx-opset", Severity::kRemark,
                                   "the model needs version {} of the operators, not {}"};
constexpr DiagnosticKind kFixedOpset = {"onnx-opset", Severity::kError,
                                        "the model needs version {} of the operators, and {} was asked for"};

constexpr DiagnosticKind kUnknownOpset = {"onnx-opset", Severity::kError,
                                          "operators are written in versions {} to {}, not {}"};

// Versions of the operators that forms are written for.
constexpr int64_t kDefaultOpset = 18;
constexpr int64_t kLeastOpset = 17;
constexpr int64_t kNewestOpset = 21;
// How deep calls, branches and loops may nest.
constexpr size_t kMostNested = 200;

struct Missing {
  size_t calls = 0;
  SourceRange first;
  std::string why;
};

struct State {
  const Module& module;
  DiagnosticSink& sink;
  ModelBuilder builder;
  std::map<std::string_view, Missing> missing;
  // Global functions that are being written.
  std::vector<GlobalId> active;
  size_t depth = 0;
  absl::flat_hash_set<std::string> typed;
};

// The next wider type among `types`; nothing when there is none that holds all numbers.
auto Wider(DataType dtype, Types types) -> std::optional<DataType> {
  const auto first = [&](std::initializer_list<DataType> candidates) -> std::optional<DataType> {
    for (const DataType candidate : candidates) {
      if ((SetOf(candidate) & types) != 0) return candidate;
    }
    return std::nullopt;
  };
  const DataType i32 = DataType::Int(32);
  const DataType f32 = DataType::Float(32);
  const DataType f64 = DataType::Float(64);
  if (dtype.is_bool()) return first({DataType::UInt(8), i32, kIndexType, f32});
  if (dtype.is_float()) return dtype.bits == 16 ? first({f32}) : std::nullopt;
  if (dtype.bits <= 16) return first({i32, kIndexType, f32, f64});
  if (dtype == i32) return first({kIndexType, f64});
  if (dtype == DataType::UInt(32)) return first({kIndexType, DataType::UInt(64), f64});
  return std::nullopt;
}

// The tensors of a type, in order.
auto LeavesOf(const Context& context, TypeId id) -> std::vector<const Type*> {
  std::vector<const Type*> leaves;
  std::vector<TypeId> pending = {id};
  while (!pending.empty()) {
    const Type& type = context.type(pending.back());
    pending.pop_back();
    if (!type.is_tuple()) {
      leaves.push_back(&type);
      continue;
    }
    pending.insert(pending.end(), type.args.rbegin(), type.args.rend());
  }
  return leaves;
}

auto TypeOf(const Type& type, std::string name) -> ValueType {
  ValueType value;
  value.name = std::move(name);
  value.element_type = ElementTypeOf(type.dtype);
  for (const Dim& dim : type.shape) {
    value.shape.push_back({dim.is_int() ? std::optional(dim.value()) : std::nullopt, ""});
  }
  return value;
}

class FunctionWriter {
 public:
  FunctionWriter(State& state, GlobalId global, const Function& function)
      : state_(state),
        global_(global),
        function_(function),
        scopes_(ComputeScopes(function)),
        regions_(scopes_.scopes.size()),
        values_(function.size()),
        let_values_(function.size()),
        is_used_(function.size()),
        again_(function.size()) {
    FindRegions();
  }

  // The values of the body, with its nodes in `graph`. Nothing after an error.
  auto Write(Graph& graph, const std::vector<Values>& args) -> Made {
    return Apply(graph, function_.root(), args, function_.root());
  }

 private:
  // -- regions --

  // A step of a let chain belongs to the region around it.
  auto RegionOf(ScopeId scope) const -> ScopeId {
    while (scope.value() != 0) {
      const ExprKind kind = function_.kind(scopes_[scope].owner);
      if (kind == ExprKind::kFunction || kind == ExprKind::kIf) break;
      scope = scopes_[scope].parent;
    }
    return scope;
  }

  void FindRegions() {
    for (const ExprId id : function_.ids()) {
      if (function_.kind(id) == ExprKind::kLet) {
        for (size_t i = 0; i < function_.let_size(id); ++i) {
          let_values_[function_.let_var(id, i)] = function_.let_value(id, i);
        }
      }
      const bool is_late_field = function_.kind(id) == ExprKind::kTupleGetItem && function_.index(id) >= 3;
      for (const ExprId operand : function_.operands(id)) is_used_[operand] = is_used_[operand] || !is_late_field;
      const ScopeId scope = scopes_.of[id];
      if (scope.has_value()) regions_[RegionOf(scope).value()].push_back(id);
    }
    for (const ExprId id : function_.ids()) {
      if (function_.kind(id) != ExprKind::kCall || !scopes_.of[id].has_value()) continue;
      const ExprId target = Resolved(function_.operand(id, 0));
      const bool is_own = function_.kind(target) == ExprKind::kGlobal && function_.global(target) == global_;
      const ExprId callee = is_own ? function_.root() : target;
      if (function_.kind(callee) != ExprKind::kFunction) continue;
      if (scopes_.IsInside(scopes_.of[id], scopes_.first[callee])) again_[callee] = id;
    }
  }

  auto RegionOf(ExprId owner, uint32_t region) const -> const std::vector<ExprId>& {
    return regions_[scopes_.first[owner].value() + region];
  }

  // -- values --

  auto Unsupported(ExprId id, std::string_view what, std::string_view why) -> Made {
    state_.sink.Report(kUnsupported, function_.range(id), what, why);
    return std::nullopt;
  }

  // What a variable is bound to, or the expression itself.
  auto Resolved(ExprId id) const -> ExprId {
    while (true) {
      if (function_.kind(id) == ExprKind::kVar && let_values_[id].has_value()) {
        id = let_values_[id];
      } else if (function_.kind(id) == ExprKind::kLet) {
        id = function_.let_result(id);
      } else {
        return id;
      }
    }
  }

  auto ValuesOf(ExprId id) -> const Values& {
    id = Resolved(id);
    if (function_.kind(id) == ExprKind::kConstant && values_[id].empty()) {
      const Constant& constant = function_.constant(id);
      const auto name = function_.context().Part<ConstantNames>().Find(function_.constant_id(id));
      values_[id] = {state_.builder.Initializer(constant, name.value_or(""))};
    }
    return values_[id];
  }

  // -- expressions --

  // Writes the expressions of a region but for those of `skipped`.
  auto WriteRegion(Graph& graph, const std::vector<ExprId>& region, std::initializer_list<ExprId> skipped = {})
      -> bool {
    bool ok = true;
    for (const ExprId id : region) {
      if (std::ranges::find(skipped, id) != skipped.end()) continue;
      ok &= WriteExpr(graph, id);
    }
    return ok;
  }

  auto WriteExpr(Graph& graph, ExprId id) -> bool {
    Made made;
    switch (function_.kind(id)) {
      case ExprKind::kTuple: {
        made.emplace();
        for (const ExprId field : function_.operands(id)) {
          const Values& values = ValuesOf(field);
          made->insert(made->end(), values.begin(), values.end());
        }
        break;
      }
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
      // Named where they are used.
      default: return true;
    }
    // What failed stands for names all the same, so that all failures are found.
    if (!made) made = Values(function_.type(id) ? LeavesOf(function_.context(), function_.type(id)).size() : 1, "");
    values_[id] = *std::move(made);
    return true;
  }

  // Where the tensors of each field of a tuple begin among those of the tuple, and where the last one ends.
  auto BeginsOf(TypeId tuple) -> const std::vector<size_t>& {
    std::vector<size_t>& begins = begins_[tuple];
    if (!begins.empty()) return begins;
    begins.push_back(0);
    for (const TypeId field : function_.context().type(tuple).args)
      begins.push_back(begins.back() + LeavesOf(function_.context(), field).size());
    return begins;
  }

  auto FieldOf(ExprId id) -> Made {
    const ExprId tuple = function_.operand(id, 0);
    const Values& values = ValuesOf(tuple);
    if (!function_.type(tuple)) return std::nullopt;
    const std::vector<size_t>& begins = BeginsOf(function_.type(tuple));
    const size_t first = begins[function_.index(id)];
    const size_t count = begins[function_.index(id) + 1] - first;
    if (first + count > values.size()) return std::nullopt;
    return Values(values.begin() + static_cast<int64_t>(first), values.begin() + static_cast<int64_t>(first + count));
  }

  auto AddTypes(Graph& graph, ExprId id, const Values& values) {
    if (!function_.type(id)) return;
    const auto leaves = LeavesOf(function_.context(), function_.type(id));
    for (size_t i = 0; i < leaves.size() && i < values.size(); ++i) {
      if (!leaves[i]->is_tensor() || !state_.typed.insert(values[i]).second) continue;
      graph.values.push_back(TypeOf(*leaves[i], values[i]));
    }
  }

  void Miss(ExprId id, std::string why) {
    auto& missing = state_.missing[function_.op(id)->name];
    if (missing.calls++ == 0) {
      missing.first = function_.range(id);
      missing.why = std::move(why);
    }
  }

  auto WriteOpCall(Graph& graph, ExprId id) -> Made {
    const OnnxForm* form = FindOnnxForm(function_.op(id));
    if (form == nullptr) {
      Miss(id, "");
      return std::nullopt;
    }
    std::vector<Values> args;
    for (const ExprId operand : function_.operands(id)) args.push_back(ValuesOf(operand));
    OnnxCall call(state_.builder, graph, function_, id, std::move(args));
    Made made = WriteForm(call, *form);
    if (!made) {
      Miss(id, ": what ONNX or onnxruntime calls so lacks these types, attributes or unknown extents");
      return std::nullopt;
    }
    AddTypes(graph, id, *made);
    return made;
  }

  // With operands of a type that onnxruntime has no kernel for cast to a wider one, and the result back.
  auto WriteForm(OnnxCall& call, const OnnxForm& form) -> Made {
    const DataType given = FirstType(call);
    call.set_dtype(given);
    const bool has_kernel = given.is_void() || (SetOf(given) & form.types) != 0;
    if (!has_kernel) {
      const auto wide = Wider(given, form.types);
      if (!wide) return std::nullopt;
      call.set_dtype(*wide);
      for (size_t i = 0; i < call.num_args(); ++i) {
        const ExprId operand = function_.operand(call.id(), i);
        if (!function_.type(operand)) return std::nullopt;
        const auto leaves = LeavesOf(function_.context(), function_.type(operand));
        for (size_t j = 0; j < leaves.size(); ++j) {
          if (leaves[j]->dtype == given) call.args[i][j] = call.Cast(call.args[i][j], *wide);
        }
      }
    }
    Made made = form.write == nullptr ? WritePlain(call, form) : form.write(call);
    if (has_kernel || !made) return made;
    const auto leaves = LeavesOf(function_.context(), function_.type(call.id()));
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i]->dtype == given) (*made)[i] = call.Cast((*made)[i], given);
    }
    return made;
  }

  static auto WritePlain(OnnxCall& call, const OnnxForm& form) -> Made {
    std::vector<std::string> inputs;
    for (const Values& arg : call.args) inputs.insert(inputs.end(), arg.begin(), arg.end());
    return One(call.Add(form.op_type, std::move(inputs)));
  }

  auto FirstType(const OnnxCall& call) const -> DataType {
    if (call.num_args() == 0) return DataType::Void();
    const TypeId type = function_.type(function_.operand(call.id(), 0));
    if (!type) return DataType::Void();
    const auto leaves = LeavesOf(function_.context(), type);
    return leaves.empty() ? DataType::Void() : leaves[0]->dtype;
  }

  // -- graphs inside of graphs --

  // Makes `values` the outputs of a graph inside of another: values of its own, each once.
  void SetOutputs(Graph& graph, const Values& values, std::span<const Type* const> types) {
    absl::flat_hash_set<std::string> own;
    for (const Node& node : graph.nodes) own.insert(node.outputs.begin(), node.outputs.end());
    for (size_t i = 0; i < values.size(); ++i) {
      std::string name = values[i];
      if (own.erase(name) == 0) {
        Node node;
        node.op_type = "Identity";
        node.inputs = {name};
        name = state_.builder.NewName();
        node.outputs = {name};
        graph.nodes.push_back(std::move(node));
      }
      graph.outputs.push_back(TypeOf(*types[i], name));
    }
  }

  auto AddNode(Graph& graph, std::string_view op_type, std::vector<std::string> inputs, Attributes attributes,
               size_t outputs) -> Values {
    Node node;
    node.op_type = op_type;
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(state_.builder.NewName());
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().outputs;
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded by kMostNested.
  auto WriteIf(Graph& graph, ExprId id) -> Made {
    if (!function_.type(id) || state_.depth >= kMostNested)
      return Unsupported(id, "this if", "it is nested too deeply");
    ++state_.depth;
    const auto types = LeavesOf(function_.context(), function_.type(id));
    Attributes branches;
    for (const uint32_t i : {1U, 0U}) {
      Graph branch;
      branch.name = i == 0 ? "then" : "else";
      WriteRegion(branch, RegionOf(id, i));
      SetOutputs(branch, ValuesOf(function_.operand(id, i + 1)), types);
      branches.push_back(Branch(i == 0 ? "then_branch" : "else_branch", std::move(branch)));
    }
    --state_.depth;
    return AddNode(graph, "If", {ValuesOf(function_.operand(id, 0))[0]}, std::move(branches), types.size());
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  auto WriteCall(Graph& graph, ExprId id) -> Made {
    const ExprId callee = Resolved(function_.operand(id, 0));
    std::vector<Values> args;
    for (const ExprId arg : function_.operands(id).subspan(1)) args.push_back(ValuesOf(arg));
    if (state_.depth >= kMostNested) return Unsupported(id, "this call", "it is nested too deeply");
    if (function_.kind(callee) == ExprKind::kFunction) {
      if (function_.StringAttr(callee, "Composite")) return WriteComposite(graph, callee, args);
      return Apply(graph, callee, args, id);
    }
    if (function_.kind(callee) != ExprKind::kGlobal) {
      return Unsupported(id, "a call of a computed function", "there are no functions as values");
    }
    const GlobalId global = function_.global(callee);
    const auto* target = state_.module.function<Function>(global);
    if (target == nullptr) return Unsupported(id, "this call", "what it calls is no function of Relay");
    if (std::ranges::find(state_.active, global) != state_.active.end()) {
      return Unsupported(id, "recursion", "only functions that end by calling themselves are loops");
    }
    FunctionWriter writer(state_, global, *target);
    return writer.Write(graph, args);
  }

  // A function on arguments; `at` is where errors are.
  // NOLINTNEXTLINE(misc-no-recursion)
  auto Apply(Graph& graph, ExprId callee, const std::vector<Values>& args, ExprId at) -> Made {
    ++state_.depth;
    const bool is_root = callee == function_.root();
    if (is_root) state_.active.push_back(global_);
    const ExprId again = again_[callee];
    Made made;
    if (again.has_value()) {
      made = WriteLoop(graph, callee, args, again, at);
    } else {
      Bind(callee, args);
      WriteRegion(graph, RegionOf(callee, 0));
      made = ValuesOf(function_.body(callee));
    }
    if (is_root) state_.active.pop_back();
    --state_.depth;
    return made;
  }

  void Bind(ExprId callee, const std::vector<Values>& args) {
    for (size_t i = 0; i < args.size(); ++i) values_[function_.params(callee)[i]] = args[i];
  }

  auto WriteComposite(Graph& graph, ExprId callee, const std::vector<Values>& args) -> Made {
    const std::string_view name = function_.context().text(function_.StringAttr(callee, "Composite"));
    Bind(callee, args);
    for (const OnnxPattern& pattern : OnnxPatterns()) {
      if (pattern.name != name) continue;
      Made made = pattern.write(state_.builder, graph, function_, function_.body(callee),
                                [this](ExprId id) { return ValuesOf(id); });
      if (made) AddTypes(graph, function_.body(callee), *made);
      if (made) return made;
      break;
    }
    // Composites of others are their operators.
    WriteRegion(graph, RegionOf(callee, 0));
    return ValuesOf(function_.body(callee));
  }

  // -- loops --

  auto Negated(Graph& graph, std::string value) -> std::string {
    return AddNode(graph, "Not", {std::move(value)}, {}, 1)[0];
  }

  auto IsCallOf(ExprId id, const OpDef* op) const -> bool {
    return function_.kind(id) == ExprKind::kOpCall && function_.op(id) == op;
  }

  // The number of a constant scalar; nothing for other expressions.
  auto IntegerOf(ExprId id) const -> std::optional<int64_t> {
    return function_.kind(id) == ExprKind::kConstant ? function_.constant(id).ScalarAsInt() : std::nullopt;
  }

  // Whether a loop is what the importer makes of one: it carries its turn i, the most turns m and a condition c, goes
  // on while c == true and i < m, counts i from 0, and nobody asks for the three at the end.
  auto IsCounted(ExprId callee, ExprId choice, ExprId again, ExprId at) const -> bool {
    const auto params = function_.params(callee);
    if (params.size() < 3 || function_.kind(at) != ExprKind::kCall || is_used_[at]) return false;
    const ExprId runs = Resolved(function_.operand(choice, 0));
    if (!IsCallOf(runs, "logical_and"_op)) return false;
    const ExprId is_true = Resolved(function_.operand(runs, 0));
    const ExprId is_less = Resolved(function_.operand(runs, 1));
    if (!IsCallOf(is_true, "equal"_op) || !IsCallOf(is_less, "less"_op)) return false;
    const ExprId next = Resolved(function_.operand(again, 1));
    const auto is = [&](ExprId call, size_t i, size_t param) {
      return Resolved(function_.operand(call, i)) == params[param];
    };
    const bool compares =
        is(is_true, 0, 2) && IntegerOf(function_.operand(is_true, 1)) == 1 && is(is_less, 0, 0) && is(is_less, 1, 1);
    const Type& turn = function_.context().type(function_.type(params[0]));
    return compares && IsCallOf(next, "add"_op) && is(next, 0, 0) && IntegerOf(function_.operand(next, 1)) == 1 &&
           is(again, 2, 1) && IntegerOf(function_.operand(at, 1)) == 0 && turn.dtype == kIndexType;
  }

  // Such a loop with its count and its condition.
  // NOLINTNEXTLINE(misc-no-recursion)
  auto WriteCounted(Graph& graph, ExprId callee, ExprId choice, ExprId again, const std::vector<Values>& args) -> Made {
    std::vector<std::string> inputs = {args[1][0], args[2][0]};
    Graph body;
    body.name = "body";
    std::vector<const Type*> types;
    std::vector<Values> carried;
    for (const ExprId param : function_.params(callee)) {
      carried.emplace_back();
      // The most turns are what they were outside.
      if (carried.size() == 2) {
        carried.back() = args[1];
        continue;
      }
      for (const Type* leaf : LeavesOf(function_.context(), function_.type(param))) {
        carried.back().push_back(state_.builder.NewName());
        body.inputs.push_back(TypeOf(*leaf, carried.back().back()));
        if (carried.size() > 2) types.push_back(leaf);
      }
    }
    Bind(callee, carried);
    WriteRegion(body, RegionOf(callee, 0), {choice});
    WriteRegion(body, RegionOf(choice, 0), {again});
    Values outputs;
    for (size_t i = 2; i < carried.size(); ++i) {
      const Values& values = ValuesOf(function_.operand(again, i + 1));
      outputs.insert(outputs.end(), values.begin(), values.end());
      if (i > 2) inputs.insert(inputs.end(), args[i].begin(), args[i].end());
    }
    SetOutputs(body, outputs, types);
    const Values results =
        AddNode(graph, "Loop", std::move(inputs), {Branch("body", std::move(body))}, outputs.size() - 1);
    size_t place = 0;
    for (size_t i = 0; i < carried.size(); ++i) {
      for (std::string& value : carried[i]) value = i < 3 ? "" : results[place++];
    }
    Bind(callee, carried);
    WriteRegion(graph, RegionOf(choice, 1));
    return ValuesOf(function_.operand(choice, 2));
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  auto WriteLoop(Graph& graph, ExprId callee, const std::vector<Values>& args, ExprId again, ExprId at) -> Made {
    const ExprId choice = Resolved(function_.body(callee));
    if (function_.kind(choice) != ExprKind::kIf) {
      return Unsupported(at, "recursion", "only functions that end by calling themselves or not are loops");
    }
    const bool goes_on = Resolved(function_.operand(choice, 1)) == again;
    if (!goes_on && Resolved(function_.operand(choice, 2)) != again) {
      return Unsupported(at, "recursion", "only functions that end by calling themselves or not are loops");
    }
    if (goes_on && IsCounted(callee, choice, again, at)) {
      return WriteCounted(graph, callee, choice, again, args);
    }
    const auto& shared = RegionOf(callee, 0);
    const auto condition = [&](Graph& to) {
      const std::string value = ValuesOf(function_.operand(choice, 0))[0];
      return goes_on ? value : Negated(to, value);
    };
    Bind(callee, args);
    WriteRegion(graph, shared, {choice});
    std::vector<std::string> inputs = {"", condition(graph)};
    for (const Values& arg : args) inputs.insert(inputs.end(), arg.begin(), arg.end());

    Graph body;
    body.name = "body";
    std::vector<const Type*> types = {&function_.context().type(function_.context().Tensor({}, DataType::Bool()))};
    body.inputs.push_back(
        TypeOf(function_.context().type(function_.context().Tensor({}, kIndexType)), state_.builder.NewName()));
    body.inputs.push_back(TypeOf(*types[0], state_.builder.NewName()));
    std::vector<Values> carried;
    for (const ExprId param : function_.params(callee)) {
      carried.emplace_back();
      for (const Type* leaf : LeavesOf(function_.context(), function_.type(param))) {
        carried.back().push_back(state_.builder.NewName());
        body.inputs.push_back(TypeOf(*leaf, carried.back().back()));
        types.push_back(leaf);
      }
    }
    Bind(callee, carried);
    WriteRegion(body, shared, {choice});
    WriteRegion(body, RegionOf(choice, goes_on ? 0 : 1), {again});
    std::vector<Values> next;
    for (const ExprId arg : function_.operands(again).subspan(1)) next.push_back(ValuesOf(arg));
    Bind(callee, next);
    WriteRegion(body, shared, {choice});
    Values outputs = {condition(body)};
    for (const Values& values : next) outputs.insert(outputs.end(), values.begin(), values.end());
    SetOutputs(body, outputs, types);
    const size_t count = outputs.size() - 1;
    const Values results = AddNode(graph, "Loop", std::move(inputs), {Branch("body", std::move(body))}, count);
    size_t place = 0;
    for (Values& values : carried) {
      for (std::string& value : values) value = results[place++];
    }
    Bind(callee, carried);
    WriteRegion(graph, shared, {choice});
    WriteRegion(graph, RegionOf(choice, goes_on ? 1 : 0));
    return ValuesOf(function_.operand(choice, goes_on ? 2 : 1));
  }

  State& state_;
  GlobalId global_;
  const Function& function_;
  const Scopes scopes_;
  // By scope: the expressions of bodies of functions and of branches; empty for other scopes.
  std::vector<std::vector<ExprId>> regions_;
  SideTable<ExprId, Values> values_;
  absl::flat_hash_map<TypeId, std::vector<size_t>> begins_;
  // Of variables of let chains.
  SideTable<ExprId, ExprId> let_values_;
  // Whether more is asked of an expression than its fields behind the third.
  SideTable<ExprId, bool> is_used_;
  // Of functions that call themselves: a call that does.
  SideTable<ExprId, ExprId> again_;
};

// -- the model --

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
      : state_{module, sink, ModelBuilder(opset), {}, {}, 0, {}}, names_(names) {}

  auto Write() -> std::optional<Model> {
    const GlobalId main = state_.module.FindGlobal("main");
    const Function& function = *state_.module.function<Function>(main);
    Model model;
    Graph& graph = model.graph;
    graph.name = names_.graph.empty() ? "main" : names_.graph;
    const Context& context = function.context();
    std::vector<const Type*> results = LeavesOf(context, function.type(function.body()));
    const auto outputs = OutputNames(names_, results.size());
    for (const OnnxPort& port : outputs) state_.builder.Reserve(port.name);
    std::vector<Values> args;
    for (const ExprId param : function.params()) args.push_back(AddInput(graph, function, param));
    // Constants that have names keep them; nobody else may take them.
    FunctionWriter writer(state_, main, function);
    const Made made = writer.Write(graph, args);
    for (const auto& [name, missing] : state_.missing) {
      state_.sink.Report(kNoForm, missing.first, name, missing.calls, missing.calls == 1 ? "" : "s", missing.why);
    }
    if (!made || state_.sink.has_errors()) return std::nullopt;
    SetOutputs(graph, *made, results, outputs);
    graph.initializers = std::move(state_.builder.initializers());
    RemoveUnused(graph);
    model.opset = state_.builder.opset();
    model.metadata = names_.metadata;
    return model;
  }

 private:
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
      graph.inputs.push_back(TypeOf(*leaves[i], values.back()));
      state_.typed.insert(values.back());
      if (known != names_.inputs.end() && leaves.size() == 1) SetSymbols(graph.inputs.back(), known->second.symbols);
      NameUnknown(graph.inputs.back());
      if (known == names_.inputs.end() || leaves.size() != 1) continue;
      // Types that Relay lacks are those of the interface all the same.
      ValueType& type = graph.inputs.back();
      if (!IsForeign(known->second.element_type, type.element_type)) continue;
      RaiseFor(known->second.element_type);
      values.back() = AddCast(graph, values.back(), state_.builder.NewName(), type.element_type);
      type.element_type = known->second.element_type;
    }
    return values;
  }

  // 4-bit integers and 8-bit floats are held in wider types of Relay.
  static auto IsForeign(int32_t element_type, int32_t held) -> bool {
    return element_type != held && (IsFloat8(element_type) || element_type == kInt4 || element_type == kUint4);
  }
  void RaiseFor(int32_t element_type) { state_.builder.Raise(IsFloat8(element_type) ? 19 : 21); }

  static auto AddCast(Graph& graph, const std::string& value, std::string name, int32_t element_type) -> std::string {
    Node node;
    node.op_type = "Cast";
    node.inputs = {value};
    node.outputs = {std::move(name)};
    node.attributes = {Int("to", element_type)};
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().outputs[0];
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
      values[i] = AddCast(graph, values[i], state_.builder.NewName(), ports[i].element_type);
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
        Node node;
        node.op_type = "Identity";
        node.inputs = {source};
        node.outputs = {ports[i].name};
        graph.nodes.push_back(std::move(node));
      }
      graph.outputs.push_back(TypeOf(*types[i], ports[i].name));
      if (IsForeign(ports[i].element_type, graph.outputs.back().element_type)) {
        graph.outputs.back().element_type = ports[i].element_type;
      }
      SetSymbols(graph.outputs.back(), ports[i].symbols);
    }
  }

  State state_;
  const OnnxNames& names_;
  size_t unknown_ = 0;
};

// Whether an operator on quantized tensors is used that is more than a change of representation.
auto HasQuantizedArithmetic(const Module& module) -> bool {
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    for (const ExprId expr : function.ids()) {
      if (function.kind(expr) != ExprKind::kOpCall) continue;
      const OpDef* op = function.op(expr);
      const std::string_view name = op->name;
      if (name.starts_with("qnn.") && op != "qnn.quantize"_op && op != "qnn.dequantize"_op) return true;
    }
  }
  return false;
}

auto Prepared(const Module& module, DiagnosticSink& sink) -> std::optional<Module> {
  std::string text(OnnxPipeline());
  if (HasQuantizedArithmetic(module)) text = "qnn.Legalize,qnn.CanonicalizeOps," + text;
  auto pipeline = ParsePipeline(text);
  RELAYOPT_CHECK(pipeline.has_value(), "the pipeline for ONNX is one");
  const auto pass = BuildPipeline(*pipeline);
  PassContext context;
  // Every pass that the pipeline names runs.
  context.set_opt_level(4);
  auto prepared = pass ? (**pass)(module, context) : Result<Module>(pass.error());
  if (!prepared) {
    sink.Report(kNotPrepared, prepared.error().range, prepared.error().text);
    return std::nullopt;
  }
  const GlobalId main = prepared->FindGlobal("main");
  if (!main || prepared->function<Function>(main) == nullptr) {
    sink.Report(kUnsupported, SourceRange(), "the module", "it has no function @main");
    return std::nullopt;
  }
  return std::move(*prepared);
}

// Names depend on the version of the operators, which operators may raise: then all is written anew.
auto Build(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink) -> std::optional<Model> {
  if (options.opset && (*options.opset < kLeastOpset || *options.opset > kNewestOpset)) {
    sink.Report(kUnknownOpset, SourceRange(), kLeastOpset, kNewestOpset, *options.opset);
    return std::nullopt;
  }
  const auto prepared = Prepared(module, sink);
  if (!prepared) return std::nullopt;
  const OnnxNames names = module.context().Part<OnnxInterface>().Get();
  const int64_t wanted = options.opset.value_or(std::clamp(names.opset, kDefaultOpset, kNewestOpset));
  int64_t opset = std::clamp(wanted, kLeastOpset, kNewestOpset);
  while (true) {
    auto model = ModelWriter(*prepared, sink, opset, names).Write();
    if (!model || model->opset == opset) return model;
    opset = model->opset;
    if (options.opset) {
      sink.Report(kFixedOpset, SourceRange(), opset, *options.opset);
      return std::nullopt;
    }
    sink.Report(kOpset, SourceRange(), opset, wanted);
  }
}

}  // namespace
}  // namespace onnx::out

auto OnnxPipeline() -> std::string_view {
  return "Inline,DefuseOps,FoldExplicitPadding,DynamicToStatic,fixpoint<max=3>(LowerFor<target=onnx>),FoldConstant,"
         "CombineFor<target=onnx>,"
         "RemoveUnusedFunctions,InferType";
}

auto OnnxFormOf(std::string_view op) -> std::string {
  const OpDef* def = FindOp(op);
  const onnx::out::OnnxForm* form = def == nullptr ? nullptr : onnx::out::FindOnnxForm(def);
  return form == nullptr ? "" : std::string(form->op_type);
}

auto WriteOnnx(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink) -> std::optional<OnnxFile> {
  const auto model = onnx::out::Build(module, options, sink);
  if (!model) return std::nullopt;
  OnnxFile file;
  onnx::out::ExternalData external{options.external, {}};
  file.model = onnx::out::Serialize(*model, options.external.empty() ? nullptr : &external);
  file.external = std::move(external.bytes);
  return file;
}

auto WriteOnnxText(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink)
    -> std::optional<std::string> {
  const auto model = onnx::out::Build(module, options, sink);
  return model ? std::optional(onnx::out::ToText(*model)) : std::nullopt;
}

}  // namespace relayopt
