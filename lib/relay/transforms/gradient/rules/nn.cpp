// Gradients of convolutions, pooling and related operators.
#include <array>

#include "gradient_rules.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

auto SoftmaxGradient(GradientContext& r) -> Gradients {
  const ReduceAttrs sum{.axis = {Dim(r.attrs<SoftmaxAttrs>().axis)}, .keepdims = true};
  const ExprId weighted = r.EmitWith("sum"_op, sum, {r.Multiply(r.gradient(), r.call())});
  return std::vector<ExprId>{r.Multiply(r.Subtract(r.gradient(), weighted), r.call())};
}

auto LogSoftmaxGradient(GradientContext& r) -> Gradients {
  const ReduceAttrs attrs{.axis = {Dim(r.attrs<SoftmaxAttrs>().axis)}, .keepdims = true};
  const ExprId sum = r.EmitWith("sum"_op, attrs, {r.gradient()});
  const ExprId softmax = r.Emit("exp"_op, {r.call()});
  return std::vector<ExprId>{r.Subtract(r.gradient(), r.Multiply(sum, softmax))};
}

auto BiasAddGradient(GradientContext& r) -> Gradients {
  const ReduceAttrs sum{.axis = {Dim(r.attrs<BiasAddAttrs>().axis)}, .exclude = true};
  return std::vector<ExprId>{r.CollapseSumLike(r.gradient(), r.arg(0)), r.EmitWith("sum"_op, sum, {r.gradient()})};
}

// Returns the gradient divided by the size of the batch.
auto PerSample(GradientContext& r, ExprId x) -> ExprId {
  const DataType int32 = DataType::Int(32);
  const ExprId shape = r.EmitWith("shape_of"_op, ShapeOfAttrs{.dtype = int32}, {x});
  const ExprId batch = r.EmitWith("take"_op, TakeAttrs{.axis = Dim(0)}, {shape, EmitScalar(r.to(), int32, int64_t{0})});
  return r.Divide(r.gradient(), r.EmitWith("cast"_op, CastAttrs{.dtype = r.ElementType(x)}, {batch}));
}

auto CrossEntropyGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId y = r.arg(1);
  const ExprId gradient = PerSample(r, x);
  const ExprId of_x = r.Divide(r.Multiply(r.Negative(gradient), y), x);
  return std::vector<ExprId>{of_x, r.Multiply(r.Negative(gradient), r.Emit("log"_op, {x}))};
}

auto CrossEntropyWithLogitsGradient(GradientContext& r) -> Gradients {
  const ExprId gradient = PerSample(r, r.arg(0));
  return std::vector<ExprId>{r.Multiply(r.Negative(gradient), r.arg(1)), r.Multiply(r.Negative(gradient), r.arg(0))};
}

auto MaxPool2DGradient(GradientContext& r) -> Gradients {
  MaxPool2DAttrs attrs = r.attrs<MaxPool2DAttrs>();
  for (const Dim& dilation : attrs.dilation) {
    if (!dilation.is(1)) return r.Error("the window must not be dilated");
  }
  attrs.dilation = DimList();
  attrs.out_layout.clear();
  return std::vector<ExprId>{r.EmitWith("nn.max_pool2d_grad"_op, attrs, {r.gradient(), r.arg(0)})};
}

auto AvgPool2DGradient(GradientContext& r) -> Gradients {
  AvgPool2DAttrs attrs = r.attrs<AvgPool2DAttrs>();
  for (const Dim& dilation : attrs.dilation) {
    if (!dilation.is(1)) return r.Error("the window must not be dilated");
  }
  attrs.dilation = DimList();
  attrs.out_layout.clear();
  return std::vector<ExprId>{r.EmitWith("nn.avg_pool2d_grad"_op, attrs, {r.gradient(), r.arg(0)})};
}

auto GlobalAvgPool2DGradient(GradientContext& r) -> Gradients {
  const std::string& layout = r.attrs<GlobalPool2DAttrs>().layout;
  const Type* type = r.TensorType(r.arg(0));
  if (type == nullptr || type->rank() != 4) return r.Error("the data must have four axes");
  if (layout != "NCHW" && layout != "NHWC") return r.Error("the layout {} is neither NCHW nor NHWC", layout);
  const size_t first = layout == "NCHW" ? 2 : 1;
  AvgPool2DAttrs attrs;
  attrs.pool_size = DimList({type->shape[first], type->shape[first + 1]});
  attrs.dilation = DimList();
  attrs.layout = layout;
  return std::vector<ExprId>{r.EmitWith("nn.avg_pool2d_grad"_op, attrs, {r.gradient(), r.arg(0)})};
}

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

// Returns the last two extents of a tensor of rank 4.
auto SpatialExtents(GradientContext& r, ExprId tensor) -> Result<std::array<int64_t, 2>> {
  const Type* type = r.TensorType(tensor);
  if (type == nullptr || type->rank() != 4 || !type->shape[2].is_int() || !type->shape[3].is_int()) {
    return r.Error("height and width must be known");
  }
  return std::array{type->shape[2].value(), type->shape[3].value()};
}

auto Conv2DGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<Conv2DAttrs>();
  const ExprId data = r.arg(0);
  const ExprId weight = r.arg(1);
  if (attrs.data_layout != "NCHW" || attrs.kernel_layout != "OIHW" ||
      (!attrs.out_layout.empty() && attrs.out_layout != "NCHW")) {
    return r.Error("the layouts must be NCHW and OIHW, not {} and {}{}{}", attrs.data_layout, attrs.kernel_layout,
                   attrs.out_layout.empty() ? "" : ", of the result ", attrs.out_layout);
  }
  RELAYOPT_TRY(const auto in, SpatialExtents(r, data));
  RELAYOPT_TRY(const auto filter, SpatialExtents(r, weight));
  RELAYOPT_TRY(const auto out, SpatialExtents(r, r.call()));
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
    const Dim& channels = r.TensorType(data)->shape[1];
    if (!channels.is_int()) return r.Error("the channels must be known where there are groups");
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
  of_weight.data_layout = attrs.out_layout.empty() ? attrs.data_layout : attrs.out_layout;
  of_weight.kernel_layout = attrs.data_layout;
  of_weight.out_layout = attrs.kernel_layout;
  of_weight.out_dtype = dtype;
  return std::vector<ExprId>{r.EmitWith("nn.conv2d_transpose"_op, of_data, {r.gradient(), weight}),
                             r.EmitWith("nn.conv2d_backward_weight"_op, of_weight, {r.gradient(), data})};
}

constexpr GradientRow kNNRows[] = {
    {"nn.avg_pool2d"_op, AvgPool2DGradient},
    {"nn.bias_add"_op, BiasAddGradient},
    {"nn.conv2d"_op, Conv2DGradient},
    {"nn.cross_entropy"_op, CrossEntropyGradient},
    {"nn.cross_entropy_with_logits"_op, CrossEntropyWithLogitsGradient},
    {"nn.global_avg_pool2d"_op, GlobalAvgPool2DGradient},
    {"nn.log_softmax"_op, LogSoftmaxGradient},
    {"nn.max_pool2d"_op, MaxPool2DGradient},
    {"nn.softmax"_op, SoftmaxGradient},
};

}  // namespace

auto NNGradients() -> std::span<const GradientRow> { return kNNRows; }

}  // namespace relayopt
