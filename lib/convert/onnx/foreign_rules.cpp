// Types and values of foreign operators, derived from their expansion into Relay.
//
// The type of a call is that of its expansion, which is emitted into a scratch function for these operand types. The
// value of a call is what the expansion computes on constants: the emitter folds calls as they are emitted, and what it
// leaves (loops, large results) is evaluated.
#include "foreign_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "foreign.h"
#include "importer.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "relayopt/support/text_pieces.h"
#include "stated_types.h"

namespace relayopt::onnx {

namespace {

// Larger constants are not used for types: shapes and axes are smaller.
constexpr size_t kMostElements = 4096;

// The results of TypeOfForeign, as a part of the context. Thread-safe.
class ForeignTypes {
 public:
  explicit ForeignTypes(Context&) {}

  using Key = std::vector<uint64_t>;
  struct Outcome {
    TypeId type;
    std::string error;
  };

  auto Find(const Key& key) const -> std::optional<Outcome> {
    const std::lock_guard lock(mutex_);
    const auto found = outcomes_.find(key);
    return found == outcomes_.end() ? std::nullopt : std::optional(found->second);
  }
  void Remember(const Key& key, const Outcome& outcome) {
    const std::lock_guard lock(mutex_);
    outcomes_[key] = outcome;
  }

 private:
  mutable std::mutex mutex_;
  absl::flat_hash_map<Key, Outcome> outcomes_;
};

auto IsNone(const Context& context, TypeId type) -> bool {
  return context.type(type).is_tuple() && context.type(type).args.empty();
}

// Returns a value that Relay has no type for.
auto UnknownType(Context& context) -> TypeId { return context.Scalar(kHandle); }

auto Bits(const void* pointer) -> uint64_t { return reinterpret_cast<uintptr_t>(pointer); }

// Returns the type by the expansion; invalid, with an error, when it has none.
auto TypeByExpansion(Context& context, const OpInstance& call, std::string_view results, std::span<const TypeId> inputs,
                     std::span<const Constant* const> constants, std::string& error) -> TypeId {
  FunctionBuilder to(context);
  std::vector<ExprId> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (IsNone(context, inputs[i])) {
      operands.emplace_back();
      continue;
    }
    const bool is_known = constants[i] != nullptr && constants[i]->num_elements() <= kMostElements;
    operands.push_back(is_known ? to.Constant(context.AddConstant(*constants[i]))
                                : to.Var({context.Intern("x"), inputs[i], {}}));
    to.SetType(operands.back(), inputs[i]);
  }
  const auto model = context.Part<OnnxInterface>().model();
  const Expansion expansion = ExpandForeign(to, context, model.get(), call, operands, "");
  error = expansion.error;
  if (!error.empty()) return {};
  std::vector<TypeId> types;
  for (size_t i = 0; i < results.size(); ++i) {
    const ExprId value = i < expansion.values.size() ? expansion.values[i] : ExprId();
    if (!value) {
      // An output that is not given, or an optional that is empty.
      types.push_back(results[i] == '0' ? context.UnitType() : UnknownType(context));
      continue;
    }
    const TypeId type = to.function().type(value);
    if (!type) {
      error = "a result has no type";
      return {};
    }
    // Sequences have no type, and elements that Relay lacks are handles.
    const Type& value_type = context.type(type);
    if (!value_type.is_tensor()) {
      types.push_back(UnknownType(context));
    } else {
      types.push_back(expansion.is_foreign[i] ? context.Tensor(value_type.shape, kHandle) : type);
    }
  }
  return types.size() == 1 ? types[0] : context.Tuple(types);
}

// -- shapes as ONNX's documentation gives them --

// In the notation below: leading axes that are broadcast to each other.
constexpr std::string_view kBatch = "...";

// The extents that letters stand for, and those of the batch, without leading ones that only some operands have.
struct Letters {
  absl::flat_hash_map<char, Dim> extents;
  std::vector<Dim> batch;
};

// One value of the notation: its axes, as "4h".
auto AxesOf(std::string_view value) -> std::vector<std::string_view> {
  std::vector<std::string_view> axes;
  const size_t open = value.find('[');
  std::string_view rest = value.substr(open + 1, value.find(']') - open - 1);
  while (!rest.empty()) {
    const size_t space = rest.find(' ');
    if (space != 0) axes.push_back(rest.substr(0, space));
    rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
  }
  return axes;
}

// Returns the values on one side of the arrow.
auto ValuesOf(std::string_view side) -> std::vector<std::vector<std::string_view>> {
  std::vector<std::vector<std::string_view>> values;
  while (!side.empty()) {
    const size_t comma = side.find(',');
    values.push_back(AxesOf(side.substr(0, comma)));
    side = comma == std::string_view::npos ? std::string_view() : side.substr(comma + 1);
  }
  return values;
}

auto FactorOf(std::string_view axis) -> int64_t { return axis.size() == 1 ? 1 : axis[0] - '0'; }

// Broadcasts the batch of an operand to that of those before it. One of two extents that are not equal is 1.
auto MergeBatch(std::span<const Dim> given, std::vector<Dim>& batch) -> bool {
  if (given.size() > batch.size()) batch.insert(batch.begin(), given.size() - batch.size(), Dim(1));
  for (size_t i = 0; i < given.size(); ++i) {
    Dim& known = batch[batch.size() - given.size() + i];
    if (known.is(1)) {
      known = given[i];
    } else if (given[i].is_int() && !given[i].is(1)) {
      if (known.is_int() && known.value() != given[i].value()) return false;
      known = given[i];
    }
  }
  return true;
}

// Lets the letters of a value stand for the extents of an operand; returns false if these are not of that form.
auto Match(std::span<const std::string_view> axes, const Type& type, Letters& letters) -> bool {
  if (!type.is_tensor()) return false;
  size_t first = 0;
  if (!axes.empty() && axes[0] == kBatch) {
    axes = axes.subspan(1);
    if (type.rank() < axes.size()) return false;
    first = type.rank() - axes.size();
    if (!MergeBatch(std::span(type.shape.begin(), type.shape.end()).first(first), letters.batch)) return false;
  }
  if (type.rank() - first != axes.size()) return false;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Dim& dim = type.shape[first + i];
    if (!dim.is_int()) continue;
    const int64_t factor = FactorOf(axes[i]);
    if (dim.value() % factor != 0) return false;
    const Dim extent(dim.value() / factor);
    const auto [known, is_new] = letters.extents.try_emplace(axes[i].back(), extent);
    if (!is_new && !SameExtent(known->second, extent)) return false;
  }
  return true;
}

// By the shapes of the row; returns none if the operands do not have them.
auto TypeByShapes(Context& context, const ForeignNode& node, std::span<const TypeId> inputs) -> TypeId {
  const std::string_view text = node.row->shapes;
  const size_t arrow = text.find("->");
  auto operands = ValuesOf(text.substr(0, arrow));
  auto results = ValuesOf(text.substr(arrow + 2));
  for (const AttributeProto& attribute : node.attributes) {
    if (attribute.name != "layout" || attribute.i == 0) continue;
    // The batch comes first.
    std::swap(operands[0][0], operands[0][1]);
    for (auto& axes : results) {
      const auto batch = std::ranges::find(axes, "b");
      std::rotate(axes.begin(), batch, batch + 1);
    }
  }
  if (inputs.size() < operands.size() || results.size() < node.results.size()) return {};
  Letters letters;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!Match(operands[i], context.type(inputs[i]), letters)) return {};
  }
  const DataType dtype = context.type(inputs[0]).dtype;
  std::vector<TypeId> types;
  for (size_t i = 0; i < node.results.size(); ++i) {
    if (node.results[i] == '0') {
      types.push_back(context.UnitType());
      continue;
    }
    std::vector<Dim> dims;
    for (const std::string_view axis : results[i]) {
      if (axis == kBatch) {
        dims.insert(dims.end(), letters.batch.begin(), letters.batch.end());
        continue;
      }
      const auto known = letters.extents.find(axis.back());
      dims.push_back(known == letters.extents.end() ? Dim::Any() : Dim(known->second.value() * FactorOf(axis)));
    }
    types.push_back(context.Tensor(dims, dtype));
  }
  return types.size() == 1 ? types[0] : context.Tuple(types);
}

// Returns the result type of a query about an unknown value, such as its number of elements.
auto TypeOfQuery(Context& context, const ForeignNode& node) -> TypeId {
  if (node.row == nullptr || !node.domain.empty()) return {};
  if (node.op_type == "Shape") return context.Tensor(std::vector<Dim>{Dim::Any()}, DataType::Int(64));
  return node.op_type == "Size" ? context.Scalar(DataType::Int(64)) : TypeId();
}

// The type of windows that cover the data (auto_pad SAME_UPPER and SAME_LOWER), which have one result for each stride,
// whatever the padding is; none for other nodes.
auto TypeOfSameWindows(Context& context, const ForeignNode& node, std::span<const TypeId> inputs) -> TypeId {
  const bool is_layer = node.op_type == "Conv";
  const bool is_pool = node.op_type == "MaxPool" || node.op_type == "AveragePool" || node.op_type == "LpPool";
  if (node.row == nullptr || !node.domain.empty() || (!is_layer && !is_pool) || node.results != "1") return {};
  const AttributeProto* padding = FindAttribute(node.attributes, "auto_pad");
  if (padding == nullptr || !padding->s.starts_with("SAME") || inputs.empty()) return {};
  const Type* data = TensorType(context, inputs[0]);
  const Type* weight = is_layer && inputs.size() > 1 ? TensorType(context, inputs[1]) : nullptr;
  const AttributeProto* given = FindAttribute(node.attributes, "strides");
  const auto strides = given == nullptr ? std::span<const int64_t>() : std::span(given->ints);
  constexpr size_t kFirstSpatial = 2;
  if (data == nullptr || data->rank() <= kFirstSpatial || (is_layer && weight == nullptr)) return {};
  if (std::ranges::all_of(data->shape, &Dim::is_int)) return {};
  if (!strides.empty() && strides.size() != data->rank() - kFirstSpatial) return {};
  std::vector<Dim> dims(data->shape.begin(), data->shape.end());
  if (weight != nullptr && weight->rank() != data->rank()) return {};
  if (weight != nullptr) dims[1] = weight->shape[0];
  for (size_t i = 0; i < strides.size(); ++i) {
    Dim& extent = dims[i + kFirstSpatial];
    if (strides[i] <= 0) return {};
    if (strides[i] == 1 || extent.is(0)) continue;
    extent = extent.is_int() ? Dim((extent.value() - 1) / strides[i] + 1) : Dim::Any();
  }
  return context.Tensor(dims, data->dtype);
}

auto ComputeType(Context& context, const OpInstance& call, std::span<const TypeId> inputs,
                 std::span<const Constant* const> constants, std::string& error) -> TypeId {
  const ForeignNode node = ReadForeign(context, call);
  error = node.error;
  if (!error.empty()) return {};
  if (node.row != nullptr && !node.row->shapes.empty()) {
    if (const TypeId type = TypeByShapes(context, node, inputs)) return type;
  }
  // Their expansion pads by widths that are computed, and so knows no extent.
  if (const TypeId type = TypeOfSameWindows(context, node, inputs)) return type;
  if (const TypeId type = TypeByExpansion(context, call, node.results, inputs, constants, error)) return type;
  if (const TypeId type = TypeOfQuery(context, node)) {
    error.clear();
    return type;
  }
  if (node.types.size() != node.results.size()) return {};
  const std::vector<TypeId> stated = StatedTypes(context, node, inputs);
  std::vector<TypeId> types;
  for (size_t i = 0; i < node.types.size(); ++i) {
    const std::string_view text = node.types[i];
    types.push_back(node.results[i] == '0' ? context.UnitType() : ParseDeclaredType(context, text));
    if (types.back() == UnknownType(context) && !stated.empty()) types.back() = stated[i];
    if (types.back()) continue;
    error = fmt::format("'{}' is not a type; \"float32(3, ?)\" is one", text);
    return {};
  }
  error.clear();
  return types.size() == 1 ? types[0] : context.Tuple(types);
}

}  // namespace

auto TypeOfForeign(Context& context, const OpInstance& call, std::span<const TypeId> inputs,
                   std::span<const Constant* const> constants, std::string& error) -> TypeId {
  ForeignTypes::Key key = {Bits(call.op), call.attrs ? call.attrs.value() : UINT32_MAX};
  key.reserve(key.size() + 2 * inputs.size());
  // What constants alone determine is computed.
  const OpRow* row = RowOfOp(call.op);
  const bool by_types = row != nullptr && row->by_types &&
                        std::ranges::any_of(constants, [](const Constant* constant) { return constant == nullptr; });
  for (size_t i = 0; i < inputs.size(); ++i) {
    key.push_back(inputs[i].value());
    key.push_back(by_types ? uint64_t{constants[i] != nullptr} : Bits(constants[i]));
  }
  auto& cache = context.Part<ForeignTypes>();
  auto known = cache.Find(key);
  if (!known) {
    known.emplace();
    known->type = ComputeType(context, call, inputs, constants, known->error);
    cache.Remember(key, *known);
  }
  error = known->error;
  return known->type;
}

auto ForeignRule(RuleContext& rule) -> RuleStatus {
  std::vector<TypeId> inputs;
  std::vector<const Constant*> constants;
  for (size_t i = 0; i < rule.size(); ++i) {
    if (rule.type(i).has_incomplete) return rule.Wait();
    inputs.push_back(rule.input(i));
    constants.push_back(rule.constant(i));
  }
  std::string error;
  const TypeId type = TypeOfForeign(rule.context(), {&rule.op(), rule.attrs_id()}, inputs, constants, error);
  return type ? rule.Done(type) : rule.Error("{}: {}", rule.op().name, error);
}

auto NoneRule(RuleContext& rule) -> RuleStatus {
  if (rule.size() != 0) return rule.Error("{}: it takes no operands", rule.op().name);
  return rule.Done(rule.context().UnitType());
}

auto NoneKernel(KernelContext& kernel) -> KernelStatus { return kernel.ReturnTuple({}); }

auto IsStateful(const OpRow& row) -> bool {
  constexpr std::string_view kRandom[] = {"Bernoulli",        "Multinomial",   "RandomNormal",
                                          "RandomNormalLike", "RandomUniform", "RandomUniformLike"};
  return row.domain.empty() && std::ranges::find(kRandom, row.name) != std::end(kRandom);
}

namespace {

// Returns the value of a variable-free function of the results.
auto EvaluateResults(Module& module, FunctionBuilder& to, const std::vector<ExprId>& values)
    -> Result<relayopt::Value> {
  std::vector<ExprId> given;
  for (const ExprId value : values) {
    if (value) given.push_back(value);
  }
  const ExprId tuple = EmitTuple(to, given);
  const ExprId root = to.Lambda(FunctionInfo(), {}, tuple);
  const GlobalId main = module.NameGlobal("main");
  module.SetFunction(main, std::make_shared<Function>(Relayout(to.Finish(root))));
  return Evaluator(module).Call(main, {});
}

}  // namespace

auto ForeignKernel(KernelContext& kernel) -> KernelStatus {
  const OpRow* row = RowOfOp(&kernel.op());
  if (row != nullptr && IsRecurrent(*row)) return RecurrentKernel(kernel);
  // The emitted code is dropped afterwards, so it gets a context of its own.
  Module module(std::make_shared<Context>());
  FunctionBuilder to(module.context());
  std::vector<ExprId> operands;
  for (size_t i = 0; i < kernel.size(); ++i) {
    const bool is_none = kernel.tuple(i).empty();
    operands.push_back(is_none ? ExprId() : EmitConstant(to, kernel.input(i)));
  }
  const auto model = kernel.context().Part<OnnxInterface>().model();
  const Expansion expansion =
      ExpandForeign(to, kernel.context(), model.get(), {&kernel.op(), kernel.attrs_id()}, operands, "");
  if (!expansion.error.empty()) return kernel.Error("{}", expansion.error);
  auto value = EvaluateResults(module, to, expansion.values);
  if (!value) return kernel.Error("{}", value.error().text);
  std::vector<Tensor> results;
  size_t next = 0;
  for (const ExprId result : expansion.values) {
    if (!result) {
      results.emplace_back(DataType::Float(32), std::vector<int64_t>{0});
      continue;
    }
    const relayopt::Value& field = value->fields()[next++];
    if (!field.is_tensor()) return kernel.Error("a result is not a tensor");
    results.push_back(field.tensor());
  }
  return kernel.ReturnTuple(std::move(results));
}

auto DeclaredTypeText(const Context& context, TypeId id) -> std::string {
  const Type& type = context.type(id);
  if (!type.is_tensor()) return "handle()";
  std::string text = ToString(type.dtype) + "(";
  for (const Dim& dim : type.shape) {
    if (!text.ends_with('(')) text += ", ";
    text += dim.is_int() ? std::to_string(dim.value()) : "?";
  }
  return text + ")";
}

auto ParseDeclaredType(Context& context, std::string_view text) -> TypeId {
  const size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return {};
  const auto dtype = ParseDataType(text.substr(0, open));
  if (!dtype) return {};
  std::vector<Dim> dims;
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    std::string_view extent = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    while (extent.starts_with(' ')) extent.remove_prefix(1);
    if (extent == "?") {
      dims.push_back(Dim::Any());
      continue;
    }
    const auto value = ParseNumber<int64_t>(extent);
    if (!value || *value < 0) return {};
    dims.emplace_back(*value);
  }
  return context.Tensor(dims, *dtype);
}

namespace {

auto ExpandNode(FunctionBuilder& to, const ForeignNode& node, const ModelProto* model, std::span<const ExprId> operands,
                std::string_view name, bool keep, std::optional<int64_t> most_folded = std::nullopt) -> Expansion {
  Expansion expansion;
  expansion.error = node.error;
  if (node.captures.size() > operands.size()) expansion.error = "it has fewer operands than captures";
  for (const ExprId operand : operands) {
    if (!operand) continue;
    const TypeId type = to.function().type(operand);
    const bool is_tensor = type && to.context().type(type).is_tensor();
    // Nodes that are kept take unknown values.
    if (!is_tensor || (!keep && to.context().type(type).dtype == kHandle)) {
      expansion.error = "an operand has a type that Relay lacks";
    }
  }
  if (!expansion.error.empty()) return expansion;
  ModelProto around;
  around.opsets.Add({node.domain, node.version});
  if (model != nullptr) around.opsets.set_others(model->opsets);
  NodeProto proto = ProtoOf(node);
  proto.name = name;
  std::deque<std::string> names;
  Scope scope;
  for (size_t i = 0; i < operands.size(); ++i) {
    const size_t num_inputs = operands.size() - node.captures.size();
    if (i >= num_inputs) {
      scope.Set(node.captures[i - num_inputs], Value(operands[i]));
      continue;
    }
    const std::string_view input = operands[i] ? names.emplace_back(fmt::format("operand {}", i)) : std::string_view();
    proto.inputs.push_back(input);
    if (operands[i]) scope.Set(input, Value(operands[i]));
  }
  for (size_t i = 0; i < node.results.size(); ++i) {
    proto.outputs.push_back(node.results[i] == '1' ? std::string_view(names.emplace_back(fmt::format("result {}", i)))
                                                   : std::string_view());
  }
  DiagnosticSink sink;
  // Calls of functions of a model, and operators inside of graphs, look at the rest of the model.
  const bool may_call = node.row == nullptr || !node.captures.empty() || !node.storage.empty();
  Importer importer(around, may_call ? model : nullptr, to, sink, keep);
  if (most_folded) importer.LimitFolding(*most_folded);
  auto values = importer.Expand(proto, scope);
  if (!values) {
    for (const Diagnostic& diagnostic : sink.diagnostics()) {
      if (diagnostic.kind->severity == Severity::kError && expansion.error.empty()) expansion.error = diagnostic.text;
    }
    if (expansion.error.empty()) expansion.error = "it cannot be expressed in Relay";
    return expansion;
  }
  for (const Value& value : *values) {
    expansion.values.push_back(importer.AsExpr(value));
    expansion.is_foreign.push_back(IsForeignElement(value.element_type));
  }
  return expansion;
}

}  // namespace

auto ExpandForeign(FunctionBuilder& to, const Context& from, const ModelProto* model, const OpInstance& call,
                   std::span<const ExprId> operands, std::string_view name, std::optional<int64_t> most_folded)
    -> Expansion {
  return ExpandNode(to, ReadForeign(from, call), model, operands, name, false, most_folded);
}

auto ExpandBranch(FunctionBuilder& to, const ModelProto* model, const OpInstance& call,
                  std::span<const ExprId> operands, std::string_view name) -> Expansion {
  // The nodes of the branch are noted as the sources of their calls, so they have to stay.
  auto node = std::make_shared<ForeignNode>(ReadForeign(to.context(), call));
  to.context().Part<OnnxInterface>().Keep(node);
  return ExpandNode(to, *node, model, operands, name, true);
}

}  // namespace relayopt::onnx
