// Operators whose shapes or counts are given by tensors instead of attributes.
#pragma once

#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/kernels_dyn.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct DynExpandDimsAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DynExpandDimsAttrs";
  int64_t num_newaxis = 1;
  static constexpr auto Fields() {
    return std::array{Field<&DynExpandDimsAttrs::num_newaxis>("num_newaxis", "how many axes to insert")};
  }
};

auto DynBroadcastToRule(RuleContext& rule) -> RuleStatus;
auto DynExpandDimsRule(RuleContext& rule) -> RuleStatus;
auto DynFullRule(RuleContext& rule) -> RuleStatus;
auto DynInitRule(RuleContext& rule) -> RuleStatus;
auto DynOneHotRule(RuleContext& rule) -> RuleStatus;
auto DynPadRule(RuleContext& rule) -> RuleStatus;
auto DynReshapeRule(RuleContext& rule) -> RuleStatus;
auto DynResize2DRule(RuleContext& rule) -> RuleStatus;
auto DynSparseToDenseRule(RuleContext& rule) -> RuleStatus;
auto DynSqueezeRule(RuleContext& rule) -> RuleStatus;
auto DynStridedSliceRule(RuleContext& rule) -> RuleStatus;
auto DynTileRule(RuleContext& rule) -> RuleStatus;
auto DynTopkRule(RuleContext& rule) -> RuleStatus;
auto DynUpsamplingRule(RuleContext& rule) -> RuleStatus;
auto DynUpsampling3DRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kDynOps[] = {
    {.name = "dyn.broadcast_to",
     .inputs = "data, shape",
     .attrs = &kSchema<InitOpAttrs>,
     .type = DynBroadcastToRule,
     .kernel = DynBroadcastToKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "d",
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
     .doc = "ones of a computed shape"},
    {.name = "dyn.reshape",
     .inputs = "data, newshape",
     .attrs = &kSchema<ReshapeAttrs>,
     .type = DynReshapeRule,
     .kernel = DynReshapeKernel,
     .fusion = Fusion::kInjective,
     .reshape_only = true,
     .shape_function = "sd",
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
     .doc = "topk with a computed number of elements"},
    {.name = "dyn.zeros",
     .inputs = "shape",
     .attrs = &kSchema<InitOpAttrs>,
     .type = DynInitRule,
     .kernel = DynZerosKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "d",
     .doc = "zeros of a computed shape"},
};

}  // namespace relayopt
