// Forms of convolutions. LowerFor has brought their layouts to channels first.
#include <algorithm>
#include <functional>

#include "layers.h"
#include "lib/convert/lower/deformable.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt::onnx::out {

namespace {

// Returns the attributes of a convolution whose data has its channels first and whose weight begins with the axes
// `kernel_axes`, or nothing if ONNX cannot express the convolution.
template <typename A>
auto ConvAttributes(OnnxCall& call, const A& attrs, std::string_view kernel_axes) -> std::optional<Attributes> {
  const bool is_plain = IsChannelsFirst(attrs.data_layout) && attrs.kernel_layout.starts_with(kernel_axes) &&
                        (attrs.out_layout.empty() || attrs.out_layout == attrs.data_layout);
  if (!is_plain) return std::nullopt;
  const Type* weight = call.input(1);
  if (weight == nullptr || weight->rank() < 3) return std::nullopt;
  const size_t spatial = weight->rank() - 2;
  const auto strides = PerAxis(attrs.strides, spatial);
  const auto dilation = PerAxis(attrs.dilation, spatial);
  const auto padding = FullPadding(attrs.padding, spatial);
  // Padding in ONNX cannot be negative.
  if (!strides || !dilation || !padding || std::ranges::any_of(*padding, [](int64_t pad) { return pad < 0; }))
    return std::nullopt;
  std::vector<int64_t> kernel;
  for (size_t i = 2; i < weight->rank(); ++i) {
    if (weight->shape[i].is_int()) kernel.push_back(weight->shape[i].value());
  }
  // In the order of their names, which spares sorting them.
  Attributes attributes;
  attributes.reserve(6);
  attributes.push_back(Ints("dilations", *dilation));
  attributes.push_back(Int("group", attrs.groups));
  if (kernel.size() == spatial) attributes.push_back(Ints("kernel_shape", kernel));
  attributes.push_back(Ints("pads", *padding));
  attributes.push_back(Ints("strides", *strides));
  return attributes;
}

// Convolutions of onnxruntime have no kernel for doubles, and ONNX has none of wide integers.
auto IsHalfOrFloat(DataType type) -> bool { return type.is_float() && type.bits <= 32; }

template <typename A>
auto WriteConvOf(OnnxCall& call, Name bias) -> CallOutputs {
  const auto* attrs = call.attrs<A>();
  const Type* data = call.input(0);
  const Type* weight = call.input(1);
  const Type* result = call.result();
  if (attrs == nullptr || data == nullptr || weight == nullptr || result == nullptr) return std::nullopt;
  auto attributes = ConvAttributes(call, *attrs, "OI");
  if (!attributes) return std::nullopt;
  if (IsByte(data->dtype) && IsByte(weight->dtype)) {
    if (!bias.empty()) return std::nullopt;
    const Name sums = call.Add("ConvInteger", {call.arg(0), call.arg(1)}, *std::move(attributes));
    return One(result->dtype == DataType::Int(32) ? sums : call.Cast(sums, result->dtype));
  }
  if (!IsHalfOrFloat(data->dtype) || !IsHalfOrFloat(result->dtype)) return std::nullopt;
  // If the result has another type, sums are computed in it.
  const bool is_wider = result->dtype != data->dtype;
  const Name x = is_wider ? call.Cast(call.arg(0), result->dtype) : call.arg(0);
  const Name w = call.As(1, result->dtype);
  return One(call.Add("Conv", {x, w, bias}, *std::move(attributes)));
}

template <typename A>
auto WriteConv(OnnxCall& call) -> CallOutputs {
  return WriteConvOf<A>(call, {});
}

template <typename A>
auto WriteConvTransposeOf(OnnxCall& call, Name bias) -> CallOutputs {
  const auto* attrs = call.attrs<A>();
  const Type* data = call.input(0);
  const Type* weight = call.input(1);
  const Type* result = call.result();
  if (attrs == nullptr || data == nullptr || weight == nullptr || result == nullptr) return std::nullopt;
  auto attributes = ConvAttributes(call, *attrs, "IO");
  if (!attributes) return std::nullopt;
  const auto extra = PerAxis(attrs->output_padding, weight->rank() - 2);
  const auto strides = PerAxis(attrs->strides, weight->rank() - 2);
  const auto dilation = PerAxis(attrs->dilation, weight->rank() - 2);
  if (!extra || !strides || !dilation) return std::nullopt;
  // onnxruntime refuses rows that no step of the window reaches.
  for (size_t i = 0; i < extra->size(); ++i) {
    if ((*extra)[i] != 0 && (*extra)[i] >= std::max((*strides)[i], (*dilation)[i])) return std::nullopt;
  }
  attributes->push_back(Ints("output_padding", *extra));
  // Integers are computed as floats: exact below 2^24.
  const bool is_byte = IsByte(data->dtype) && IsByte(weight->dtype);
  if (!is_byte && (!IsHalfOrFloat(data->dtype) || !IsHalfOrFloat(result->dtype))) return std::nullopt;
  if (!is_byte && result->dtype == data->dtype) {
    return One(call.Add("ConvTranspose", {call.arg(0), call.arg(1), bias}, *std::move(attributes)));
  }
  constexpr int64_t kMostTerms = (1 << 24) / (255 * 255);
  const auto kernel = KnownExtents(weight->shape);
  if (!kernel || !bias.empty()) return std::nullopt;
  const int64_t terms = Product(*kernel) / (*kernel)[1];
  if (is_byte && terms > kMostTerms) return std::nullopt;
  const DataType wide = DataType::Float(32);
  const Name sums =
      call.Add("ConvTranspose", {call.Cast(call.arg(0), wide), call.Cast(call.arg(1), wide)}, *std::move(attributes));
  return One(call.Cast(sums, result->dtype));
}

template <typename A>
auto WriteConvTranspose(OnnxCall& call) -> CallOutputs {
  return WriteConvTransposeOf<A>(call, {});
}

// LowerFor has put zeros around the data, and CombineFor has brought them together: one without has no form.
auto WriteBareDeformableConv(OnnxCall&) -> CallOutputs { return std::nullopt; }

constexpr OpRule<OnnxForm> kConvolutionForms[] = {
    {"nn.conv1d"_op, {"Conv", kAll, WriteConv<Conv1DAttrs>}},
    {"nn.conv1d_transpose"_op, {"ConvTranspose", kAll, WriteConvTranspose<Conv1DTransposeAttrs>}},
    {"nn.conv2d"_op, {"Conv", kAll, WriteConv<Conv2DAttrs>}},
    {"nn.conv2d_transpose"_op, {"ConvTranspose", kAll, WriteConvTranspose<Conv2DTransposeAttrs>}},
    {"nn.conv3d"_op, {"Conv", kAll, WriteConv<Conv3DAttrs>}},
    {"nn.conv3d_transpose"_op, {"ConvTranspose", kAll, WriteConvTranspose<Conv3DTransposeAttrs>}},
    {"nn.deformable_conv2d"_op, {"DeformConv", kF32 | kF64, WriteBareDeformableConv}},
};

// Returns the call of a deformable convolution that is the root, or the root without its bias.
auto DeformableConvOf(const Function& function, ExprId root) -> ExprId {
  return function.op(root) == "nn.bias_add"_op ? function.operand(root, 0) : root;
}

// Zeros added around height and width of the data are part of the padding.
auto DeformableAttributes(const Function& function, ExprId conv) -> std::optional<Attributes> {
  const Context& context = function.context();
  const auto* attrs = context.As<DeformableConv2DAttrs>(function.attrs(conv));
  const auto* pad = context.As<PadAttrs>(function.attrs(function.operand(conv, 0)));
  if (attrs == nullptr || pad == nullptr || attrs->data_layout != "NCHW" || attrs->kernel_layout != "OIHW") {
    return std::nullopt;
  }
  const auto strides = PerAxis(attrs->strides, 2);
  const auto dilation = PerAxis(attrs->dilation, 2);
  auto padding = FullPadding(attrs->padding, 2);
  if (!strides || !dilation || !padding) return std::nullopt;
  for (size_t i = 0; i < 4; ++i) {
    (*padding)[i] += pad->pad_width[2 + i % 2][i / 2].value();
    if ((*padding)[i] < 0) return std::nullopt;
  }
  return Attributes{Ints("strides", *strides), Ints("dilations", *dilation), Ints("pads", *padding),
                    Int("group", attrs->groups), Int("offset_group", attrs->deformable_groups)};
}

}  // namespace

auto HasDeformableForm(const Function& function, ExprId root) -> bool {
  const ExprId conv = DeformableConvOf(function, root);
  const TypeId type = function.type(conv);
  if (!type || !function.context().type(type).is_tensor()) return false;
  const bool has_kernel = (SetOf(function.context().type(type).dtype) & (kF32 | kF64)) != 0;
  if (!has_kernel || !IsPaddedWithZeros(function, function.operand(conv, 0))) return false;
  if (conv != root) {
    const auto* bias = function.context().As<BiasAddAttrs>(function.attrs(root));
    if (bias == nullptr || NormalizedAxis(bias->axis, 4) != 1) return false;
  }
  return DeformableAttributes(function, conv).has_value();
}

auto WriteDeformableConv(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
                         const std::function<Values(ExprId)>& value) -> CallOutputs {
  constexpr int64_t kOpset = 19;
  const ExprId conv = DeformableConvOf(function, root);
  auto attributes = DeformableAttributes(function, conv);
  if (!attributes) return std::nullopt;
  model.Raise(kOpset);
  Names inputs;
  for (const ExprId input :
       {function.operand(function.operand(conv, 0), 0), function.operand(conv, 2), function.operand(conv, 1)}) {
    inputs.push_back(value(input)[0]);
  }
  if (conv != root) inputs.push_back(value(function.operand(root, 1))[0]);
  OnnxCall call(model, graph, function, root, {});
  return One(call.Add("DeformConv", std::move(inputs), *std::move(attributes)));
}

auto ConvolutionForms() -> std::span<const OpRule<OnnxForm>> { return kConvolutionForms; }

auto WriteConvWithBias(OnnxCall& call, Name bias) -> CallOutputs {
  if (call.attrs<Conv1DAttrs>() != nullptr) return WriteConvOf<Conv1DAttrs>(call, bias);
  if (call.attrs<Conv2DAttrs>() != nullptr) return WriteConvOf<Conv2DAttrs>(call, bias);
  if (call.attrs<Conv3DAttrs>() != nullptr) return WriteConvOf<Conv3DAttrs>(call, bias);
  if (call.attrs<Conv1DTransposeAttrs>() != nullptr) return WriteConvTransposeOf<Conv1DTransposeAttrs>(call, bias);
  if (call.attrs<Conv2DTransposeAttrs>() != nullptr) return WriteConvTransposeOf<Conv2DTransposeAttrs>(call, bias);
  if (call.attrs<Conv3DTransposeAttrs>() != nullptr) return WriteConvTransposeOf<Conv3DTransposeAttrs>(call, bias);
  return std::nullopt;
}

}  // namespace relayopt::onnx::out
