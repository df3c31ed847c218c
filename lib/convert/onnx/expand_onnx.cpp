// ExpandOnnx: calls of ONNX's operators become operators of Relay.
#include <algorithm>
#include <array>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "foreign.h"
#include "lib/convert/onnx_out/leaves.h"
#include "lib/convert/onnx_out/single_node.h"
#include "relayopt/convert/lower.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace onnx {

namespace {

auto NameOfCall(const Function& function, ExprId id) -> std::string_view {
  const SpanId span = function.span(id);
  return span ? function.context().text(function.context().span(span).source) : std::string_view();
}

// Returns the operands of a call in the new function, none for inputs that are left out.
auto OperandsOf(const Function& from, ExprId id, std::span<const ExprId> made) -> std::vector<ExprId> {
  std::vector<ExprId> operands(made.begin(), made.end());
  for (size_t i = 0; i < operands.size(); ++i) {
    const ExprId operand = from.operand(id, i);
    if (from.kind(operand) == ExprKind::kOpCall && from.op(operand) == NoneOp()) operands[i] = ExprId();
  }
  return operands;
}

// Returns the result of a call: its only value, or a tuple, with an empty tuple for each that is not given.
auto ResultOf(FunctionBuilder& to, const std::vector<ExprId>& values) -> ExprId {
  if (values.size() == 1) return values[0];
  const auto fields = MapToVector<ExprId>(values, [&](ExprId value) { return value ? value : EmitTuple(to, {}); });
  return EmitTuple(to, fields);
}

auto IsNodeCall(const Function& function, ExprId id) -> bool {
  return function.kind(id) == ExprKind::kOpCall && IsNodeOp(function.op(id));
}

// Whether values are expressions that existed before, constants, or results of a single call that is one node and has
// no more operands than there were.
auto IsSmall(const Function& function, ExprId first, const std::vector<ExprId>& values, size_t operands,
             out::SingleNodes& nodes) -> bool {
  ExprId call;
  const auto is_given = [&](ExprId id) {
    return id.value() < first.value() || function.kind(id) == ExprKind::kConstant;
  };
  for (const ExprId value : values) {
    if (!value || is_given(value)) continue;
    // A sequence is a tuple in Relay, which users of the call do not expect.
    const TypeId type = function.type(value);
    if (!type || !function.context().type(type).is_tensor()) return false;
    const ExprId made = function.kind(value) == ExprKind::kTupleGetItem ? function.operand(value, 0) : value;
    if (function.kind(made) != ExprKind::kOpCall || (call && call != made)) return false;
    call = made;
  }
  if (!call) return true;
  // The bias of a convolution is added to it.
  const bool is_biased = out::IsBiased(function, call);
  const ExprId inner = is_biased ? function.operand(call, 0) : call;
  // The operands of a concatenation are a tuple.
  const bool has_tuple = function.operands(inner).size() == 1 && !is_given(function.operand(inner, 0)) &&
                         function.kind(function.operand(inner, 0)) == ExprKind::kTuple;
  const auto taken = function.operands(has_tuple ? function.operand(inner, 0) : inner);
  if (!std::ranges::all_of(taken, is_given)) return false;
  if (is_biased && !is_given(function.operand(call, 1))) return false;
  return taken.size() + (is_biased ? 1 : 0) <= operands && nodes.Find(function, inner).has_value();
}

// The bytes of the constants among expressions.
auto ConstantBytes(const Function& function, std::span<const ExprId> ids) -> size_t {
  size_t bytes = 0;
  for (const ExprId id : ids) {
    if (id && function.kind(id) == ExprKind::kConstant) bytes += function.constant(id).num_bytes();
  }
  return bytes;
}

// Whether the call that the values are results of takes new constants that are much larger than those there were:
// weights of 4 bits, for example, are not better as floats. Lists of axes and the like are small.
auto IsLarger(const Function& function, ExprId first, const std::vector<ExprId>& values,
              std::span<const ExprId> operands) -> bool {
  constexpr size_t kSmallBytes = 128;
  std::vector<ExprId> added;
  for (const ExprId value : values) {
    if (!value || value.value() < first.value() || function.kind(value) == ExprKind::kConstant) continue;
    for (const ExprId operand : function.operands(value)) {
      if (operand.value() >= first.value()) added.push_back(operand);
    }
  }
  const size_t bytes = ConstantBytes(function, added);
  return bytes > kSmallBytes && bytes > 2 * ConstantBytes(function, operands);
}

// Whether the expansion has a part for each step of a sequence: that of recurrent networks.
auto IsUnrolled(const OpRow& row) -> bool { return FindAttribute(row, "hidden_size").has_value(); }

// Whether the operator came later than the version that the node is of. onnxruntime writes and runs such nodes
// (LayerNormalization in all versions), and what they become would have no form in that version.
auto IsAheadOfVersion(const Function& function, ExprId id) -> bool {
  const OpRow& row = *RowOfOp(function.op(id));
  const int64_t first = row.domain.empty() ? FirstVersion(row) : 1;
  return first > 1 && ReadForeign(function.context(), function.instance(id)).version < first;
}

// Whether the expansion of a call is worth trying: that of some operators is long, that of a filled tensor of unknown
// shape is one of two operands when it is written, and that of a pool of unknown size is a reduction, which onnxruntime
// knows less about.
auto MayBeSmall(const Function& function, ExprId id) -> bool {
  constexpr std::array<std::string_view, 2> kStay = {"GlobalAveragePool", "GlobalMaxPool"};
  const OpRow* row = RowOfOp(function.op(id));
  if (row != nullptr && row->name == "ConstantOfShape") {
    return function.operands(id).size() == 1 && function.kind(function.operand(id, 0)) == ExprKind::kConstant;
  }
  return row != nullptr && std::ranges::find(kStay, row->name) == kStay.end() && !IsUnrolled(*row) &&
         !function.op(id)->stateful && row->attributes.find("graph ") == std::string_view::npos;
}

}  // namespace

auto AreLargeConstants(const Function& function, ExprId first, std::span<const ExprId> values,
                       const std::function<size_t()>& given) -> bool {
  constexpr size_t kSmallBytes = size_t{1} << 16;
  size_t made = 0;
  for (const ExprId value : values) {
    if (value && value >= first) made += ConstantBytes(function, {&value, 1});
  }
  return made > kSmallBytes && made - kSmallBytes > given();
}

auto BytesGiven(const Function& function, std::span<const ExprId> operands, std::span<const AttributeProto> attributes)
    -> size_t {
  // An element of eight bytes may be one byte of an attribute.
  constexpr size_t kMostOfByte = sizeof(int64_t);
  size_t given = 2 * ConstantBytes(function, operands);
  for (const AttributeProto& attribute : attributes) {
    if (attribute.tensor != nullptr && attribute.tensor->is_external) return std::numeric_limits<size_t>::max();
    given += kMostOfByte * attribute.message.size();
  }
  return given;
}

auto FirstNodeCall(const Module& module) -> std::optional<NodeCall> {
  for (const GlobalId global : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(global);
    for (const ExprId id : function.ids()) {
      if (IsNodeCall(function, id)) return NodeCall{function.op(id)->name, function.range(id)};
    }
  }
  return std::nullopt;
}

auto ExpandCalls(const Function& function, const std::function<bool(ExprId)>& wants, std::optional<int64_t> most_folded)
    -> std::optional<Function> {
  const auto model = function.context().Part<OnnxInterface>().model();
  return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
    if (!IsNodeCall(function, id) || !wants(id)) return {};
    const auto operands = OperandsOf(function, id, rebuild.NewOperands(id));
    const Expansion expansion = ExpandForeign(rebuild.to(), function.context(), model.get(), function.instance(id),
                                              operands, NameOfCall(function, id), most_folded);
    if (!expansion.error.empty()) return {};
    return ResultOf(rebuild.to(), expansion.values);
  });
}

namespace {

// Whether values are typed, of which some may be absent.
auto AreTyped(const Function& function, const std::vector<ExprId>& values) -> bool {
  return std::ranges::all_of(
      values, [&](ExprId value) { return !value || out::IsTyped(function.context(), function.type(value)); });
}

// Whether the call is an If whose condition is a constant.
auto IsSettled(const Function& function, ExprId id) -> bool {
  const OpRow* row = RowOfOp(function.op(id));
  return row != nullptr && row->name == "If" && row->domain.empty() && !function.operands(id).empty() &&
         function.kind(function.operand(id, 0)) == ExprKind::kConstant;
}

// Whether the expansion is better than the call for passes that look at extents: they know parts of a shape by the
// slice that it is, which becomes one node again.
auto IsShape(const Function& function, ExprId id) -> bool {
  const OpRow* row = RowOfOp(function.op(id));
  return row->domain.empty() && row->name == "Shape";
}

// Whether the call became one of the same operator, which passes do not know better than the call. Of products they
// know nn.dense, which is Gemm unless MatMul was read.
auto IsSameNode(const Function& function, ExprId id, const Function& made, const std::vector<ExprId>& values,
                out::SingleNodes& nodes) -> bool {
  const OpRow* row = RowOfOp(function.op(id));
  if (MayHaveTwin(*row) || values.size() != 1 || !values[0] || made.kind(values[0]) != ExprKind::kOpCall) return false;
  if (row->name == "MatMul" && made.op(values[0]) == "nn.dense"_op) return false;
  return nodes.Find(made, values[0]) == std::string(row->name);
}

// Whether a Resize became a choice of elements, which is not better: systems know less about it, and where extents
// times scales are not whole, onnxruntime places elements otherwise than the definition, which the choice follows.
auto IsChoiceForResize(const Function& function, ExprId id, const Function& made, const std::vector<ExprId>& values)
    -> bool {
  const OpRow* row = RowOfOp(function.op(id));
  const bool is_resize = row->domain.empty() && (row->name == "Resize" || row->name == "Upsample");
  return is_resize && made.kind(values[0]) == ExprKind::kOpCall && made.op(values[0]) == "take"_op;
}

// Returns what determines whether a call is expanded: the operator instance and the types of the result and of the
// operands; nothing if there are constants among the operands, whose elements matter, too.
auto CallKey(const Function& function, ExprId id) -> std::optional<std::vector<uint32_t>> {
  std::vector<uint32_t> key = {function.op_instance(id).value(), function.type(id).value()};
  for (const ExprId operand : function.operands(id)) {
    if (function.kind(operand) == ExprKind::kConstant) return std::nullopt;
    const bool is_none = function.kind(operand) == ExprKind::kOpCall && function.op(operand) == NoneOp();
    key.push_back(is_none ? UINT32_MAX : function.type(operand).value());
  }
  return key;
}

// Expands calls whose expansion is a single node at most, and each If whose branch is known; with `typed` only those
// whose type is known.
auto ExpandSmall(const Function& function, bool typed) -> std::optional<Function> {
  const auto model = function.context().Part<OnnxInterface>().model();
  out::SingleNodes nodes;
  // The keys of calls that stay.
  absl::flat_hash_set<std::vector<uint32_t>> stay;
  return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
    if (!IsNodeCall(function, id)) return {};
    if (IsSettled(function, id) && (!typed || out::IsTyped(function.context(), function.type(id)))) {
      const auto operands = OperandsOf(function, id, rebuild.NewOperands(id));
      const Expansion branch =
          ExpandBranch(rebuild.to(), model.get(), function.instance(id), operands, NameOfCall(function, id));
      // An expansion that loses a known type is not used.
      const bool keeps_types = branch.error.empty() && (!out::IsTyped(function.context(), function.type(id)) ||
                                                        AreTyped(rebuild.to().function(), branch.values));
      return keeps_types ? ResultOf(rebuild.to(), branch.values) : ExprId();
    }
    if (!MayBeSmall(function, id)) return {};
    const auto key = CallKey(function, id);
    if (key && stay.contains(*key)) return {};
    if (IsAheadOfVersion(function, id)) {
      if (key) stay.insert(*key);
      return {};
    }
    const auto operands = OperandsOf(function, id, rebuild.NewOperands(id));
    const ExprId first(static_cast<uint32_t>(rebuild.to().function().size()));
    // A converted weight is not better than the original, and takes long to compute.
    constexpr int64_t kMostFolded = 1 << 16;
    const Expansion expansion = ExpandForeign(rebuild.to(), function.context(), model.get(), function.instance(id),
                                              operands, NameOfCall(function, id), kMostFolded);
    const auto given = [&] {
      return BytesGiven(rebuild.to().function(), operands,
                        ReadForeign(function.context(), function.instance(id)).attributes);
    };
    const bool is_better =
        expansion.error.empty() &&
        (IsShape(function, id) || IsSmall(rebuild.to().function(), first, expansion.values, operands.size(), nodes)) &&
        !IsLarger(rebuild.to().function(), first, expansion.values, operands) &&
        !AreLargeConstants(rebuild.to().function(), first, expansion.values, given) &&
        !IsChoiceForResize(function, id, rebuild.to().function(), expansion.values) &&
        !IsSameNode(function, id, rebuild.to().function(), expansion.values, nodes);
    if (!is_better) {
      if (key) stay.insert(*key);
      return {};
    }
    for (const bool is_foreign : expansion.is_foreign) {
      if (is_foreign) return {};
    }
    return ResultOf(rebuild.to(), expansion.values);
  });
}

auto HasUntypedChoice(const Function& function) -> bool {
  return std::ranges::any_of(function.ids(), [&](ExprId id) {
    return IsNodeCall(function, id) && IsSettled(function, id) && !out::IsTyped(function.context(), function.type(id));
  });
}

// Returns the reason with the names of inputs in the model, where it names operands of the call.
auto WithNames(std::string why, const NodeProto* node) -> std::string {
  for (size_t i = 0; node != nullptr && i < node->inputs.size(); ++i) {
    const std::string operand = "'operand " + std::to_string(i) + "'";
    const size_t at = why.find(operand);
    if (at != std::string::npos) why.replace(at, operand.size(), "'" + std::string(node->inputs[i]) + "'");
  }
  return why;
}

}  // namespace

auto FindRefusals(const Module& module) -> std::vector<Refusal> {
  // Weights need not be computed for this.
  constexpr int64_t kMostFolded = 1 << 16;
  std::vector<Refusal> refusals;
  for (const GlobalId global : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(global);
    const auto& interface = function.context().Part<OnnxInterface>();
    const auto model = interface.model();
    Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
      if (!IsNodeCall(function, id)) return {};
      const auto operands = OperandsOf(function, id, rebuild.NewOperands(id));
      const Expansion expansion = ExpandForeign(rebuild.to(), function.context(), model.get(), function.instance(id),
                                                operands, NameOfCall(function, id), kMostFolded);
      if (expansion.error.empty()) return ResultOf(rebuild.to(), expansion.values);
      // A user of a refused node is not a fault of its own.
      if (!AreTyped(rebuild.to().function(), operands)) return {};
      const ForeignNode node = ReadForeign(function.context(), function.instance(id));
      const SpanId span = function.span(id);
      const NodeProto* proto = span ? interface.FindNode(function.context().span(span).source) : nullptr;
      refusals.push_back({std::string(node.domain), std::string(node.op_type), WithNames(expansion.error, proto)});
      return {};
    });
  }
  return refusals;
}

}  // namespace onnx

namespace {

struct ExpandOnnxOptions {
  std::string when = "always";
  int64_t max_folded = int64_t{1} << 28;
  static constexpr auto Fields() {
    return std::array{
        Option<&ExpandOnnxOptions::when>("always, or smaller: only where the result is a single node at most",
                                         {.words = "always smaller"}),
        Option<&ExpandOnnxOptions::max_folded>("leave operators on constants whose result has more elements than this",
                                               {.min = 0})};
  }
};

struct ExpandOnnx {
  using Options = ExpandOnnxOptions;
  Options options;

  auto Run(const Module& module, GlobalId id, const Function& function, PassContext&) const
      -> Result<std::optional<Function>> {
    if (options.when == "smaller") return Smaller(module, id, function);
    const auto all = [](ExprId) { return true; };
    return onnx::ExpandCalls(function, all, options.max_folded);
  }

  // The branch of an If without a type may have one that calls after it do not accept.
  static auto Smaller(const Module& module, GlobalId id, const Function& function) -> std::optional<Function> {
    auto made = onnx::ExpandSmall(function, false);
    if (!made || !onnx::HasUntypedChoice(function)) return made;
    Module trial = module;
    trial.SetFunction(id, std::make_shared<Function>(*made));
    DiagnosticSink sink;
    return InferTypes(trial, sink) ? std::move(made) : onnx::ExpandSmall(function, true);
  }
};

}  // namespace

constinit const PassDef kExpandOnnxPass = DescribePass<ExpandOnnx>({
    .name = "ExpandOnnx",
    .opt_level = 0,
    .required = "InferType",
    .summary = "expresses ONNX's operators by Relay's",
    .details =
        R"(Replaces calls of ONNX's operators, which are in modules that were read with --onnx-keep, by what they stand for:

  onnx.HardSwish(%x)   =>   multiply(%x, divide(clip(add(%x, 3f), a_min=0f, a_max=6f), 6f))

With when=smaller a call is replaced only if a single operator, an operand or a constant takes its place, as that of a
Resize to the size that the tensor has.

Left alone: operators that Relay cannot express (custom ones, and those on texts or maps), and calls for which extents or
values have to be known that are not.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
