// Gradients of convolutions.
//
// They are computed in NCHW and OIHW. Data, weight and gradient in other orders of the same axes are moved there first,
// and their gradients are moved back.
#include <array>

#include "gradient_rules.h"
#include "relayopt/relay/ops/layout_transform.h"
#include "relayopt/relay/ops/nn_conv.h"

namespace relayopt {

namespace {

constexpr std::string_view kData = "NCHW";

// The order is top, left, bottom, right.
auto FullPadding(const DimList& padding) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> full;
  for (size_t i = 0; i < 4; ++i) {
    if (padding.size() != 1 && padding.size() != 2 && padding.size() != 4) return std::nullopt;
    const Dim& dim = padding[i % padding.size()];
    if (!dim.is_int()) return std::nullopt;
    full.push_back(dim.value());
  }
  return full;
}

// Returns the extents of the axes H and W.
auto SpatialExtents(GradientContext& r, ExprId tensor, std::string_view layout) -> Result<std::array<int64_t, 2>> {
  const Type* type = r.tensor(tensor);
  const size_t h = layout.find('H');
  const size_t w = layout.find('W');
  if (type == nullptr || type->rank() != 4 || !type->shape[h].is_int() || !type->shape[w].is_int()) {
    return r.Error("height and width must be known");
  }
  return std::array{type->shape[h].value(), type->shape[w].value()};
}

auto Move(GradientContext& r, ExprId tensor, std::string_view from, std::string_view to) -> ExprId {
  if (from == to) return tensor;
  const LayoutTransformAttrs attrs{.src_layout = std::string(from), .dst_layout = std::string(to)};
  return r.CallWith("layout_transform"_op, attrs, {tensor});
}

// The layouts of a convolution, each an order of the axes of NCHW or of its canonical weight.
struct ConvLayouts {
  std::string data;
  std::string kernel;
  std::string out;
};

template <typename Attrs>
auto LayoutsOf(GradientContext& r, const Attrs& attrs, std::string_view canonical_kernel) -> Result<ConvLayouts> {
  const auto is_order_of = [](std::string_view layout, std::string_view axes) {
    return std::is_permutation(layout.begin(), layout.end(), axes.begin(), axes.end());
  };
  ConvLayouts found{attrs.data_layout, attrs.kernel_layout,
                    attrs.out_layout.empty() ? attrs.data_layout : attrs.out_layout};
  if (!is_order_of(found.data, kData) || !is_order_of(found.out, kData) ||
      !is_order_of(found.kernel, canonical_kernel)) {
    return r.Error("the layouts must be orders of NCHW and {}, not {} and {}{}{}", canonical_kernel, found.data,
                   found.kernel, attrs.out_layout.empty() ? "" : ", of the result ", attrs.out_layout);
  }
  return found;
}

auto Conv2DGradient(GradientContext& r) -> Gradients {
  constexpr std::string_view kKernel = "OIHW";
  const auto& attrs = r.attrs<Conv2DAttrs>();
  RELAYOPT_TRY(const ConvLayouts layouts, LayoutsOf(r, attrs, kKernel));
  RELAYOPT_TRY(const auto in, SpatialExtents(r, r.arg(0), layouts.data));
  RELAYOPT_TRY(const auto filter, SpatialExtents(r, r.arg(1), layouts.kernel));
  RELAYOPT_TRY(const auto out, SpatialExtents(r, r.call(), layouts.out));
  const auto padding = FullPadding(attrs.padding);
  if (!padding || attrs.strides.size() != 2 || attrs.dilation.size() != 2) {
    return r.Error("padding, strides and dilation must be known for two axes");
  }
  // Strides that do not divide the data leave rows that no window reached.
  std::vector<Dim> output_padding;
  for (size_t i = 0; i < 2; ++i) {
    const Dim& stride = attrs.strides[i];
    const Dim& dilation = attrs.dilation[i];
    if (!stride.is_int() || !dilation.is_int()) return r.Error("strides and dilation must be known");
    const int64_t window = (filter[i] - 1) * dilation.value() + 1;
    const int64_t reached = (out[i] - 1) * stride.value() - (*padding)[i] - (*padding)[i + 2] + window;
    output_padding.emplace_back(in[i] - reached);
  }
  const ExprId data = Move(r, r.arg(0), layouts.data, kData);
  const ExprId weight = Move(r, r.arg(1), layouts.kernel, kKernel);
  const ExprId gradient = Move(r, r.gradient(), layouts.out, kData);
  const DataType dtype = attrs.out_dtype.is_void() ? r.ElementType(data) : attrs.out_dtype;

  Conv2DTransposeAttrs of_data;
  of_data.strides = attrs.strides;
  of_data.padding = DimList();
  for (const int64_t pad : *padding) of_data.padding.values.emplace_back(pad);
  of_data.dilation = attrs.dilation;
  of_data.groups = attrs.groups;
  of_data.output_padding = DimList(std::move(output_padding));
  of_data.out_dtype = dtype;
  if (attrs.groups > 1) {
    // Without these two the operator's result has the channels of one group only. As TVM: the others do not have them.
    const Dim& channels = r.tensor(data)->shape[1];
    if (!channels.is_int()) return r.Error("the channels must be known if there are groups");
    of_data.channels = channels;
    of_data.kernel_size = DimList({Dim(filter[0]), Dim(filter[1])});
  }

  Conv2DAttrs of_weight;
  of_weight.strides = attrs.strides;
  of_weight.padding = attrs.padding;
  of_weight.dilation = attrs.dilation;
  of_weight.groups = attrs.groups;
  of_weight.channels = attrs.channels;
  of_weight.kernel_size = DimList({Dim(filter[0]), Dim(filter[1])});
  // The operator reads its three layouts as those of the gradient, the data and the weight.
  of_weight.data_layout = kData;
  of_weight.kernel_layout = kData;
  of_weight.out_layout = kKernel;
  of_weight.out_dtype = dtype;
  const ExprId data_gradient = r.CallWith("nn.conv2d_transpose"_op, of_data, {gradient, weight});
  const ExprId weight_gradient = r.CallWith("nn.conv2d_backward_weight"_op, of_weight, {gradient, data});
  return std::vector<ExprId>{Move(r, data_gradient, kData, layouts.data),
                             Move(r, weight_gradient, kKernel, layouts.kernel)};
}

// A transposed convolution is the gradient of a convolution with the same weight, which is therefore its own gradient;
// data and gradient change places in that of the weight.
auto Conv2DTransposeGradient(GradientContext& r) -> Gradients {
  constexpr std::string_view kKernel = "IOHW";
  const auto& attrs = r.attrs<Conv2DTransposeAttrs>();
  RELAYOPT_TRY(const ConvLayouts layouts, LayoutsOf(r, attrs, kKernel));
  RELAYOPT_TRY(const auto filter, SpatialExtents(r, r.arg(1), layouts.kernel));
  const Type* type = r.tensor(r.arg(0));
  if (type == nullptr || type->rank() != 4) return r.Error("the data must have four axes");
  const Dim& channels = type->shape[layouts.data.find('C')];
  if (!channels.is_int()) return r.Error("the channels must be known");
  const ExprId data = Move(r, r.arg(0), layouts.data, kData);
  const ExprId weight = Move(r, r.arg(1), layouts.kernel, kKernel);
  const ExprId gradient = Move(r, r.gradient(), layouts.out, kData);

  Conv2DAttrs conv;
  conv.strides = attrs.strides;
  conv.padding = attrs.padding;
  conv.dilation = attrs.dilation;
  conv.groups = attrs.groups;
  conv.channels = channels;
  conv.kernel_size = DimList({Dim(filter[0]), Dim(filter[1])});
  conv.out_dtype = attrs.out_dtype.is_void() ? r.ElementType(data) : attrs.out_dtype;
  Conv2DAttrs of_weight = conv;
  of_weight.data_layout = kData;
  of_weight.kernel_layout = kData;
  of_weight.out_layout = "OIHW";
  const ExprId data_gradient = r.CallWith("nn.conv2d"_op, conv, {gradient, weight});
  const ExprId weight_gradient = r.CallWith("nn.conv2d_backward_weight"_op, of_weight, {data, gradient});
  return std::vector<ExprId>{Move(r, data_gradient, kData, layouts.data),
                             Move(r, weight_gradient, kKernel, layouts.kernel)};
}

constexpr GradientRow kConvRows[] = {
    {"nn.conv2d"_op, Conv2DGradient},
    {"nn.conv2d_transpose"_op, Conv2DTransposeGradient},
};

}  // namespace

auto ConvGradients() -> std::span<const GradientRow> { return kConvRows; }

}  // namespace relayopt
