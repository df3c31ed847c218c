// Type rules and rows of the qnn operators that work element by element.
#include "relayopt/relay/ops/qnn.h"

#include "qnn_params.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction QnnAbsKernel, QnnAddKernel, QnnAvgPool2DKernel, QnnBatchMatmulKernel, QnnConcatenateKernel,
    QnnConv2DKernel, QnnConv2DTransposeKernel, QnnDenseKernel, QnnDensePackKernel, QnnDequantizeKernel, QnnErfKernel,
    QnnExpKernel, QnnHardswishKernel, QnnLeakyReluKernel, QnnLogKernel, QnnMulKernel, QnnQuantizeKernel,
    QnnRequantizeKernel, QnnRsqrtKernel, QnnSigmoidKernel, QnnSimulatedDequantizeKernel, QnnSimulatedQuantizeKernel,
    QnnSoftmaxKernel, QnnSqrtKernel, QnnSubtractKernel, QnnTanhKernel;
TypeRuleFunction QnnAvgPool2DRule, QnnBatchMatmulRule, QnnConcatenateRule, QnnConv2DRule, QnnConv2DTransposeRule,
    QnnDensePackRule, QnnDenseRule;
LayoutRuleFunction QnnBroadcastLayout, QnnConcatenateLayout, QnnConvolutionLayout, QnnDenseLayout, QnnDensePackLayout,
    RequantizeLayout;

namespace {

auto IsScalar(RuleContext& rule, size_t i) -> bool { return rule.type(i).is_scalar(); }

// Inputs of one operand: the data, its scale and its zero point.
struct Operand {
  size_t data = 0;
  size_t scale = 0;
  size_t zero_point = 0;
};

// Returns nothing if scale and zero point of an operand are scalars, or vectors along `axis` (which is used only then),
// otherwise the status to return.
auto NeedOperand(RuleContext& rule, const Operand& operand, std::string_view field, int64_t axis)
    -> std::optional<RuleStatus> {
  std::optional<Dim> length = Dim(1);
  if (!IsScalar(rule, operand.scale) || !IsScalar(rule, operand.zero_point)) {
    length = ChannelsAlong(rule, operand.data, field, axis);
    if (!length) return RuleStatus::kFailed;
  }
  if (const auto status = NeedScalarOrVector(rule, operand.scale, kScaleType, *length)) return status;
  return NeedScalarOrVector(rule, operand.zero_point, kZeroPointType, *length);
}

auto Quantize(RuleContext& rule, const QuantizeAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 3)) return *status;
  const Type& data = rule.type(0);
  if (!NeedElementType(rule, "data", data.dtype, {DataType::Float(32)})) return RuleStatus::kFailed;
  if (const auto status = NeedOperand(rule, {0, 1, 2}, "axis", attrs.axis)) return *status;
  if (!NeedElementType(rule, "out_dtype", attrs.out_dtype, {kInt8, kUInt8, kInt16, kUInt16, kInt32})) {
    return RuleStatus::kFailed;
  }
  return rule.Done(data.shape, attrs.out_dtype);
}

// Whether input `i`, a tensor, holds exactly one element; nothing, with a diagnostic, when that is not known.
auto HoldsOneElement(RuleContext& rule, size_t i) -> std::optional<bool> {
  const Shape shape = rule.type(i).shape;
  if (const auto elements = NumElements(shape)) return *elements == 1;
  rule.ErrorAt(i, "{}: {} must have constant extents, found shape {}", rule.op().name, InputName(rule.op(), i),
               ToString(shape));
  return std::nullopt;
}

auto Dequantize(RuleContext& rule, const DequantizeAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 3)) return *status;
  const Type& data = rule.type(0);
  if (!NeedElementType(rule, "data", data.dtype, {kInt8, kUInt8, kInt16, kUInt16, kInt32})) return RuleStatus::kFailed;
  const auto one_scale = HoldsOneElement(rule, 1);
  const auto one_zero_point = HoldsOneElement(rule, 2);
  if (!one_scale || !one_zero_point) return RuleStatus::kFailed;
  std::optional<Dim> length = Dim(1);
  if (!*one_scale || !*one_zero_point) length = ChannelsAlong(rule, 0, "axis", attrs.axis);
  if (!length) return RuleStatus::kFailed;
  if (const auto status = NeedScalarOrVector(rule, 1, kScaleType, *length)) return *status;
  if (const auto status = NeedScalarOrVector(rule, 2, kZeroPointType, *length)) return *status;
  if (!NeedElementType(rule, "out_dtype", attrs.out_dtype, {DataType::Float(16), DataType::Float(32)})) {
    return RuleStatus::kFailed;
  }
  return rule.Done(data.shape, attrs.out_dtype);
}

auto Requantize(RuleContext& rule, const RequantizeAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 5)) return *status;
  const Type& data = rule.type(0);
  if (!NeedElementType(rule, "data", data.dtype, {kInt8, kUInt8, kInt16, kInt32, kInt64})) return RuleStatus::kFailed;
  const auto length = ChannelsAlong(rule, 0, "axis", attrs.axis);
  if (!length) return RuleStatus::kFailed;
  if (const auto status = NeedScalarOrVector(rule, 1, kScaleType, *length)) return *status;
  if (const auto status = NeedScalarOrVector(rule, 2, kZeroPointType, *length)) return *status;
  if (const auto status = NeedScalars(rule, {{3, 4}})) return *status;
  if (!NeedElementType(rule, "out_dtype", attrs.out_dtype, {kInt8, kUInt8, kInt16, kInt32})) return RuleStatus::kFailed;
  return rule.Done(data.shape, attrs.out_dtype);
}

auto Binary(RuleContext& rule, const BroadcastAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 8)) return *status;
  // For a vector, any negative axis means its only axis.
  const int64_t lhs_axis = attrs.lhs_axis < 0 && rule.type(0).rank() == 1 ? 0 : attrs.lhs_axis;
  const int64_t rhs_axis = attrs.rhs_axis < 0 && rule.type(1).rank() == 1 ? 0 : attrs.rhs_axis;
  if (const auto status = NeedOperand(rule, {0, 2, 3}, "lhs_axis", lhs_axis)) return *status;
  if (const auto status = NeedOperand(rule, {1, 4, 5}, "rhs_axis", rhs_axis)) return *status;
  if (const auto status = NeedScalars(rule, {{6, 7}})) return *status;
  return BroadcastRule(rule);
}

// Inputs: data of an allowed element type, then scale and zero point of the data and of the result.
auto Unary(RuleContext& rule, std::initializer_list<DataType> allowed) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 5)) return *status;
  if (!NeedElementType(rule, "data", rule.type(0).dtype, allowed)) return RuleStatus::kFailed;
  if (const auto status = NeedScalars(rule, {{1, 2}, {3, 4}})) return *status;
  return IdentityRule(rule);
}

auto QnnQuantizeRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Quantize); }

auto QnnDequantizeRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Dequantize); }

auto QnnRequantizeRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Requantize); }

auto QnnBinaryRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Binary); }

auto QnnUnaryRule(RuleContext& rule) -> RuleStatus { return Unary(rule, {kInt8, kUInt8}); }

auto QnnSoftmaxRule(RuleContext& rule) -> RuleStatus { return Unary(rule, {kInt8}); }

auto QnnSimulatedRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  return rule.Done(rule.input(0));
}

// Rows of functions on real numbers: the result is the quantized value of the function.
constexpr auto Unary(std::string_view name, Kernel kernel, std::string_view doc, Fusion fusion = Fusion::kNone)
    -> OpDef {
  return {.name = name,
          .inputs = "data, scale, zero_point, output_scale, output_zero_point",
          .type = QnnUnaryRule,
          .kernel = kernel,
          .fusion = fusion,
          .non_computational = true,
          .element_types = "ififi",
          .doc = doc};
}

constexpr auto Binary(std::string_view name, Kernel kernel, std::string_view doc) -> OpDef {
  return {.name = name,
          .inputs = "lhs, rhs, lhs_scale, lhs_zero_point, rhs_scale, rhs_zero_point, output_scale, output_zero_point",
          .attrs = &kSchema<BroadcastAttrs>,
          .type = QnnBinaryRule,
          .kernel = kernel,
          .fusion = Fusion::kBroadcast,
          .non_computational = true,
          .element_types = "iifififi",
          .layout = QnnBroadcastLayout,
          .doc = doc};
}

// Inputs of a product, in the order of calls: TVM registers their names in a different order.
constexpr std::string_view kProductInputs =
    "data, weight, input_zero_point, weight_zero_point, input_scale, weight_scale";

}  // namespace

constinit const OpRows<OpFamily::kQnn> kQnnOps = NumberedRows<OpFamily::kQnn>({
    Unary("qnn.abs", QnnAbsKernel, "quantized absolute value"),
    Binary("qnn.add", QnnAddKernel, "quantized sum"),
    {.name = "qnn.avg_pool2d",
     .inputs = "data, input_scale, input_zero_point, output_scale, output_zero_point",
     .attrs = &kSchema<AvgPool2DAttrs>,
     .type = QnnAvgPool2DRule,
     .kernel = QnnAvgPool2DKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .element_types = "ififi",
     .doc = "quantized average of windows"},
    {.name = "qnn.batch_matmul",
     .inputs = "x, y, x_zero_point, y_zero_point, x_scale, y_scale",
     .attrs = &kSchema<BatchMatmulAttrs>,
     .type = QnnBatchMatmulRule,
     .kernel = QnnBatchMatmulKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .non_computational = true,
     .element_types = "iiiiff",
     .doc = "quantized matrix product of each batch"},
    {.name = "qnn.concatenate",
     .inputs = "data, input_scales, input_zero_points, output_scale, output_zero_point",
     .attrs = &kSchema<ConcatenateAttrs>,
     .type = QnnConcatenateRule,
     .kernel = QnnConcatenateKernel,
     .fusion = Fusion::kInjective,
     .non_computational = true,
     .layout = QnnConcatenateLayout,
     .doc = "requantizes tensors and joins them along an axis"},
    {.name = "qnn.contrib_dense_pack",
     .inputs = kProductInputs,
     .attrs = &kSchema<DensePackAttrs>,
     .type = QnnDensePackRule,
     .kernel = QnnDensePackKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .non_computational = true,
     .element_types = "iiiiff",
     .layout = QnnDensePackLayout,
     .doc = "quantized dense layer with a packed weight"},
    {.name = "qnn.conv2d",
     .inputs = kProductInputs,
     .attrs = &kSchema<Conv2DAttrs>,
     .type = QnnConv2DRule,
     .kernel = QnnConv2DKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .non_computational = true,
     .element_types = "iiiiff",
     .layout = QnnConvolutionLayout,
     .convert_layout = ConvertQnnConv2D,
     .doc = "quantized convolution"},
    {.name = "qnn.conv2d_transpose",
     .inputs = kProductInputs,
     .attrs = &kSchema<Conv2DTransposeAttrs>,
     .type = QnnConv2DTransposeRule,
     .kernel = QnnConv2DTransposeKernel,
     .non_computational = true,
     .element_types = "iiiiff",
     .layout = QnnConvolutionLayout,
     .convert_layout = ConvertConv2DTranspose,
     .doc = "quantized transposed convolution"},
    {.name = "qnn.dense",
     .inputs = kProductInputs,
     .attrs = &kSchema<DenseAttrs>,
     .type = QnnDenseRule,
     .kernel = QnnDenseKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .non_computational = true,
     .element_types = "iiiiff",
     .layout = QnnDenseLayout,
     .doc = "quantized dense layer"},
    {.name = "qnn.dequantize",
     .inputs = "data, input_scale, input_zero_point",
     .attrs = &kSchema<DequantizeAttrs>,
     .type = QnnDequantizeRule,
     .kernel = QnnDequantizeKernel,
     .fusion = Fusion::kElemWise,
     .non_computational = true,
     .element_types = "ifi",
     .doc = "the real numbers that quantized ones stand for"},
    Unary("qnn.erf", QnnErfKernel, "quantized error function"),
    Unary("qnn.exp", QnnExpKernel, "quantized exponential"),
    Unary("qnn.hardswish", QnnHardswishKernel, "quantized x * relu6(x + 3) / 6"),
    {.name = "qnn.leaky_relu",
     .inputs = "data, input_scale, input_zero_point, output_scale, output_zero_point",
     .attrs = &kSchema<LeakyReluAttrs>,
     .type = QnnUnaryRule,
     .kernel = QnnLeakyReluKernel,
     .non_computational = true,
     .element_types = "ififi",
     .doc = "quantized max(x, alpha * x)"},
    Unary("qnn.log", QnnLogKernel, "quantized natural logarithm"),
    Binary("qnn.mul", QnnMulKernel, "quantized product"),
    {.name = "qnn.quantize",
     .inputs = "data, output_scale, output_zero_point",
     .attrs = &kSchema<QuantizeAttrs>,
     .type = QnnQuantizeRule,
     .kernel = QnnQuantizeKernel,
     .fusion = Fusion::kElemWise,
     .non_computational = true,
     .element_types = "ffi",
     .doc = "the nearest quantized numbers of real ones"},
    {.name = "qnn.requantize",
     .inputs = "data, input_scale, input_zero_point, output_scale, output_zero_point",
     .attrs = &kSchema<RequantizeAttrs>,
     .type = QnnRequantizeRule,
     .kernel = QnnRequantizeKernel,
     .fusion = Fusion::kElemWise,
     .non_computational = true,
     .element_types = "ififi",
     .layout = RequantizeLayout,
     .doc = "changes scale and zero point"},
    Unary("qnn.rsqrt", QnnRsqrtKernel, "quantized reciprocal of the square root"),
    Unary("qnn.sigmoid", QnnSigmoidKernel, "quantized logistic function"),
    {.name = "qnn.simulated_dequantize",
     .inputs = "data, in_dtype, input_scale, input_zero_point",
     .attrs = &kSchema<DequantizeAttrs>,
     .type = QnnSimulatedRule,
     .kernel = QnnSimulatedDequantizeKernel,
     .fusion = Fusion::kElemWise,
     .doc = "dequantize with an element type that is a value, on real numbers"},
    {.name = "qnn.simulated_quantize",
     .inputs = "data, out_dtype, output_scale, output_zero_point",
     .attrs = &kSchema<SimulatedQuantizeAttrs>,
     .type = QnnSimulatedRule,
     .kernel = QnnSimulatedQuantizeKernel,
     .fusion = Fusion::kElemWise,
     .doc = "quantize with an element type that is a value, on real numbers"},
    {.name = "qnn.softmax",
     .inputs = "data, scale, zero_point, output_scale, output_zero_point",
     .attrs = &kSchema<SoftmaxAttrs>,
     .type = QnnSoftmaxRule,
     .kernel = QnnSoftmaxKernel,
     .non_computational = true,
     .element_types = "ififi",
     .doc = "quantized softmax along an axis"},
    Unary("qnn.sqrt", QnnSqrtKernel, "quantized square root"),
    Binary("qnn.subtract", QnnSubtractKernel, "quantized difference"),
    Unary("qnn.tanh", QnnTanhKernel, "quantized hyperbolic tangent", Fusion::kElemWise),
});

}  // namespace relayopt
