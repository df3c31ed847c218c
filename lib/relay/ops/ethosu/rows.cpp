// Type rules and rows of the Ethos-U operators. As TVM: extents with `?` stay symbolic.
#include "relayopt/relay/ops/ethosu.h"

#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

// Channels in a brick of layout NHCWB16.
constexpr int64_t kBrick = 16;

// Bytes of scale and bias for one channel.
constexpr int64_t kScaleBiasBytes = 10;

auto IsBricked(const std::string& layout) -> bool { return layout == "NHCWB16"; }

// Returns the element type that an attribute names; void for none.
auto NamedType(const std::string& name) -> DataType { return ParseDataType(name).value_or(DataType::Void()); }

// Batch, height and width of the input.
auto BatchHeightWidth(RuleContext& rule, const std::string& layout) -> std::optional<std::array<Dim, 3>> {
  const Shape shape = rule.type(0).shape;
  const size_t width = IsBricked(layout) ? 3 : 2;
  if (shape.size() > width) return std::array{shape[0], shape[1], shape[width]};
  rule.ErrorAt(0, "{}: ifm of shape {} has too few axes for layout {}", rule.op().name, ToString(shape), layout);
  return std::nullopt;
}

// Ends a rule with a result of these extents.
auto DoneFeatureMap(RuleContext& rule, const std::array<Dim, 3>& extents, const Dim& channels,
                    const std::string& layout, DataType dtype) -> RuleStatus {
  const auto& [batch, height, width] = extents;
  if (!IsBricked(layout)) return DoneShape(rule, std::array{batch, height, width, channels}, dtype);
  if (!channels.is_int() || channels.value() == INT64_MIN) {
    return rule.Error("{}: the number of channels must be a constant for layout {}, found {}", rule.op().name, layout,
                      ToString(channels));
  }
  const Dim bricks = 1 + (channels.value() - 1) / kBrick;
  return DoneShape(rule, std::array{batch, height, bricks, width, Dim(kBrick)}, dtype);
}

// The window of a convolution or pooling along one axis.
struct Window {
  const DimList& kernel;
  const DimList& dilation;
  const DimList& strides;
  const DimList& padding;
};

auto NeedWindow(RuleContext& rule, std::string_view kernel_field, const Window& window) -> bool {
  return NeedLength(rule, kernel_field, window.kernel, 2) && NeedLength(rule, "dilation", window.dilation, 2) &&
         NeedLength(rule, "strides", window.strides, 2);
}

// Height and width after the window has moved over them; reports and returns false if that is not possible.
auto MoveWindow(RuleContext& rule, const Window& window, std::array<Dim, 3>& extents) -> bool {
  Context& context = rule.context();
  const auto padding = PaddingSums(rule, window.padding, 2);
  if (!padding) return false;
  for (size_t i = 0; i < 2; ++i) {
    const Dim padded = Add(context, extents[i + 1], (*padding)[i]);
    const Dim room = Sub(context, padded, DilatedExtent(context, window.kernel[i], window.dilation[i]));
    extents[i + 1] = Add(context, FloorDiv(context, room, window.strides[i]), 1);
  }
  return true;
}

void Upscale(Context& context, const std::string& mode, std::array<Dim, 3>& extents) {
  if (mode == "NONE") return;
  extents[1] = Mul(context, extents[1], 2);
  extents[2] = Mul(context, extents[2], 2);
}

// Checks inputs 0 to 2 of a convolution. Returns nothing if they are valid, else the status to return.
auto NeedConvolutionInputs(RuleContext& rule) -> std::optional<RuleStatus> {
  if (const auto status = rule.NeedTensors(0, 3)) return status;
  if (!NeedElementType(rule, "ifm", rule.type(0).dtype, {kUInt8, kInt8}) ||
      !NeedElementType(rule, "weight", rule.type(1).dtype, {kUInt8, kInt8}) ||
      !NeedElementType(rule, "scale_bias", rule.type(2).dtype, {kUInt8})) {
    return RuleStatus::kFailed;
  }
  return NeedRank(rule, 1, 4);
}

auto Convolution(RuleContext& rule, const EthosuConv2DAttrs& attrs) -> RuleStatus {
  if (const auto status = NeedConvolutionInputs(rule)) return *status;
  if (attrs.upscale != "NONE" && attrs.upscale != "ZEROS" && attrs.upscale != "NEAREST") {
    return rule.Error("{}: upscale must be NONE, ZEROS or NEAREST, found {}", rule.op().name, attrs.upscale);
  }
  const Window window = {attrs.kernel_shape, attrs.dilation, attrs.strides, attrs.padding};
  if (!NeedWindow(rule, "kernel_shape", window)) return RuleStatus::kFailed;
  auto extents = BatchHeightWidth(rule, attrs.ifm_layout);
  if (!extents) return RuleStatus::kFailed;
  const Type& weight = rule.type(1);
  if (!AssignShape(rule, 2, std::array{weight.shape[0], Dim(kScaleBiasBytes)}, kUInt8) ||
      !AssignShape(rule, 1, std::array{attrs.ofm_channels, window.kernel[0], window.kernel[1], weight.shape[3]},
                   weight.dtype)) {
    return RuleStatus::kFailed;
  }
  Upscale(rule.context(), attrs.upscale, *extents);
  if (!MoveWindow(rule, window, *extents)) return RuleStatus::kFailed;
  return DoneFeatureMap(rule, *extents, attrs.ofm_channels, attrs.ofm_layout, rule.type(0).dtype);
}

auto DepthwiseConvolution(RuleContext& rule, const EthosuDepthwiseConv2DAttrs& attrs) -> RuleStatus {
  if (const auto status = NeedConvolutionInputs(rule)) return *status;
  const DataType result = NamedType(attrs.ofm_dtype);
  if (!NeedElementType(rule, "ofm_dtype", result, {kUInt8, kInt8, kInt16, kInt32})) return RuleStatus::kFailed;
  const Window window = {attrs.kernel_shape, attrs.dilation, attrs.strides, attrs.padding};
  if (!NeedWindow(rule, "kernel_shape", window)) return RuleStatus::kFailed;
  // As TVM: `upscale` is ignored here.
  auto extents = BatchHeightWidth(rule, attrs.ifm_layout);
  if (!extents) return RuleStatus::kFailed;
  const Type& weight = rule.type(1);
  if (!AssignShape(rule, 1, std::array{attrs.ofm_channels, window.kernel[0], window.kernel[1], weight.shape[3]},
                   weight.dtype) ||
      !MoveWindow(rule, window, *extents)) {
    return RuleStatus::kFailed;
  }
  return DoneFeatureMap(rule, *extents, attrs.ofm_channels, attrs.ofm_layout, result);
}

using Types = std::initializer_list<DataType>;

// Whether the element types of input and result are among the allowed ones; reports an error if not.
auto NeedTypes(RuleContext& rule, DataType ifm, Types ifm_allowed, DataType ofm, Types ofm_allowed) -> bool {
  return NeedElementType(rule, "ifm", ifm, ifm_allowed) && NeedElementType(rule, "ofm_dtype", ofm, ofm_allowed);
}

// Whether the element types of a pooling fit its kind; reports an error if not.
auto NeedPoolingTypes(RuleContext& rule, const std::string& kind, DataType ifm, DataType ofm) -> bool {
  if (kind == "SUM") {
    return NeedTypes(rule, ifm, {kUInt8, kInt8, kInt16, kInt32}, ofm, {kInt32});
  }
  if (kind == "AVG" || kind == "MAX") {
    return NeedTypes(rule, ifm, {kUInt8, kInt8, kInt16}, ofm, {ifm});
  }
  rule.Error("{}: pooling_type must be AVG, MAX or SUM, found {}", rule.op().name, kind);
  return false;
}

auto Pooling(RuleContext& rule, const EthosuPoolingAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const DataType result = NamedType(attrs.ofm_dtype);
  if (!NeedPoolingTypes(rule, attrs.pooling_type, rule.type(0).dtype, result)) return RuleStatus::kFailed;
  const DimList dense = {1, 1};
  const Window window = {attrs.pool_shape, dense, attrs.strides, attrs.padding};
  if (!NeedWindow(rule, "pool_shape", window)) return RuleStatus::kFailed;
  auto extents = BatchHeightWidth(rule, attrs.ifm_layout);
  if (!extents) return RuleStatus::kFailed;
  Upscale(rule.context(), attrs.upscale, *extents);
  if (!MoveWindow(rule, window, *extents)) return RuleStatus::kFailed;
  return DoneFeatureMap(rule, *extents, attrs.ofm_channels, attrs.ofm_layout, result);
}

// Whether the element types of an operation on two inputs fit it; reports an error if not.
auto NeedBinaryTypes(RuleContext& rule, const std::string& kind, DataType ifm, DataType ofm) -> bool {
  if (kind == "ADD" || kind == "SUB" || kind == "MUL") {
    return NeedTypes(rule, ifm, {kUInt8, kInt8, kInt16, kInt32}, ofm, {kUInt8, kInt8, kInt16, kInt32});
  }
  if (kind == "MIN" || kind == "MAX") {
    return NeedTypes(rule, ifm, {kUInt8, kInt8}, ofm, {ifm});
  }
  if (kind == "SHR") {
    return NeedTypes(rule, ifm, {kInt32}, ofm, {kUInt8, kInt8, kInt32});
  }
  if (kind == "SHL") return NeedTypes(rule, ifm, {kInt32}, ofm, {kInt32});
  rule.Error("{}: operator_type must be ADD, SUB, MUL, MIN, MAX, SHR or SHL, found {}", rule.op().name, kind);
  return false;
}

auto BinaryElementwise(RuleContext& rule, const EthosuBinaryElementwiseAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const DataType result = NamedType(attrs.ofm_dtype);
  const DataType ifm = rule.type(0).dtype;
  if (!NeedElementType(rule, "ifm2", rule.type(1).dtype, {ifm})) return RuleStatus::kFailed;
  if (!NeedBinaryTypes(rule, attrs.operator_type, ifm, result)) return RuleStatus::kFailed;
  const auto extents = BatchHeightWidth(rule, attrs.ifm_layout);
  if (!extents) return RuleStatus::kFailed;
  return DoneFeatureMap(rule, *extents, attrs.ifm_channels, attrs.ofm_layout, result);
}

auto UnaryElementwise(RuleContext& rule, const EthosuUnaryElementwiseAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const DataType ifm = rule.type(0).dtype;
  if (attrs.operator_type == "ABS") {
    if (!NeedElementType(rule, "ifm", ifm, {kUInt8, kInt8})) return RuleStatus::kFailed;
  } else if (attrs.operator_type == "CLZ") {
    if (!NeedElementType(rule, "ifm", ifm, {kInt32})) return RuleStatus::kFailed;
  } else {
    return rule.Error("{}: operator_type must be ABS or CLZ, found {}", rule.op().name, attrs.operator_type);
  }
  const auto extents = BatchHeightWidth(rule, attrs.ifm_layout);
  if (!extents) return RuleStatus::kFailed;
  return DoneFeatureMap(rule, *extents, attrs.ofm_channels, attrs.ofm_layout, ifm);
}

auto EthosuBinaryElementwiseRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, BinaryElementwise); }

auto EthosuConv2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Convolution); }

auto EthosuDepthwiseConv2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, DepthwiseConvolution); }

auto EthosuIdentityRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& ifm = rule.type(0);
  if (!NeedElementType(rule, "ifm", ifm.dtype, {kUInt8, kInt8})) return RuleStatus::kFailed;
  if (ifm.rank() > 4) {
    return rule.ErrorAt(0, "{}: ifm must have at most 4 axes, found shape {}", rule.op().name, ToString(ifm.shape));
  }
  return rule.Done(rule.input(0));
}

auto EthosuPoolingRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Pooling); }

auto EthosuUnaryElementwiseRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, UnaryElementwise); }

}  // namespace

constinit const OpRows<OpFamily::kEthosu> kEthosuOps = NumberedRows<OpFamily::kEthosu>({
    {.name = "contrib.ethosu.binary_elementwise",
     .inputs = "ifm, ifm2, lut",
     .attrs = &kSchema<EthosuBinaryElementwiseAttrs>,
     .type = EthosuBinaryElementwiseRule,
     .doc = "quantized element-wise operation on two inputs"},
    {.name = "contrib.ethosu.conv2d",
     .inputs = "ifm, weight, scale_bias, lut",
     .attrs = &kSchema<EthosuConv2DAttrs>,
     .type = EthosuConv2DRule,
     .doc = "quantized convolution"},
    {.name = "contrib.ethosu.depthwise_conv2d",
     .inputs = "ifm, weight, scale_bias, lut",
     .attrs = &kSchema<EthosuDepthwiseConv2DAttrs>,
     .type = EthosuDepthwiseConv2DRule,
     .doc = "quantized convolution of each channel by itself"},
    {.name = "contrib.ethosu.identity",
     .inputs = "ifm, lut",
     .attrs = &kSchema<EthosuIdentityAttrs>,
     .type = EthosuIdentityRule,
     .doc = "copies the input, with rescaling and activation"},
    {.name = "contrib.ethosu.pooling",
     .inputs = "ifm, lut",
     .attrs = &kSchema<EthosuPoolingAttrs>,
     .type = EthosuPoolingRule,
     .doc = "quantized pooling"},
    {.name = "contrib.ethosu.unary_elementwise",
     .inputs = "ifm, lut",
     .attrs = &kSchema<EthosuUnaryElementwiseAttrs>,
     .type = EthosuUnaryElementwiseRule,
     .doc = "quantized element-wise operation on one input"},
});

}  // namespace relayopt
