// Type rules and rows of packed, transformed, deformable and backward convolutions.
#include "relayopt/relay/ops/nn_conv_variants.h"

#include "lib/relay/ops/nn_conv/conv_spec.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction Conv2DBackwardWeightKernel, Conv2DGemmKernel, Conv2DKernel, Conv2DWinogradKernel,
    Conv2DWinogradWeightTransformKernel, Conv3DWinogradKernel, Conv3DWinogradWeightTransformKernel,
    ConvGemmWeightTransformKernel, Conv2DPackedKernel, DeformableConv2DKernel;

namespace {

// Returns a convolution whose weight is not examined: the attributes give channels and kernel size.
auto ConvolveUnseen(RuleContext& rule, const ConvSpec& spec) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (!CheckConvSpec(rule, spec)) return RuleStatus::kFailed;
  const auto data = ConvertShape(rule, "data", spec.data_layout, CanonicalDataLayout(spec.spatial), rule.type(0).shape);
  if (!data) return RuleStatus::kFailed;
  const auto weight_layout = ParseLayout(rule, "weight", spec.kernel_layout);
  if (!weight_layout) return RuleStatus::kFailed;
  const std::string_view canonical = CanonicalKernelLayout(spec.spatial);
  if (!weight_layout->ConvertibleTo(*Layout::Parse(canonical))) {
    return rule.Error("{}: weight cannot be converted from layout {} to {}", rule.op().name, spec.kernel_layout,
                      canonical);
  }
  const auto kernel = KernelFromAttrs(rule, spec);
  if (!kernel) return RuleStatus::kFailed;
  const auto shape = ConvResult(rule, spec, *data, *kernel, Rounding::kTowardZero, true);
  if (!shape) return RuleStatus::kFailed;
  return DoneConv(rule, spec, *shape, rule.type(0).dtype);
}

template <typename A, size_t kSpatial>
auto Unseen(RuleContext& rule, const A& attrs) -> RuleStatus {
  return ConvolveUnseen(rule, SpecOf(attrs, kSpatial));
}

// The extents of a weight after Winograd's transform of the axes from `first` on: tile + kernel - 1 each.
void AppendTiles(Context& context, Shape kernel, int64_t tile_size, std::vector<Dim>& shape) {
  for (const Dim& extent : kernel) shape.push_back(Sub(context, Add(context, tile_size, extent), 1));
}

auto Winograd2DWeight(RuleContext& rule, const ConvWinogradWeightTransformAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (const auto status = NeedRank(rule, 0, 4)) return *status;
  const Type& weight = rule.type(0);
  std::vector<Dim> shape;
  AppendTiles(rule.context(), weight.shape.subspan(2), attrs.tile_size, shape);
  shape.insert(shape.end(), {weight.shape[0], weight.shape[1]});
  return DoneShape(rule, shape, weight.dtype);
}

auto Winograd3DWeight(RuleContext& rule, const ConvWinogradWeightTransformAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (const auto status = NeedRank(rule, 0, 5)) return *status;
  const Type& weight = rule.type(0);
  const Dim& depth = weight.shape[2];
  if (!depth.is_int()) {
    return rule.ErrorAt(0, "{}: the depth of the weight must be a constant, found {}", rule.op().name, ToString(depth));
  }
  std::vector<Dim> shape;
  // Only for these kernels is the depth transformed, too.
  const bool cubic = depth.value() > 2 && depth.value() < 8;
  AppendTiles(rule.context(), weight.shape.subspan(cubic ? 2 : 3), attrs.tile_size, shape);
  if (!cubic) shape.push_back(depth);
  shape.insert(shape.end(), {weight.shape[0], weight.shape[1]});
  return DoneShape(rule, shape, weight.dtype);
}

auto NnpackWeight(RuleContext& rule, const Conv2DWinogradNNPACKWeightTransformAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (const auto status = NeedRank(rule, 0, 4)) return *status;
  const Type& weight = rule.type(0);
  return DoneShape(rule, std::array<Dim, 4>{weight.shape[0], weight.shape[1], 8, 8},
                   OutType(attrs.out_dtype, weight.dtype));
}

// Number of tiles of `tile` elements that hold `extent` elements padded to a multiple of `pad`.
auto TileCount(Context& context, const Dim& extent, const Dim& pad, const Dim& tile) -> Dim {
  if (!extent.is_int()) return extent.is_null() ? extent : Dim::Any();
  const Dim blocks = FloorDiv(context, Sub(context, Add(context, extent, pad), 1), pad);
  return FloorDiv(context, Mul(context, blocks, pad), tile);
}

auto GemmWeight(RuleContext& rule, const ConvGemmWeightTransformAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (const auto status = NeedRank(rule, 0, 4)) return *status;
  if (!NeedPositive(rule, "tile_N", attrs.tile_N) || !NeedPositive(rule, "tile_K", attrs.tile_K)) {
    return RuleStatus::kFailed;
  }
  Context& context = rule.context();
  const Type& weight = rule.type(0);
  const Dim depth = Mul(context, Mul(context, weight.shape[0], weight.shape[1]), weight.shape[2]);
  const Dim columns = TileCount(context, weight.shape[3], attrs.tile_N, attrs.tile_N);
  const Dim rows = TileCount(context, depth, Mul(context, attrs.tile_K, 4), attrs.tile_K);
  const bool bytes = weight.dtype.bits == 8 && (weight.dtype.is_int() || weight.dtype.is_uint());
  const Dim first = bytes ? attrs.tile_N : attrs.tile_K;
  const Dim second = bytes ? attrs.tile_K : attrs.tile_N;
  return DoneShape(rule, std::array{columns, rows, first, second}, weight.dtype);
}

// Infers the weight's type of a deformable convolution from the attributes, or the attributes from the weight.
auto DeformableKernel(RuleContext& rule, const ConvSpec& spec, Shape data, ConvKernel& kernel)
    -> std::optional<RuleStatus> {
  Context& context = rule.context();
  const Dim in = FloorDiv(context, data[1], spec.groups);
  const std::string_view canonical = CanonicalKernelLayout(2);
  if (!spec.channels.is_null() && !spec.kernel_size.null) {
    auto from_attrs = KernelFromAttrs(rule, spec);
    if (!from_attrs) return RuleStatus::kFailed;
    kernel = *std::move(from_attrs);
    const std::array learnt = {kernel.channels, in, kernel.extents[0], kernel.extents[1]};
    if (const auto status = CheckExtents(rule, learnt)) return status;
    const auto shape = ConvertShape(rule, "weight", canonical, spec.kernel_layout, learnt);
    if (!shape || !AssignShape(rule, 2, *shape, rule.type(0).dtype)) return RuleStatus::kFailed;
    return std::nullopt;
  }
  if (const auto status = rule.NeedTensors(2, 3)) return status;
  const auto weight = ConvertShape(rule, "weight", spec.kernel_layout, canonical, rule.type(2).shape);
  if (!weight || !CheckKernelSize(rule, spec, *weight, 2)) return RuleStatus::kFailed;
  if (!spec.channels.is_null() && ProvablyDifferent(spec.channels, (*weight)[0])) {
    return rule.ErrorAt(2, "{}: weight has {} output channels, the attributes require {}", rule.op().name,
                        ToString((*weight)[0]), ToString(spec.channels));
  }
  if (ProvablyDifferent(in, (*weight)[1])) {
    return rule.ErrorAt(2, "{}: weight has {} input channels, it must have {} (data has {}, groups is {})",
                        rule.op().name, ToString((*weight)[1]), ToString(in), ToString(data[1]), spec.groups);
  }
  kernel.channels = (*weight)[0];
  kernel.extents = {(*weight)[2], (*weight)[3]};
  return std::nullopt;
}

auto DeformableConv2D(RuleContext& rule, const DeformableConv2DAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  Context& context = rule.context();
  const ConvSpec spec = SpecOf(attrs, 2);
  if (!CheckConvSpec(rule, spec)) return RuleStatus::kFailed;
  const Type& type = rule.type(0);
  const auto data = ConvertShape(rule, "data", spec.data_layout, CanonicalDataLayout(2), type.shape);
  if (!data) return RuleStatus::kFailed;
  ConvKernel kernel;
  if (const auto status = DeformableKernel(rule, spec, *data, kernel)) return *status;
  const auto shape = ConvResult(rule, spec, *data, kernel, Rounding::kFloor, false);
  if (!shape) return RuleStatus::kFailed;
  if (const auto status = CheckExtents(rule, *shape)) return *status;
  // Two offsets per kernel element and group of offsets.
  const Dim elements = Mul(context, Mul(context, 2, kernel.extents[0]), kernel.extents[1]);
  const std::array offsets = {(*shape)[0], Mul(context, elements, attrs.deformable_groups), (*shape)[2], (*shape)[3]};
  if (const auto status = CheckExtents(rule, offsets)) return *status;
  const auto offset_shape = ConvertShape(rule, "offset", CanonicalDataLayout(2), spec.data_layout, offsets);
  if (!offset_shape || !AssignShape(rule, 1, *offset_shape, type.dtype)) return RuleStatus::kFailed;
  return DoneConv(rule, spec, *shape, type.dtype);
}

auto BackwardWeight(RuleContext& rule, const Conv2DAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (!NeedExactLength(rule, "kernel_size", attrs.kernel_size, 2)) return RuleStatus::kFailed;
  if (!NeedPositive(rule, "groups", attrs.groups)) return RuleStatus::kFailed;
  Context& context = rule.context();
  const std::string_view canonical = CanonicalDataLayout(2);
  const auto grad = ConvertShape(rule, "grad", attrs.data_layout, canonical, rule.type(0).shape);
  if (!grad) return RuleStatus::kFailed;
  const auto data = ConvertShape(rule, "data", attrs.kernel_layout, canonical, rule.type(1).shape);
  if (!data) return RuleStatus::kFailed;
  const Dim& in = (*data)[1];
  const Dim& out = (*grad)[1];
  if (!in.is_int() || !out.is_int()) {
    return rule.Error("{}: the channels of data and gradient must be constants, found {} and {}", rule.op().name,
                      ToString(in), ToString(out));
  }
  const bool depthwise = in.is(attrs.groups) && out.is(attrs.groups);
  if (depthwise && attrs.channels.is_null()) return rule.Error("{}: channels is missing", rule.op().name);
  const Dim weight_in = FloorDiv(context, depthwise ? attrs.channels : in, attrs.groups);
  const std::array shape = {out, weight_in, attrs.kernel_size[0], attrs.kernel_size[1]};
  if (const auto status = CheckExtents(rule, shape)) return *status;
  const auto weight = ConvertShape(rule, "the result", CanonicalKernelLayout(2), attrs.out_layout, shape);
  if (!weight) return RuleStatus::kFailed;
  return DoneShape(rule, *weight, OutType(attrs.out_dtype, rule.type(0).dtype));
}

// Convolutions that take a weight in a special form: the weight's type is not examined.
auto Conv2DPackedRule(RuleContext& rule) -> RuleStatus { return WithAttrs<Conv2DAttrs>(rule, Unseen<Conv2DAttrs, 2>); }

auto Conv2DWinogradRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<Conv2DWinogradAttrs>(rule, Unseen<Conv2DWinogradAttrs, 2>);
}

auto Conv3DWinogradRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<Conv3DWinogradAttrs>(rule, Unseen<Conv3DWinogradAttrs, 3>);
}

// Returns the transforms that bring a weight into such a form.
auto Conv2DWinogradWeightRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<ConvWinogradWeightTransformAttrs>(rule, Winograd2DWeight);
}

auto Conv3DWinogradWeightRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<ConvWinogradWeightTransformAttrs>(rule, Winograd3DWeight);
}

auto NnpackWeightRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<Conv2DWinogradNNPACKWeightTransformAttrs>(rule, NnpackWeight);
}

auto GemmWeightRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<ConvGemmWeightTransformAttrs>(rule, GemmWeight);
}

// Data, offsets and weight determine the result; the types of offsets and weight are inferred.
auto DeformableConv2DRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<DeformableConv2DAttrs>(rule, DeformableConv2D);
}

// Returns the gradient of conv2d with respect to the weight, from the gradient of its result and its data. The
// attributes are read shifted: data_layout is the gradient's, kernel_layout the data's and out_layout the weight's.
auto Conv2DBackwardWeightRule(RuleContext& rule) -> RuleStatus { return WithAttrs<Conv2DAttrs>(rule, BackwardWeight); }

}  // namespace

constinit const OpRows<OpFamily::kNnConvVariants> kNnConvVariantsOps = NumberedRows<OpFamily::kNnConvVariants>({
    Convolution("nn.contrib_conv2d_NCHWc", kSchema<Conv2DAttrs>, Conv2DPackedRule, Conv2DPackedKernel,
                "conv2d with a packed weight"),
    {.name = "nn.contrib_conv2d_gemm_weight_transform",
     .inputs = "weights",
     .attrs = &kSchema<ConvGemmWeightTransformAttrs>,
     .type = GemmWeightRule,
     .kernel = ConvGemmWeightTransformKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "weight of conv2d as padded tiles of a matrix"},
    Convolution("nn.contrib_conv2d_gemm_without_weight_transform", kSchema<Conv2DAttrs>, Conv2DPackedRule,
                Conv2DGemmKernel, "conv2d as a matrix product, with a transformed weight"),
    {.name = "nn.contrib_conv2d_winograd_nnpack_weight_transform",
     .inputs = "weight",
     .attrs = &kSchema<Conv2DWinogradNNPACKWeightTransformAttrs>,
     .type = NnpackWeightRule,
     .fusion = Fusion::kOpaque,
     .doc = "weight of conv2d as NNPACK wants it"},
    {.name = "nn.contrib_conv2d_winograd_weight_transform",
     .inputs = "weight",
     .attrs = &kSchema<ConvWinogradWeightTransformAttrs>,
     .type = Conv2DWinogradWeightRule,
     .kernel = Conv2DWinogradWeightTransformKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .element_types = "f",
     .doc = "Winograd transform of a conv2d weight"},
    Convolution("nn.contrib_conv2d_winograd_without_weight_transform", kSchema<Conv2DWinogradAttrs>, Conv2DWinogradRule,
                Conv2DWinogradKernel, "conv2d by Winograd's method, with a transformed weight"),
    {.name = "nn.contrib_conv3d_winograd_weight_transform",
     .inputs = "weight",
     .attrs = &kSchema<ConvWinogradWeightTransformAttrs>,
     .type = Conv3DWinogradWeightRule,
     .kernel = Conv3DWinogradWeightTransformKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "Winograd transform of a conv3d weight"},
    Convolution("nn.contrib_conv3d_winograd_without_weight_transform", kSchema<Conv3DWinogradAttrs>, Conv3DWinogradRule,
                Conv3DWinogradKernel, "conv3d by Winograd's method, with a transformed weight"),
    Convolution("nn.contrib_depthwise_conv2d_NCHWc", kSchema<Conv2DAttrs>, Conv2DRule, Conv2DKernel,
                "depthwise conv2d with a packed weight"),
    {.name = "nn.conv2d_backward_weight",
     .inputs = "grad, data",
     .attrs = &kSchema<Conv2DAttrs>,
     .type = Conv2DBackwardWeightRule,
     .kernel = Conv2DBackwardWeightKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .layout = ConvolutionLayout,
     .convert_layout = ConvertConv2DBackwardWeight,
     .doc = "gradient of conv2d with respect to its weight"},
    {.name = "nn.deformable_conv2d",
     .inputs = "data, offset, weight",
     .attrs = &kSchema<DeformableConv2DAttrs>,
     .type = DeformableConv2DRule,
     .kernel = DeformableConv2DKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .layout = ConvolutionLayout,
     .convert_layout = ConvertDeformableConv2D,
     .doc = "conv2d at positions shifted by offsets"},
});

}  // namespace relayopt
