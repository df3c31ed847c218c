// A node remains a node in another version when it means the same there; graphs inside of it are written in the other
// version (inner_models.h). Other nodes are expanded.
#include "versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "inner_models.h"
#include "lib/convert/lower/prepare.h"
#include "lib/convert/onnx/emitter.h"
#include "lib/convert/onnx/foreign.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/module/functions.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt::onnx::out {

namespace {

// With which types nodes of newer versions are valid in an older one.
enum class Downward : uint8_t {
  kNone,
  // Floats, bool, and integers of 32 and 64 bits. Types that are not known are taken for one of these.
  kPlain,
  kEach,
};

// An operator whose nodes mean the same in each version from `first` to kNewestOpset.
struct LastingOp {
  std::string_view op_type;
  int64_t first = 0;
  // The types with which nodes of newer versions are valid in `first`, too.
  Downward downward = Downward::kNone;
  // Attributes, parted by blanks, that came with the version `since`. Before it, they are left out if they have the
  // default value, and with another one the node has no form.
  std::string_view later_attributes = {};
  int64_t since = 0;
};
constexpr auto kLastingOps = std::to_array<LastingOp>({
    {"Abs", 6, Downward::kPlain},
    {"Add", 7, Downward::kPlain},
    {"And", 7, Downward::kPlain},
    {"ArgMax", 12, Downward::kPlain},
    {"ArgMin", 12, Downward::kPlain},
    {"BatchNormalization", 14},
    {"Cast", 9, Downward::kPlain, "saturate round_mode", 19},
    {"CastLike", 15},
    {"Ceil", 6, Downward::kPlain},
    {"Clip", 11},
    {"Compress", 9},
    {"Concat", 11, Downward::kPlain},
    {"Constant", 12, Downward::kPlain},
    {"ConstantOfShape", 9, Downward::kPlain},
    {"Conv", 11, Downward::kPlain},
    {"ConvInteger", 10},
    {"ConvTranspose", 11, Downward::kPlain},
    {"CumSum", 14, Downward::kEach},
    {"DeformConv", 19},
    {"DepthToSpace", 11, Downward::kPlain},
    {"DequantizeLinear", 10},
    {"Det", 11},
    {"Div", 7, Downward::kPlain},
    {"Dropout", 12},
    {"Einsum", 12, Downward::kPlain},
    {"Elu", 6, Downward::kPlain},
    {"Equal", 11, Downward::kPlain},
    {"Erf", 9, Downward::kPlain},
    {"Exp", 6, Downward::kPlain},
    {"Expand", 8, Downward::kPlain},
    {"EyeLike", 9},
    {"Flatten", 11, Downward::kPlain},
    {"Floor", 6, Downward::kPlain},
    {"GRU", 7, Downward::kEach, "layout", 14},
    {"Gather", 11, Downward::kPlain},
    {"GatherElements", 11},
    {"GatherND", 11},
    {"Gemm", 11, Downward::kPlain},
    {"GlobalAveragePool", 1, Downward::kPlain},
    {"GlobalMaxPool", 1, Downward::kPlain},
    {"Greater", 9, Downward::kPlain},
    {"GreaterOrEqual", 12, Downward::kPlain},
    {"Hardmax", 13},
    {"Identity", 1, Downward::kPlain},
    {"ImageDecoder", 20},
    {"InstanceNormalization", 6},
    {"IsNaN", 9, Downward::kPlain},
    {"LRN", 1},
    {"LSTM", 7, Downward::kEach, "layout", 14},
    {"LeakyRelu", 6, Downward::kPlain},
    {"Less", 9, Downward::kPlain},
    {"LessOrEqual", 12, Downward::kPlain},
    {"Log", 6, Downward::kPlain},
    {"LogSoftmax", 13, Downward::kPlain},
    {"LpNormalization", 1},
    {"MatMul", 9, Downward::kPlain},
    {"Max", 12, Downward::kPlain},
    {"MaxPool", 8},
    {"Mean", 8, Downward::kPlain},
    {"MeanVarianceNormalization", 9},
    {"Min", 12, Downward::kPlain},
    {"Mod", 10},
    {"Mul", 7, Downward::kPlain},
    {"Multinomial", 7},
    {"Neg", 6, Downward::kPlain},
    {"NegativeLogLikelihoodLoss", 12},
    {"NonMaxSuppression", 10, Downward::kEach},
    {"NonZero", 9},
    {"Not", 1, Downward::kPlain},
    {"OneHot", 9},
    {"Or", 7, Downward::kPlain},
    {"PRelu", 9, Downward::kPlain},
    {"Pad", 11},
    {"Pow", 12, Downward::kPlain},
    {"QLinearMatMul", 10},
    {"QuantizeLinear", 10},
    {"RNN", 7, Downward::kEach, "layout", 14},
    {"RandomNormal", 1},
    {"RandomNormalLike", 1},
    {"RandomUniform", 1},
    {"RandomUniformLike", 1},
    {"Range", 11, Downward::kPlain},
    {"Reciprocal", 6, Downward::kPlain},
    {"ReduceL1", 18},
    {"ReduceL2", 18},
    {"ReduceLogSum", 18},
    {"ReduceLogSumExp", 18},
    {"ReduceMax", 18},
    {"ReduceMean", 18},
    {"ReduceMin", 18},
    {"ReduceProd", 18},
    {"ReduceSum", 13, Downward::kPlain},
    {"ReduceSumSquare", 18},
    {"RegexFullMatch", 20},
    {"Relu", 6, Downward::kPlain},
    {"Reshape", 5, Downward::kEach, "allowzero", 14},
    {"Resize", 13, Downward::kEach, "antialias axes keep_aspect_ratio_policy coordinate_transformation_mode", 18},
    {"RoiAlign", 16},
    {"Round", 11, Downward::kPlain},
    {"ScatterElements", 11, Downward::kEach, "reduction", 16},
    {"ScatterND", 11, Downward::kEach, "reduction", 16},
    {"Shape", 1, Downward::kPlain, "start end", 15},
    {"Sigmoid", 6, Downward::kPlain},
    {"Sign", 9, Downward::kPlain},
    {"Size", 1, Downward::kPlain},
    {"Slice", 10, Downward::kPlain},
    {"Softmax", 13, Downward::kPlain},
    {"SoftmaxCrossEntropyLoss", 12},
    {"Softplus", 1, Downward::kPlain},
    {"SpaceToDepth", 1, Downward::kPlain},
    {"Split", 18},
    {"Sqrt", 6, Downward::kPlain},
    {"Squeeze", 13, Downward::kPlain},
    {"StringConcat", 20},
    {"StringNormalizer", 10},
    {"StringSplit", 20},
    {"Sub", 7, Downward::kPlain},
    {"Sum", 8, Downward::kPlain},
    {"Tanh", 6, Downward::kPlain},
    {"Tile", 6, Downward::kPlain},
    {"TopK", 11},
    {"Transpose", 1, Downward::kPlain},
    {"Trilu", 14, Downward::kPlain},
    {"Unsqueeze", 13, Downward::kPlain},
    {"Where", 9, Downward::kPlain},
    {"Xor", 7, Downward::kPlain},
});

auto FindLastingOp(std::string_view op_type) -> const LastingOp* {
  const auto* const op = std::ranges::find(kLastingOps, op_type, &LastingOp::op_type);
  return op == kLastingOps.end() ? nullptr : op;
}

// Whether the attribute came after this version.
auto IsLater(const LastingOp& op, const AttributeProto& attribute, int64_t opset) -> bool {
  if (opset >= op.since) return false;
  const std::vector<std::string_view> later = SplitText(op.later_attributes, ' ');
  return std::ranges::find(later, attribute.name) != later.end();
}

auto HasDefault(const OpRow& row, const AttributeProto& attribute) -> bool {
  const auto declared = FindAttribute(row, attribute.name);
  if (!declared || declared->default_text.empty()) return false;
  if (attribute.type == AttributeType::kInt) return declared->default_text == fmt::to_string(attribute.i);
  return attribute.type == AttributeType::kString && declared->default_text == attribute.s;
}

auto IsPlain(const Function& function, ExprId id) -> bool {
  const TypeId type = function.type(id);
  if (!type || !function.context().type(type).is_tensor()) return true;
  const DataType dtype = function.context().type(type).dtype;
  const bool is_number = dtype.code == TypeCode::kFloat || ((dtype.is_int() || dtype.is_uint()) && dtype.bits >= 32);
  return dtype == kHandle || dtype.is_bool() || is_number;
}

// Whether the node, of version `from`, means in version `to` what it means in its own.
auto IsLasting(const Function& function, ExprId id, const ForeignNode& node, int64_t from, int64_t to) -> bool {
  const LastingOp* op = FindLastingOp(node.op_type);
  if (op == nullptr || std::min(from, to) < op->first) return false;
  if (from < to) return true;
  if (op->downward == Downward::kNone || (op->downward == Downward::kPlain && !IsPlain(function, id))) return false;
  return std::ranges::none_of(node.attributes, [&](const AttributeProto& attribute) {
    return IsLater(*op, attribute, to) && !HasDefault(*node.row, attribute);
  });
}

auto HasGraphs(const ForeignNode& node) -> bool {
  return std::ranges::any_of(node.attributes,
                             [](const AttributeProto& attribute) { return attribute.graph != nullptr; });
}

// Whether a call of a foreign operator has another meaning in this version of the operator set, or none.
auto IsOfOtherVersion(const Function& function, ExprId id, const ForeignNode& node, int64_t opset) -> bool {
  if (!node.domain.empty()) return false;
  // A node of the version that the model has is what its author wrote, though the operator may have come later:
  // onnxruntime has LayerNormalization in all versions.
  if (node.version == opset) return false;
  if (HasGraphs(node)) return true;
  // Of operators that are not imported only the name is known.
  if (node.row == nullptr) {
    const LastingOp* op = FindLastingOp(node.op_type);
    return op == nullptr || std::min(node.version, opset) < op->first;
  }
  if (opset < FirstVersion(*node.row)) return true;
  const int64_t from = RowVersion(*node.row, node.version);
  const int64_t to = RowVersion(*node.row, opset);
  return from != to && !IsLasting(function, id, node, from, to);
}

// Emits a node with graphs in another version; nothing if that is not possible. If, Loop and Scan mean the same in all
// versions but the first of Scan, which has an axis for a batch.
auto WithGraphsOf(Rebuild& rebuild, ExprId id, const ForeignNode& node, int64_t opset) -> ExprId {
  constexpr int64_t kFirst = 9;
  const bool is_lasting = node.op_type != "Scan" || (node.version >= kFirst && opset >= kFirst);
  if (opset < FirstVersion(*node.row) || !is_lasting) return {};
  return RewriteInnerModels(rebuild, id, {.change = {}, .opset = opset});
}

// Emits the call `id` with other attributes and operands.
auto EmitChanged(Rebuild& rebuild, ExprId id, const ForeignNode& node, std::vector<AttributeProto> attributes,
                 std::span<const ExprId> operands, int64_t opset) -> ExprId {
  NodeProto changed = ProtoOf(node);
  changed.attributes = std::move(attributes);
  ForeignParts parts = PartsOf(node);
  parts.version = opset;
  Context& context = rebuild.to().context();
  const auto instance = InternOpInstance(context, MakeForeign(context, changed, parts));
  const ExprId made = rebuild.to().OpCall(instance, operands);
  rebuild.to().SetType(made, rebuild.from().type(id));
  return made;
}

// Emits a node without attributes that the version lacks; nothing if it has none of them, or with other values than the
// default.
auto WithoutLater(Rebuild& rebuild, ExprId id, const ForeignNode& node, int64_t opset) -> ExprId {
  const LastingOp* op = FindLastingOp(node.op_type);
  if (op == nullptr || opset >= node.version || IsOfOtherVersion(rebuild.from(), id, node, opset)) return {};
  std::vector<AttributeProto> kept;
  std::ranges::copy_if(node.attributes, std::back_inserter(kept),
                       [&](const AttributeProto& attribute) { return !IsLater(*op, attribute, opset); });
  if (kept.size() == node.attributes.size()) return {};
  return EmitChanged(rebuild, id, node, std::move(kept), rebuild.NewOperands(id), opset);
}

// Returns the version in which the axes of an operator became an input, or nothing if they did not.
auto AxesMoved(std::string_view op_type) -> std::optional<int64_t> {
  if (op_type == "Squeeze" || op_type == "Unsqueeze" || op_type == "ReduceSum") return 13;
  return op_type.starts_with("Reduce") ? std::optional<int64_t>(18) : std::nullopt;
}

constexpr std::string_view kAxes = "axes";

// Makes the axes that are an operand an attribute. Returns false if they are computed, or reduce nothing when they are
// left out.
auto AxesToAttribute(Emitter& em, std::vector<ExprId>& operands, std::vector<AttributeProto>& attributes) -> bool {
  const auto noop = std::ranges::find(attributes, "noop_with_empty_axes", &AttributeProto::name);
  if (noop != attributes.end()) {
    if (noop->i != 0) return false;
    attributes.erase(noop);
  }
  if (operands.size() < 2) return true;
  const Function& function = em.to().function();
  const ExprId given = operands[1];
  const auto axes = em.IntsOf(given);
  const bool is_none = function.kind(given) == ExprKind::kOpCall && function.op(given) == NoneOp();
  if (!axes && !is_none) return false;
  operands.pop_back();
  if (!axes || axes->empty()) return true;
  AttributeProto& attribute = attributes.emplace_back();
  attribute.name = kAxes;
  attribute.type = AttributeType::kInts;
  attribute.ints.assign(axes->begin(), axes->end());
  return true;
}

// Makes the axes that are an attribute an operand. Returns false if there are none.
auto AxesToOperand(Emitter& em, std::vector<ExprId>& operands, std::vector<AttributeProto>& attributes) -> bool {
  const auto axes = std::ranges::find(attributes, kAxes, &AttributeProto::name);
  if (axes == attributes.end()) return false;
  operands.push_back(em.Vector(axes->ints));
  attributes.erase(axes);
  return true;
}

// Emits a node with its axes as an input instead of an attribute, or the other way round; nothing if they stay what
// they are, or are computed.
auto WithMovedAxes(Rebuild& rebuild, ExprId id, const ForeignNode& node, int64_t opset) -> ExprId {
  // The first version with negative axes.
  constexpr int64_t kFirst = 11;
  const auto moved = AxesMoved(node.op_type);
  if (!moved || std::min(node.version, opset) < kFirst || (node.version < *moved) == (opset < *moved)) return {};
  const auto made = rebuild.NewOperands(id);
  std::vector<ExprId> operands(made.begin(), made.end());
  std::vector<AttributeProto> attributes = node.attributes;
  Emitter em(rebuild.to());
  const bool has_moved =
      opset < *moved ? AxesToAttribute(em, operands, attributes) : AxesToOperand(em, operands, attributes);
  return has_moved ? EmitChanged(rebuild, id, node, std::move(attributes), operands, opset) : ExprId();
}

// Returns the function with nodes that remain nodes in this version.
auto Converted(const Function& function, int64_t opset) -> std::optional<Function> {
  return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
    if (function.kind(id) != ExprKind::kOpCall || !IsNodeOp(function.op(id))) return {};
    const ForeignNode node = ReadForeign(function.context(), function.instance(id));
    const bool has_row = node.error.empty() && node.domain.empty() && node.row != nullptr;
    if (!has_row || node.version == opset) return {};
    if (HasGraphs(node)) return WithGraphsOf(rebuild, id, node, opset);
    if (const ExprId changed = WithMovedAxes(rebuild, id, node, opset)) return changed;
    return WithoutLater(rebuild, id, node, opset);
  });
}

}  // namespace

auto InVersion(const Module& module, int64_t opset) -> Result<Module> {
  const auto converted = RewriteFunctions<Function>(
      module, [&](GlobalId, const Function& function) { return Converted(function, opset); });
  const Module& nodes = converted ? *converted : module;
  const auto expanded = RewriteFunctions<Function>(nodes, [&](GlobalId, const Function& function) {
    return ExpandCalls(function, [&](ExprId call) {
      return IsOfOtherVersion(function, call, ReadForeign(function.context(), function.instance(call)), opset);
    });
  });
  return expanded ? PrepareFor(*expanded, "InferType," + std::string(OnnxPipeline())) : Result<Module>(nodes);
}

namespace {

// Returns the version next to `opset` in which the node means what it does in its own.
auto NextVersion(const Function& function, ExprId id, const ForeignNode& node, int64_t opset) -> int64_t {
  const int64_t step = opset < node.version ? 1 : -1;
  int64_t next = opset;
  while (next != node.version && IsOfOtherVersion(function, id, node, next)) next += step;
  return next;
}

}  // namespace

auto NodeOfOtherVersion(const Module& module, int64_t opset) -> std::optional<OtherVersion> {
  for (const GlobalId global : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(global);
    for (const ExprId id : function.ids()) {
      if (function.kind(id) != ExprKind::kOpCall || !IsNodeOp(function.op(id))) continue;
      const ForeignNode node = ReadForeign(function.context(), function.instance(id));
      if (!IsOfOtherVersion(function, id, node, opset)) continue;
      return OtherVersion{std::string(node.op_type), NextVersion(function, id, node, opset)};
    }
  }
  return std::nullopt;
}

}  // namespace relayopt::onnx::out
