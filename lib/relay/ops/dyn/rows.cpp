// Type rules and rows of the operators whose shapes are computed: their results have unknown extents even where the
// operands are constants. Turning such calls into their static forms is a pass of its own.
#include "relayopt/relay/ops/dyn.h"

#include <algorithm>

#include "lib/relay/ops/operand_checks.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/layout_shapes.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/sparse_tensor.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/support/plural.h"

namespace relayopt {

KernelFunction DynBroadcastToKernel, DynExpandDimsKernel, DynFullKernel, DynOneHotKernel, DynOnesKernel, DynPadKernel,
    DynReshapeKernel, DynResize2DKernel, DynSparseToDenseKernel, DynSqueezeKernel, DynStridedSliceKernel, DynTileKernel,
    DynTopkKernel, DynUpSampling3DKernel, DynUpSamplingKernel, DynZerosKernel;

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

// Returns the data's shape with the axes of `layout` that `resized` names made unknown; `canonical` is the layout in
// which none of them is split.
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

// Inputs: the data, and the shape of the result.
auto DataAndShape(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  return DoneWithShapeOperand(rule, 1, rule.type(0).dtype);
}

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

}  // namespace

constinit const OpRows<OpFamily::kDyn> kDynOps = NumberedRows<OpFamily::kDyn>({
    {.name = "dyn.broadcast_to",
     .inputs = "data, shape",
     .attrs = &kSchema<InitOpAttrs>,
     .type = DynBroadcastToRule,
     .kernel = DynBroadcastToKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "d",
     .element_types = "*x",
     .precision = Precision::kFollow,
     .doc = "broadcasts to a computed shape"},
    {.name = "dyn.expand_dims",
     .inputs = "data, axis",
     .attrs = &kSchema<DynExpandDimsAttrs>,
     .type = DynExpandDimsRule,
     .kernel = DynExpandDimsKernel,
     .fusion = Fusion::kInjective,
     .attrs_undeclared = true,
     .shape_function = "dd",
     .element_types = "*x",
     .doc = "inserts axes of extent 1 at a computed position"},
    {.name = "dyn.full",
     .inputs = "fill_value, shape",
     .attrs = &kSchema<InitOpAttrs>,
     .type = DynFullRule,
     .kernel = DynFullKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "d",
     .precision = Precision::kFollow,
     .doc = "a scalar repeated to a computed shape"},
    {.name = "dyn.image.resize2d",
     .inputs = "data, size, roi",
     .attrs = &kSchema<Resize2DAttrs>,
     .type = DynResize2DRule,
     .kernel = DynResize2DKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "d",
     .doc = "resizes along height and width to a computed size"},
    {.name = "dyn.nn.pad",
     .inputs = "data, pad_width, pad_val",
     .attrs = &kSchema<PadAttrs>,
     .type = DynPadRule,
     .kernel = DynPadKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "d",
     .doc = "pads by computed widths"},
    {.name = "dyn.nn.upsampling",
     .inputs = "data, scale_h, scale_w",
     .attrs = &kSchema<UpSamplingAttrs>,
     .type = DynUpsamplingRule,
     .kernel = DynUpSamplingKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "d",
     .layout = UpsamplingLayout,
     .doc = "enlarges along height and width by computed factors"},
    {.name = "dyn.nn.upsampling3d",
     .inputs = "data, scale_d, scale_h, scale_w",
     .attrs = &kSchema<UpSampling3DAttrs>,
     .type = DynUpsampling3DRule,
     .kernel = DynUpSampling3DKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "d",
     .layout = UpsamplingLayout,
     .doc = "enlarges along depth, height and width by computed factors"},
    {.name = "dyn.one_hot",
     .inputs = "indices, on_value, off_value, depth",
     .attrs = &kSchema<OneHotAttrs>,
     .type = DynOneHotRule,
     .kernel = DynOneHotKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .shape_function = "d",
     .doc = "one_hot with a computed depth"},
    {.name = "dyn.ones",
     .inputs = "shape",
     .attrs = &kSchema<InitOpAttrs>,
     .type = DynInitRule,
     .kernel = DynOnesKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "d",
     .element_types = "x",
     .doc = "ones of a computed shape"},
    {.name = "dyn.reshape",
     .inputs = "data, newshape",
     .attrs = &kSchema<ReshapeAttrs>,
     .type = DynReshapeRule,
     .kernel = DynReshapeKernel,
     .fusion = Fusion::kInjective,
     .reshape_only = true,
     .shape_function = "sd",
     .element_types = "*x",
     .precision = Precision::kFollow,
     .doc = "a computed shape for the same elements in the same order"},
    {.name = "dyn.sparse_to_dense",
     .inputs = "sparse_indices, sparse_values, default_value, output_shape",
     .type = DynSparseToDenseRule,
     .kernel = DynSparseToDenseKernel,
     .fusion = Fusion::kOpaque,
     .shape_function = "d",
     .layout = ElementwiseLayout,
     .doc = "sparse_to_dense with a computed shape"},
    {.name = "dyn.squeeze",
     .inputs = "data, axes",
     .attrs = &kSchema<SqueezeAttrs>,
     .type = DynSqueezeRule,
     .kernel = DynSqueezeKernel,
     .fusion = Fusion::kInjective,
     .reshape_only = true,
     .shape_function = "sd",
     .doc = "drops computed axes of extent 1"},
    {.name = "dyn.strided_slice",
     .inputs = "data, begin, end, strides",
     .attrs = &kSchema<StridedSliceAttrs>,
     .type = DynStridedSliceRule,
     .kernel = DynStridedSliceKernel,
     .fusion = Fusion::kInjective,
     .variable_dimensions = true,
     .shape_function = "sddd",
     .precision = Precision::kFollow,
     .doc = "strided_slice with computed bounds"},
    {.name = "dyn.tile",
     .inputs = "data, reps",
     .attrs = &kSchema<TileAttrs>,
     .type = DynTileRule,
     .kernel = DynTileKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "d",
     .precision = Precision::kFollow,
     .doc = "repeats the whole data as often as computed"},
    {.name = "dyn.topk",
     .inputs = "data, k",
     .attrs = &kSchema<TopkAttrs>,
     .type = DynTopkRule,
     .kernel = DynTopkKernel,
     .fusion = Fusion::kOpaque,
     .shape_function = "d",
     .element_types = "*x",
     .doc = "topk with a computed number of elements"},
    {.name = "dyn.zeros",
     .inputs = "shape",
     .attrs = &kSchema<InitOpAttrs>,
     .type = DynInitRule,
     .kernel = DynZerosKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "d",
     .element_types = "x",
     .doc = "zeros of a computed shape"},
});

}  // namespace relayopt
