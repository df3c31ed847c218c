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
    "Celu",
    "CumSum",
    "DequantizeLinear",
    "Dropout",
    "Elu",
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
    "QuantizeLinear",
    "QuickGelu",
    "RMSNormalization",
    "RandomNormalLike",
    "RandomUniformLike",
    "Relu",
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
    "Swish",
    "ThresholdedRelu",
    "Trilu",
});

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

}  // namespace

auto ExtentsOfForeign(const ShapeCall& call) -> ShapeCall::Result {
  const OpRow* row = RowOfOp(call.op());
  if (row == nullptr) return std::nullopt;
  if (std::ranges::find(kLikeFirst, row->name) != kLikeFirst.end()) {
    const Numbers* extents = call.extents(0);
    return extents == nullptr ? std::nullopt : ShapeCall::Result(*extents);
  }
  if (!row->domain.empty()) return std::nullopt;
  if (row->name == "MatMul") return MatMulExtents(call);
  if (row->name == "Gather")
    return GatherExtents(call, ReadForeign(call.function().context(), call.function().instance(call.id())));
  return std::nullopt;
}

}  // namespace relayopt::onnx
