// Type rules and rows of the image operators.
#include "relayopt/relay/ops/image.h"

#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/layout_shapes.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/plural.h"

namespace relayopt {

KernelFunction AffineGridKernel, CropAndResizeKernel, Dilation2DKernel, GridSampleKernel, Resize1DKernel,
    Resize2DKernel, Resize3DKernel;
LayoutRuleFunction ResizeLayout;

namespace {

// Ends a rule with a result whose shape was computed in `canonical` order.
auto DoneFrom(RuleContext& rule, std::string_view canonical, const std::string& layout, Shape shape, DataType dtype)
    -> RuleStatus {
  if (const auto status = CheckExtents(rule, shape)) return *status;
  const auto result = ConvertShape(rule, "the result", canonical, layout, shape);
  return result ? DoneShape(rule, *result, dtype) : RuleStatus::kFailed;
}

// Replaces the spatial extents of data by `extents`; batch and channels stay.
auto DoneWithExtents(RuleContext& rule, std::string_view canonical, const std::string& layout,
                     std::span<const Dim> extents, DataType dtype) -> RuleStatus {
  auto shape = ConvertShape(rule, "data", layout, canonical, rule.type(0).shape);
  if (!shape) return RuleStatus::kFailed;
  std::copy(extents.begin(), extents.end(), shape->begin() + 2);
  return DoneFrom(rule, canonical, layout, *shape, dtype);
}

template <typename A>
auto Resize(RuleContext& rule, const A& attrs, std::string_view canonical) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const size_t spatial = canonical.size() - 2;
  if (!NeedExactLength(rule, "size", attrs.size, spatial)) return RuleStatus::kFailed;
  const size_t bounds = attrs.roi ? rule.context().object(attrs.roi).items.size() : 0;
  if (bounds != 2 * spatial) {
    return rule.Error("{}: roi must have {}, it has {}", rule.op().name, Counted(2 * spatial, "element"), bounds);
  }
  return DoneWithExtents(rule, canonical, attrs.layout, attrs.size.values,
                         OutType(attrs.out_dtype, rule.type(0).dtype));
}

auto Resize1D(RuleContext& rule, const Resize1DAttrs& attrs) -> RuleStatus { return Resize(rule, attrs, "NCW"); }
auto Resize2D(RuleContext& rule, const Resize2DAttrs& attrs) -> RuleStatus { return Resize(rule, attrs, "NCHW"); }
auto Resize3D(RuleContext& rule, const Resize3DAttrs& attrs) -> RuleStatus { return Resize(rule, attrs, "NCDHW"); }

auto CropAndResize(RuleContext& rule, const CropAndResizeAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 3)) return *status;
  if (!NeedLength(rule, "crop_size", attrs.crop_size, 2)) return RuleStatus::kFailed;
  const Type& data = rule.type(0);
  const Type& boxes = rule.type(1);
  if (boxes.rank() == 0) return rule.ErrorAt(1, "{}: boxes must not be a scalar", rule.op().name);
  const auto shape = ConvertShape(rule, "data", attrs.layout, "NCHW", data.shape);
  if (!shape) return RuleStatus::kFailed;
  return DoneFrom(rule, "NCHW", attrs.layout,
                  std::array{boxes.shape[0], (*shape)[1], attrs.crop_size[0], attrs.crop_size[1]},
                  OutType(attrs.out_dtype, data.dtype));
}

auto Dilation2D(RuleContext& rule, const Dilation2DAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Type& data = rule.type(0);
  const auto shape = ConvertShape(rule, "data", attrs.data_layout, "NCHW", data.shape);
  if (!shape) return RuleStatus::kFailed;
  const auto kernel = ConvertShape(rule, "weight", attrs.kernel_layout, "IHW", rule.type(1).shape);
  if (!kernel) return RuleStatus::kFailed;
  if (!NeedLength(rule, "strides", attrs.strides, 2) || !NeedLength(rule, "dilations", attrs.dilations, 2)) {
    return RuleStatus::kFailed;
  }
  const auto padding = PaddingSums(rule, attrs.padding, 2);
  if (!padding) return RuleStatus::kFailed;
  Context& context = rule.context();
  std::array<Dim, 4> result = {(*shape)[0], (*kernel)[0], (*shape)[2], (*shape)[3]};
  for (size_t i = 0; i < 2; ++i) {
    Dim& extent = result[i + 2];
    if (extent.is_any()) continue;
    const Dim window = DilatedExtent(context, (*kernel)[i + 1], attrs.dilations[i]);
    const Dim room = Sub(context, Add(context, extent, (*padding)[i]), window);
    extent = Add(context, FloorDiv(context, room, attrs.strides[i]), 1);
  }
  return DoneFrom(rule, "NCHW", attrs.data_layout, result, OutType(attrs.out_dtype, data.dtype));
}

auto AffineGrid(RuleContext& rule, const AffineGridAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (const auto status = NeedRank(rule, 0, 3)) return *status;
  const Type& data = rule.type(0);
  if (ProvablyDifferent(data.shape[1], 2) || ProvablyDifferent(data.shape[2], 3)) {
    return rule.ErrorAt(0, "{}: data must have shape (batch, 2, 3), found {}", rule.op().name, ToString(data.shape));
  }
  if (!NeedExactLength(rule, "target_shape", attrs.target_shape, 2)) return RuleStatus::kFailed;
  return DoneShape(rule, std::array{data.shape[0], Dim(2), attrs.target_shape[0], attrs.target_shape[1]}, data.dtype);
}

auto GridSample(RuleContext& rule, const GridSampleAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Type& data = rule.type(0);
  const Shape grid = rule.type(1).shape;
  if (data.rank() != 4 && data.rank() != 5) {
    return rule.ErrorAt(0, "{}: data must have 4 or 5 axes, found shape {}", rule.op().name, ToString(data.shape));
  }
  if (grid.size() < data.rank()) {
    return rule.ErrorAt(1, "{}: grid must have {}, found shape {}", rule.op().name, Counted(data.rank(), "axis"),
                        ToString(grid));
  }
  return DoneWithExtents(rule, data.rank() == 4 ? "NCHW" : "NCDHW", attrs.layout, grid.subspan(2, data.rank() - 2),
                         data.dtype);
}

auto AffineGridRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, AffineGrid); }

auto CropAndResizeRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, CropAndResize); }

auto Dilation2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Dilation2D); }

auto GridSampleRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, GridSample); }

auto Resize1DRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Resize1D); }

auto Resize2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Resize2D); }

auto Resize3DRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Resize3D); }

}  // namespace

constinit const OpRows<OpFamily::kImage> kImageOps = NumberedRows<OpFamily::kImage>({
    {.name = "image.affine_grid",
     .inputs = "data",
     .attrs = &kSchema<AffineGridAttrs>,
     .type = AffineGridRule,
     .kernel = AffineGridKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "sampling positions of an affine transformation"},
    {.name = "image.crop_and_resize",
     .inputs = "data, boxes, box_indices",
     .attrs = &kSchema<CropAndResizeAttrs>,
     .type = CropAndResizeRule,
     .kernel = CropAndResizeKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "cuts boxes out of images and resizes them"},
    {.name = "image.dilation2d",
     .inputs = "data, weight",
     .attrs = &kSchema<Dilation2DAttrs>,
     .type = Dilation2DRule,
     .kernel = Dilation2DKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .layout = ConvolutionLayout,
     .doc = "morphological dilation: the greatest of data + weight in each window"},
    {.name = "image.grid_sample",
     .inputs = "data, grid",
     .attrs = &kSchema<GridSampleAttrs>,
     .type = GridSampleRule,
     .kernel = GridSampleKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "samples an image at given positions"},
    {.name = "image.resize1d",
     .inputs = "data",
     .attrs = &kSchema<Resize1DAttrs>,
     .type = Resize1DRule,
     .kernel = Resize1DKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .layout = ResizeLayout,
     .convert_layout = ConvertResize,
     .doc = "resizes along one axis"},
    {.name = "image.resize2d",
     .inputs = "data",
     .attrs = &kSchema<Resize2DAttrs>,
     .type = Resize2DRule,
     .kernel = Resize2DKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = ResizeLayout,
     .convert_layout = ConvertResize,
     .doc = "resizes along height and width"},
    {.name = "image.resize3d",
     .inputs = "data",
     .attrs = &kSchema<Resize3DAttrs>,
     .type = Resize3DRule,
     .kernel = Resize3DKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "resizes along depth, height and width"},
});

}  // namespace relayopt
