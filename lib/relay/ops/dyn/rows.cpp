// Type rules of the operators whose shapes are computed: their results have unknown extents even where the operands are
// constants. Turning such calls into their static forms is a pass of its own.
#include "relayopt/relay/ops/dyn.h"

#include <algorithm>

#include "lib/relay/ops/operand_checks.h"
#include "relayopt/relay/ops/layout_shapes.h"
#include "relayopt/relay/ops/sparse_tensor.h"
#include "relayopt/support/counted.h"
#include "lib/relay/ops/rule_helpers.h"

namespace relayopt {

namespace {

// The result has as many axes as input `shape` has elements.
auto DoneWithShapeOperand(RuleContext& rule, size_t shape, DataType dtype) -> RuleStatus {
  const auto rank = StaticLength(rule, shape);
  if (!rank) return RuleStatus::kFailed;
  return DoneUnknownShape(rule, *rank, dtype);
}

auto ExpandDims(RuleContext& rule, const DynExpandDimsAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (const auto status = NeedRank(rule, 1, 0)) return *status;
  const Type& data = rule.type(0);
  if (attrs.num_newaxis < 0 || attrs.num_newaxis > kMaxOperandRank) {
    return rule.Error("dyn.expand_dims: num_newaxis must be between 0 and {}, found {}", kMaxOperandRank,
                      attrs.num_newaxis);
  }
  return DoneUnknownShape(rule, data.rank() + static_cast<size_t>(attrs.num_newaxis), data.dtype);
}

auto Full(RuleContext& rule, const InitOpAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (const auto status = NeedRank(rule, 0, 0)) return *status;
  return DoneWithShapeOperand(rule, 1, OutType(attrs.dtype, rule.type(0).dtype));
}

auto Init(RuleContext& rule, const InitOpAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  return DoneWithShapeOperand(rule, 0, attrs.dtype);
}

auto OneHot(RuleContext& rule, const OneHotAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Shape indices = rule.type(0).shape;
  const auto rank = static_cast<int64_t>(indices.size());
  const int64_t axis = attrs.axis == -1 ? rank : attrs.axis;
  if (axis < 0 || axis > rank) {
    return rule.Error("dyn.one_hot: axis must be -1 or between 0 and {}, found {}", rank, attrs.axis);
  }
  std::vector<Dim> shape(indices.begin(), indices.end());
  shape.insert(shape.begin() + axis, Dim::Any());
  return rule.Done(shape, attrs.dtype);
}

auto Squeeze(RuleContext& rule, const SqueezeAttrs&) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (const auto status = NeedRank(rule, 1, 1)) return *status;
  const auto count = StaticLength(rule, 1);
  if (!count) return RuleStatus::kFailed;
  const Type& data = rule.type(0);
  if (*count > data.rank()) {
    return rule.ErrorAt(1, "dyn.squeeze: axes names {}, data has shape {}", Counted(*count, "axis"),
                        ToString(data.shape));
  }
  return DoneUnknownShape(rule, data.rank() - *count, data.dtype);
}

auto StridedSlice(RuleContext& rule, const StridedSliceAttrs&) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Type& data = rule.type(0);
  const auto count = StaticLength(rule, 1);
  if (!count) return RuleStatus::kFailed;
  if (*count > data.rank()) {
    return rule.ErrorAt(1, "dyn.strided_slice: begin has {}, data has shape {}", Counted(*count, "element"),
                        ToString(data.shape));
  }
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  std::fill_n(shape.begin(), *count, Dim::Any());
  return rule.Done(shape, data.dtype);
}

auto Topk(RuleContext& rule, const TopkAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Shape k = rule.type(1).shape;
  if (!k.empty() && !(k.size() == 1 && k[0].is(1))) {
    return rule.ErrorAt(1, "dyn.topk: k must be a scalar or have shape (1), found shape {}", ToString(k));
  }
  return TopkResult(rule, attrs, Dim::Any());
}

// The data's shape with the axes of `layout` that `resized` names unknown; `canonical` is the layout that has them
// whole.
auto DoneResized(RuleContext& rule, std::string_view layout, std::string_view canonical, std::string_view resized,
                 DataType dtype) -> RuleStatus {
  auto shape = ConvertShape(rule, "data", layout, canonical, rule.type(0).shape);
  if (!shape) return RuleStatus::kFailed;
  for (const char axis : resized) (*shape)[canonical.find(axis)] = Dim::Any();
  const auto result = ConvertShape(rule, "the result", canonical, layout, *shape);
  if (!result) return RuleStatus::kFailed;
  return DoneShape(rule, *result, dtype);
}

auto Resize2D(RuleContext& rule, const Resize2DAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  return DoneResized(rule, attrs.layout, "NCHW", "HW", OutType(attrs.out_dtype, rule.type(0).dtype));
}

auto Upsampling(RuleContext& rule, const UpSamplingAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 3)) return *status;
  for (const size_t i : {1, 2}) {
    if (const auto status = NeedRank(rule, i, 0)) return *status;
  }
  return DoneResized(rule, attrs.layout, "NCHW", "HW", rule.type(0).dtype);
}

auto Upsampling3D(RuleContext& rule, const UpSampling3DAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  return DoneResized(rule, attrs.layout, "NCDHW", "DHW", rule.type(0).dtype);
}

// Data and the shape of the result.
auto DataAndShape(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  return DoneWithShapeOperand(rule, 1, rule.type(0).dtype);
}

}  // namespace

auto DynExpandDimsRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, ExpandDims); }
auto DynFullRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Full); }
auto DynInitRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Init); }
auto DynOneHotRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, OneHot); }
auto DynResize2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Resize2D); }
auto DynSqueezeRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Squeeze); }
auto DynStridedSliceRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, StridedSlice); }
auto DynTopkRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Topk); }
auto DynUpsamplingRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Upsampling); }
auto DynUpsampling3DRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Upsampling3D); }
auto DynBroadcastToRule(RuleContext& rule) -> RuleStatus { return DataAndShape(rule); }
auto DynReshapeRule(RuleContext& rule) -> RuleStatus { return DataAndShape(rule); }

auto DynPadRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Type& data = rule.type(0);
  if (data.shape.empty()) return rule.ErrorAt(0, "dyn.nn.pad: data must have an axis, found a scalar");
  if (const auto status = NeedRank(rule, 1, 2)) return *status;
  return DoneUnknownShape(rule, data.rank(), data.dtype);
}

auto DynSparseToDenseRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = CheckSparseEntries(rule)) return *status;
  if (const auto status = rule.NeedTensors(3, 4)) return *status;
  return DoneWithShapeOperand(rule, 3, rule.type(1).dtype);
}

auto DynTileRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Type& data = rule.type(0);
  const auto length = StaticLength(rule, 1);
  if (!length) return RuleStatus::kFailed;
  return DoneUnknownShape(rule, std::max(data.rank(), *length), data.dtype);
}

}  // namespace relayopt
