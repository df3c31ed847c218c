// Extents of foreign operators in terms of those of their operands, for SymbolicShapes: what types say too little
// about.
#include <algorithm>
#include <array>

#include "foreign.h"
#include "foreign_rules.h"
#include "lib/relay/analysis/shape_rules.h"

namespace relayopt::onnx {

namespace {

using Numbers = ShapeCall::Numbers;

// Operators whose first output has the shape of the first input.
constexpr auto kLikeFirst = std::to_array<std::string_view>({
    "BatchNormalization",
    "Bernoulli",
    "Celu",
    "Clip",
    "CumProd",
    "CumSum",
    "DequantizeLinear",
    "Dropout",
    "Elu",
    "EyeLike",
    "FastGelu",
    "Gelu",
    "GroupNormalization",
    "HardSigmoid",
    "HardSwish",
    "Hardmax",
    "InstanceNormalization",
    "LRN",
    "LayerNormalization",
    "LeakyRelu",
    "LogSoftmax",
    "LpNormalization",
    "MeanVarianceNormalization",
    "Mish",
    "PRelu",
    "QuantizeLinear",
    "QuickGelu",
    "RMSNormalization",
    "RandomNormalLike",
    "RandomUniformLike",
    "Relu",
    "ReverseSequence",
    "Round",
    "ScatterElements",
    "ScatterND",
    "Selu",
    "Shrink",
    "SimplifiedLayerNormalization",
    "SkipLayerNormalization",
    "Softmax",
    "Softplus",
    "Softsign",
    "SwiGLU",
    "Swish",
    "TensorScatter",
    "ThresholdedRelu",
    "Trilu",
});

// Operators whose first output has the batch of the first input, which comes first.
constexpr auto kOfBatch = std::to_array<std::string_view>({
    "AveragePool",
    "Conv",
    "ConvInteger",
    "ConvTranspose",
    "FusedConv",
    "GlobalAveragePool",
    "GlobalLpPool",
    "GlobalMaxPool",
    "LpPool",
    "MaxPool",
    "QLinearConv",
});

// The result of the call, or the first of several.
auto FirstResult(const ShapeCall& call) -> const Type* {
  const TypeId type = call.function().type(call.id());
  if (!type) return nullptr;
  const Context& context = call.context();
  return TensorType(context, context.type(type).is_tuple() ? context.type(type).args[0] : type);
}

auto BatchOfData(const ShapeCall& call) -> ShapeCall::Result {
  const Numbers* data = call.extents(0);
  const Type* type = FirstResult(call);
  if (data == nullptr || data->empty() || type == nullptr || type->rank() == 0) return std::nullopt;
  return BatchExtents(call.table(), data->front(), type->rank());
}

// All steps of a recurrent layer: length and batch are those of the data.
auto StepExtents(const ShapeCall& call, const ForeignNode& node) -> ShapeCall::Result {
  const Numbers* data = call.extents(0);
  const Type* type = FirstResult(call);
  if (data == nullptr || data->size() != 3 || type == nullptr || type->rank() != 4) return std::nullopt;
  const bool batch_is_first = std::ranges::any_of(
      node.attributes, [](const AttributeProto& attribute) { return attribute.name == "layout" && attribute.i != 0; });
  const ExtentId directions = call.table().Unknown();
  const ExtentId size = call.table().Unknown();
  if (batch_is_first) return Numbers{(*data)[0], (*data)[1], directions, size};
  return Numbers{(*data)[0], directions, (*data)[1], size};
}

auto MatMulExtents(const ShapeCall& call) -> ShapeCall::Result {
  const Numbers* a = call.extents(0);
  const Numbers* b = call.extents(1);
  if (a == nullptr || b == nullptr || a->size() < 2 || b->size() < 2) return std::nullopt;
  const Numbers left(a->begin(), a->end() - 2);
  const Numbers right(b->begin(), b->end() - 2);
  Numbers result = BroadcastExtents(call.table(), left, right);
  result.push_back((*a)[a->size() - 2]);
  result.push_back(b->back());
  return result;
}

auto GemmExtents(const ShapeCall& call, const ForeignNode& node) -> ShapeCall::Result {
  const Numbers* a = call.extents(0);
  const Numbers* b = call.extents(1);
  if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 2) return std::nullopt;
  const auto is_set = [&](std::string_view name) {
    return std::ranges::any_of(
        node.attributes, [&](const AttributeProto& attribute) { return attribute.name == name && attribute.i != 0; });
  };
  return Numbers{(*a)[is_set("transA") ? 1 : 0], (*b)[is_set("transB") ? 0 : 1]};
}

auto GatherExtents(const ShapeCall& call, const ForeignNode& node) -> ShapeCall::Result {
  const Numbers* data = call.extents(0);
  const Numbers* indices = call.extents(1);
  if (data == nullptr || indices == nullptr) return std::nullopt;
  int64_t axis = 0;
  for (const AttributeProto& attribute : node.attributes) {
    if (attribute.name == "axis") axis = attribute.i;
  }
  if (axis < 0) axis += static_cast<int64_t>(data->size());
  if (axis < 0 || axis >= static_cast<int64_t>(data->size())) return std::nullopt;
  Numbers result(data->begin(), data->begin() + axis);
  result.insert(result.end(), indices->begin(), indices->end());
  result.insert(result.end(), data->begin() + axis + 1, data->end());
  return result;
}

// Of slices from the first element on, without steps.
auto SliceExtents(const ShapeCall& call) -> ShapeCall::Result {
  const Numbers* data = call.extents(0);
  const auto starts = call.integers(1);
  const Numbers* ends = call.numbers(2);
  auto axes = call.integers(3);
  const auto steps = call.integers(4);
  if (data == nullptr || !starts || ends == nullptr || ends->size() != starts->size()) return std::nullopt;
  if (call.num_operands() > 3 && (!axes || axes->size() != starts->size())) return std::nullopt;
  if (call.num_operands() > 4 && (!steps || std::ranges::any_of(*steps, [](int64_t step) { return step != 1; })))
    return std::nullopt;
  if (std::ranges::any_of(*starts, [](int64_t start) { return start != 0; })) return std::nullopt;
  Numbers result = *data;
  for (size_t i = 0; i < ends->size(); ++i) {
    int64_t axis = axes ? (*axes)[i] : static_cast<int64_t>(i);
    if (axis < 0) axis += static_cast<int64_t>(data->size());
    if (axis < 0 || axis >= static_cast<int64_t>(data->size()) || !call.table().IsNeverNegative((*ends)[i]))
      return std::nullopt;
    ExtentId& extent = result[static_cast<size_t>(axis)];
    extent = call.table().Minimum(extent, (*ends)[i]);
  }
  return result;
}

auto ExpandExtents(const ShapeCall& call) -> ShapeCall::Result {
  const Numbers* data = call.extents(0);
  const Numbers* shape = call.numbers(1);
  if (data == nullptr || shape == nullptr) return std::nullopt;
  return BroadcastExtents(call.table(), *data, *shape);
}

auto FlattenExtents(const ShapeCall& call, const ForeignNode& node) -> ShapeCall::Result {
  const Numbers* data = call.extents(0);
  if (data == nullptr) return std::nullopt;
  const auto rank = static_cast<int64_t>(data->size());
  const AttributeProto* attribute = FindAttribute(node.attributes, "axis");
  int64_t axis = attribute == nullptr ? 1 : attribute->i;
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return std::nullopt;
  const auto cut = static_cast<size_t>(axis);
  return Numbers{ProductOf(call.table(), std::span(*data).first(cut)),
                 ProductOf(call.table(), std::span(*data).subspan(cut))};
}

// Samples of images at the places of a grid.
auto GridSampleExtents(const ShapeCall& call) -> ShapeCall::Result {
  const Numbers* data = call.extents(0);
  const Numbers* grid = call.extents(1);
  if (data == nullptr || grid == nullptr || data->size() < 3 || grid->size() != data->size()) return std::nullopt;
  Numbers result(data->begin(), data->begin() + 2);
  result.insert(result.end(), grid->begin() + 1, grid->end() - 1);
  return result;
}

}  // namespace

auto ExtentsOfForeign(const ShapeCall& call) -> ShapeCall::Result {
  const OpRow* row = RowOfOp(call.op());
  if (row == nullptr) return std::nullopt;
  if (std::ranges::find(kLikeFirst, row->name) != kLikeFirst.end()) {
    const Numbers* extents = call.extents(0);
    return extents == nullptr ? std::nullopt : ShapeCall::Result(*extents);
  }
  if (std::ranges::find(kOfBatch, row->name) != kOfBatch.end()) return BatchOfData(call);
  // This is the first of its three results.
  if (row->name == "DynamicQuantizeLinear" && call.extents(0) != nullptr) return *call.extents(0);
  if (row->name == "DynamicQuantizeMatMul" || row->name == "MatMulIntegerToFloat") return MatMulExtents(call);
  if (!row->domain.empty()) return std::nullopt;
  if (row->name == "MatMul" || row->name == "MatMulInteger") return MatMulExtents(call);
  if (row->name == "GatherElements" && call.extents(1) != nullptr) return *call.extents(1);
  if (row->name == "ConstantOfShape" && call.numbers(0) != nullptr) return *call.numbers(0);
  if (row->name == "Slice") return SliceExtents(call);
  if (row->name == "Expand") return ExpandExtents(call);
  if (row->name == "GridSample") return GridSampleExtents(call);
  if (row->name == "Tile") return TiledExtents(call);
  const auto node = [&] { return ReadForeign(call.function().context(), call.function().instance(call.id())); };
  if (IsRecurrent(*row)) return StepExtents(call, node());
  if (row->name == "Flatten") return FlattenExtents(call, node());
  if (row->name == "Gather") return GatherExtents(call, node());
  if (row->name == "Gemm") return GemmExtents(call, node());
  return std::nullopt;
}

auto AxisOfParts(const Function& function, ExprId call) -> std::optional<int64_t> {
  const OpRow* row = RowOfOp(function.op(call));
  if (row == nullptr || row->name != "Split" || !row->domain.empty()) return std::nullopt;
  const ForeignNode node = ReadForeign(function.context(), function.instance(call));
  const AttributeProto* axis = FindAttribute(node.attributes, "axis");
  return axis == nullptr ? 0 : axis->i;
}

}  // namespace relayopt::onnx
