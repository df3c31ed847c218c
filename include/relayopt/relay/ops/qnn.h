// Operators on quantized tensors: integers that stand for scale * (value - zero_point).
#pragma once

#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/kernels_qnn.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct BroadcastAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BroadcastAttrs";
  int64_t lhs_axis = -1;
  int64_t rhs_axis = -1;
  static constexpr auto Fields() {
    return std::array{
        Field<&BroadcastAttrs::lhs_axis>("lhs_axis", "axis of lhs along which its scale and zero point vary"),
        Field<&BroadcastAttrs::rhs_axis>("rhs_axis", "axis of rhs along which its scale and zero point vary"),
    };
  }
};

struct QuantizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.QuantizeAttrs";
  DataType out_dtype;
  int64_t axis = -1;
  static constexpr auto Fields() {
    return std::array{
        Required<&QuantizeAttrs::out_dtype>("out_dtype", "element type of the result"),
        Field<&QuantizeAttrs::axis>("axis", "axis along which scale and zero point vary"),
    };
  }
};

struct DequantizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DequantizeAttrs";
  DataType out_dtype;
  int64_t axis = -1;
  static constexpr auto Fields() {
    return std::array{
        Required<&DequantizeAttrs::out_dtype>("out_dtype", "element type of the result"),
        Field<&DequantizeAttrs::axis>("axis", "axis along which scale and zero point vary"),
    };
  }
};

struct RequantizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.RequantizeAttrs";
  int64_t axis = -1;
  std::string rounding = "None";
  std::string compute_dtype = "None";
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&RequantizeAttrs::axis>("axis", "axis along which the input's scale and zero point vary"),
        Field<&RequantizeAttrs::rounding>("rounding", "UPWARD or TONEAREST; None: as configured"),
        Field<&RequantizeAttrs::compute_dtype>("compute_dtype", "int64, float32 or float64; None: as configured"),
        Field<&RequantizeAttrs::out_dtype>("out_dtype", "element type of the result"),
    };
  }
};

struct SimulatedQuantizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SimulatedQuantizeAttrs";
  int64_t axis = -1;
  static constexpr auto Fields() {
    return std::array{
        Field<&SimulatedQuantizeAttrs::axis>("axis", "axis along which scale and zero point vary"),
    };
  }
};

auto QnnQuantizeRule(RuleContext& rule) -> RuleStatus;
auto QnnDequantizeRule(RuleContext& rule) -> RuleStatus;
auto QnnRequantizeRule(RuleContext& rule) -> RuleStatus;
auto QnnBinaryRule(RuleContext& rule) -> RuleStatus;
auto QnnUnaryRule(RuleContext& rule) -> RuleStatus;
auto QnnSoftmaxRule(RuleContext& rule) -> RuleStatus;
auto QnnSimulatedRule(RuleContext& rule) -> RuleStatus;
auto QnnConv2DRule(RuleContext& rule) -> RuleStatus;
auto QnnConv2DTransposeRule(RuleContext& rule) -> RuleStatus;
auto QnnDenseRule(RuleContext& rule) -> RuleStatus;
auto QnnDensePackRule(RuleContext& rule) -> RuleStatus;
auto QnnBatchMatmulRule(RuleContext& rule) -> RuleStatus;
auto QnnConcatenateRule(RuleContext& rule) -> RuleStatus;
auto QnnAvgPool2DRule(RuleContext& rule) -> RuleStatus;

namespace qnn_internal {
// Rows with a computation on real numbers behind them: the result is the quantized value of the function.
constexpr auto Unary(std::string_view name, Kernel kernel, std::string_view doc, Fusion fusion = Fusion::kNone)
    -> OpDef {
  return {.name = name,
          .inputs = "data, scale, zero_point, output_scale, output_zero_point",
          .type = QnnUnaryRule,
          .kernel = kernel,
          .fusion = fusion,
          .non_computational = true,
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
          .layout = QnnBroadcastLayout,
          .doc = doc};
}
// Inputs of a product, in the order of calls: the reference registers the names in another one.
inline constexpr std::string_view kProductInputs =
    "data, weight, input_zero_point, weight_zero_point, input_scale, weight_scale";
}  // namespace qnn_internal

inline constexpr OpDef kQnnOps[] = {
    qnn_internal::Unary("qnn.abs", QnnAbsKernel, "quantized absolute value"),
    qnn_internal::Binary("qnn.add", QnnAddKernel, "quantized sum"),
    {.name = "qnn.avg_pool2d",
     .inputs = "data, input_scale, input_zero_point, output_scale, output_zero_point",
     .attrs = &kSchema<AvgPool2DAttrs>,
     .type = QnnAvgPool2DRule,
     .kernel = QnnAvgPool2DKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "quantized average of windows"},
    {.name = "qnn.batch_matmul",
     .inputs = "x, y, x_zero_point, y_zero_point, x_scale, y_scale",
     .attrs = &kSchema<BatchMatmulAttrs>,
     .type = QnnBatchMatmulRule,
     .kernel = QnnBatchMatmulKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .non_computational = true,
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
     .inputs = qnn_internal::kProductInputs,
     .attrs = &kSchema<DensePackAttrs>,
     .type = QnnDensePackRule,
     .kernel = QnnDensePackKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .non_computational = true,
     .layout = QnnDensePackLayout,
     .doc = "quantized dense layer with a packed weight"},
    {.name = "qnn.conv2d",
     .inputs = qnn_internal::kProductInputs,
     .attrs = &kSchema<Conv2DAttrs>,
     .type = QnnConv2DRule,
     .kernel = QnnConv2DKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .non_computational = true,
     .layout = QnnConvolutionLayout,
     .convert_layout = ConvertQnnConv2D,
     .doc = "quantized convolution"},
    {.name = "qnn.conv2d_transpose",
     .inputs = qnn_internal::kProductInputs,
     .attrs = &kSchema<Conv2DTransposeAttrs>,
     .type = QnnConv2DTransposeRule,
     .kernel = QnnConv2DTransposeKernel,
     .non_computational = true,
     .layout = QnnConvolutionLayout,
     .convert_layout = ConvertConv2DTranspose,
     .doc = "quantized transposed convolution"},
    {.name = "qnn.dense",
     .inputs = qnn_internal::kProductInputs,
     .attrs = &kSchema<DenseAttrs>,
     .type = QnnDenseRule,
     .kernel = QnnDenseKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .non_computational = true,
     .layout = QnnDenseLayout,
     .doc = "quantized dense layer"},
    {.name = "qnn.dequantize",
     .inputs = "data, input_scale, input_zero_point",
     .attrs = &kSchema<DequantizeAttrs>,
     .type = QnnDequantizeRule,
     .kernel = QnnDequantizeKernel,
     .fusion = Fusion::kElemWise,
     .non_computational = true,
     .doc = "the real numbers that quantized ones stand for"},
    qnn_internal::Unary("qnn.erf", QnnErfKernel, "quantized error function"),
    qnn_internal::Unary("qnn.exp", QnnExpKernel, "quantized exponential"),
    qnn_internal::Unary("qnn.hardswish", QnnHardswishKernel, "quantized x * relu6(x + 3) / 6"),
    {.name = "qnn.leaky_relu",
     .inputs = "data, input_scale, input_zero_point, output_scale, output_zero_point",
     .attrs = &kSchema<LeakyReluAttrs>,
     .type = QnnUnaryRule,
     .kernel = QnnLeakyReluKernel,
     .non_computational = true,
     .doc = "quantized max(x, alpha * x)"},
    qnn_internal::Unary("qnn.log", QnnLogKernel, "quantized natural logarithm"),
    qnn_internal::Binary("qnn.mul", QnnMulKernel, "quantized product"),
    {.name = "qnn.quantize",
     .inputs = "data, output_scale, output_zero_point",
     .attrs = &kSchema<QuantizeAttrs>,
     .type = QnnQuantizeRule,
     .kernel = QnnQuantizeKernel,
     .fusion = Fusion::kElemWise,
     .non_computational = true,
     .doc = "the nearest quantized numbers of real ones"},
    {.name = "qnn.requantize",
     .inputs = "data, input_scale, input_zero_point, output_scale, output_zero_point",
     .attrs = &kSchema<RequantizeAttrs>,
     .type = QnnRequantizeRule,
     .kernel = QnnRequantizeKernel,
     .fusion = Fusion::kElemWise,
     .non_computational = true,
     .layout = RequantizeLayout,
     .doc = "changes scale and zero point"},
    qnn_internal::Unary("qnn.rsqrt", QnnRsqrtKernel, "quantized reciprocal of the square root"),
    qnn_internal::Unary("qnn.sigmoid", QnnSigmoidKernel, "quantized logistic function"),
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
     .doc = "quantized softmax along an axis"},
    qnn_internal::Unary("qnn.sqrt", QnnSqrtKernel, "quantized square root"),
    qnn_internal::Binary("qnn.subtract", QnnSubtractKernel, "quantized difference"),
    qnn_internal::Unary("qnn.tanh", QnnTanhKernel, "quantized hyperbolic tangent", Fusion::kElemWise),
};

}  // namespace relayopt
