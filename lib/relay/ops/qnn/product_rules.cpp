// Type rules of the qnn operators that share those of operators on ordinary tensors: products, pooling, concatenation.
#include "qnn_params.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/qnn.h"

namespace relayopt {

namespace {

using Types = std::initializer_list<DataType>;

// The inputs of a product, of which the zero points come before the scales.
constexpr size_t kData = 0;
constexpr size_t kWeight = 1;
constexpr size_t kDataZeroPoint = 2;
constexpr size_t kWeightZeroPoint = 3;
constexpr size_t kDataScale = 4;
constexpr size_t kWeightScale = 5;

// Returns nothing if all inputs of a product are known and data, weight and result have allowed element types, else the
// status to return.
auto NeedProduct(RuleContext& rule, Types data, Types weight, DataType out_dtype, Types result)
    -> std::optional<RuleStatus> {
  if (const auto status = rule.NeedTensors(kData, kWeight + 1)) return status;
  if (const auto status = NeedKnown(rule, kDataZeroPoint, kWeightScale + 1)) return status;
  if (NeedElementType(rule, InputName(rule.op(), kData), rule.type(kData).dtype, data) &&
      NeedElementType(rule, InputName(rule.op(), kWeight), rule.type(kWeight).dtype, weight) &&
      NeedElementType(rule, "out_dtype", out_dtype, result)) {
    return std::nullopt;
  }
  return RuleStatus::kFailed;
}

// Returns the extent of input `i` at the position that `letter` has in the text of its layout.
auto ExtentAt(RuleContext& rule, size_t i, const std::string& layout, char letter) -> std::optional<Dim> {
  const Shape shape = rule.type(i).shape;
  const size_t position = layout.find(letter);
  if (position < shape.size()) return shape[position];
  rule.ErrorAt(i, "{}: layout {} has no axis {} of {}, which has shape {}", rule.op().name, layout, letter,
               InputName(rule.op(), i), ToString(shape));
  return std::nullopt;
}

// Returns the product of the input and output channels of a kernel.
auto KernelChannels(RuleContext& rule, const std::string& layout) -> std::optional<Dim> {
  const auto in = ExtentAt(rule, kWeight, layout, 'I');
  const auto out = ExtentAt(rule, kWeight, layout, 'O');
  if (!in || !out) return std::nullopt;
  return Mul(rule.context(), *in, *out);
}

// Returns the length of the scale of a convolution's weight.
auto ConvolutionScales(RuleContext& rule, const Conv2DAttrs& attrs) -> std::optional<Dim> {
  if (attrs.groups == 1) return ExtentAt(rule, kWeight, attrs.kernel_layout, 'O');
  if (attrs.channels.is_null()) return Dim::Null();
  const auto data_channels = ExtentAt(rule, kData, attrs.data_layout, 'C');
  const auto multiplier = ExtentAt(rule, kWeight, attrs.kernel_layout, 'I');
  if (!data_channels || !multiplier) return std::nullopt;
  // As TVM: the comparisons include the integer widths of these constants.
  const bool depthwise = *data_channels == Dim(attrs.groups) && *multiplier == attrs.channels;
  return depthwise ? KernelChannels(rule, attrs.kernel_layout) : attrs.channels;
}

auto Convolution(RuleContext& rule, const Conv2DAttrs& attrs) -> RuleStatus {
  const Types inputs = {kInt8, kUInt8, kInt16};
  if (const auto status = NeedProduct(rule, inputs, inputs, attrs.out_dtype, {kInt16, kInt32, kInt64})) return *status;
  if (const auto status = NeedScalars(rule, {{kDataScale, kDataZeroPoint}})) return *status;
  const auto length = ConvolutionScales(rule, attrs);
  if (!length) return RuleStatus::kFailed;
  if (const auto status = NeedScalarOrVector(rule, kWeightScale, kScaleType, *length)) return *status;
  return Conv2DRule(rule);
}

// Returns nothing if input `i` holds one element of this type, and is a scalar or a vector of one element, else the
// status to return.
auto NeedOneElement(RuleContext& rule, size_t i, DataType dtype) -> std::optional<RuleStatus> {
  if (const auto status = rule.NeedTensors(i, i + 1)) return status;
  const Shape shape = rule.type(i).shape;
  if (NumElements(shape) == 1) return NeedScalarOrVector(rule, i, dtype, 1);
  return rule.ErrorAt(i, "{}: {} must have one element, found shape {}", rule.op().name, InputName(rule.op(), i),
                      ToString(shape));
}

auto TransposedConvolution(RuleContext& rule, const Conv2DTransposeAttrs& attrs) -> RuleStatus {
  if (const auto status = NeedProduct(rule, {kInt8, kUInt8, kInt16, kUInt16}, {kInt8, kUInt8}, attrs.out_dtype,
                                      {kInt16, kInt32, kInt64})) {
    return *status;
  }
  if (const auto status = NeedOneElement(rule, kDataZeroPoint, kZeroPointType)) return *status;
  if (const auto status = NeedOneElement(rule, kDataScale, kScaleType)) return *status;
  if (const auto status = rule.NeedTensors(kWeightZeroPoint, kWeightZeroPoint + 1)) return *status;
  if (!NeedElementType(rule, "weight_zero_point", rule.type(kWeightZeroPoint).dtype, {kZeroPointType})) {
    return RuleStatus::kFailed;
  }
  const auto length =
      attrs.groups == 1 ? ExtentAt(rule, kWeight, attrs.kernel_layout, 'O') : KernelChannels(rule, attrs.kernel_layout);
  if (!length) return RuleStatus::kFailed;
  if (const auto status = NeedScalarOrVector(rule, kWeightScale, kScaleType, *length)) return *status;
  return Conv2DTransposeRule(rule);
}

auto Dense(RuleContext& rule, const DenseAttrs& attrs) -> RuleStatus {
  if (const auto status =
          NeedProduct(rule, {kInt8, kUInt8, kInt16, kUInt16}, {kInt8, kUInt8}, attrs.out_dtype, {kInt32, kInt64})) {
    return *status;
  }
  if (const auto status = NeedScalars(rule, {{kDataScale, kDataZeroPoint}})) return *status;
  if (const auto status = NeedScalarOrVector(rule, kWeightScale, kScaleType, attrs.units)) return *status;
  return DenseRule(rule);
}

auto DensePack(RuleContext& rule, const DensePackAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(kData, kWeight + 1)) return *status;
  if (const auto status = NeedRank(rule, kData, 2)) return *status;
  if (const auto status = NeedRank(rule, kWeight, 4)) return *status;
  if (attrs.out_dtype.is_void()) return rule.Error("{}: out_dtype must be given", rule.op().name);
  const Shape weight = rule.type(kWeight).shape;
  const Dim columns = Mul(rule.context(), weight[0], weight[2]);
  return DoneShape(rule, std::array{rule.type(kData).shape[0], columns}, attrs.out_dtype);
}

auto BatchMatmul(RuleContext& rule, const BatchMatmulAttrs& attrs) -> RuleStatus {
  const Types inputs = {kInt8, kUInt8};
  if (const auto status = NeedProduct(rule, inputs, inputs, attrs.out_dtype, {kInt32})) return *status;
  if (const auto status = NeedScalars(rule, {{kDataScale, kDataZeroPoint}, {kWeightScale, kWeightZeroPoint}})) {
    return *status;
  }
  return BatchMatmulRule(rule);
}

// Returns nothing if input `i` is a tuple of scalars of this element type, else the status to return.
auto NeedScalarTuple(RuleContext& rule, size_t i, DataType dtype) -> std::optional<RuleStatus> {
  if (rule.unknown(i)) return RuleStatus::kWait;
  const Type& tuple = rule.type(i);
  bool scalars = tuple.is_tuple();
  for (const TypeId field : tuple.is_tuple() ? tuple.args : std::span<const TypeId>()) {
    const Type& type = rule.context().type(field);
    if (type.is_incomplete()) return RuleStatus::kWait;
    scalars = scalars && type.is_scalar() && type.dtype == dtype;
  }
  if (scalars) return std::nullopt;
  return rule.ErrorAt(i, "{}: {} must be a tuple of scalars of {}", rule.op().name, InputName(rule.op(), i),
                      ToString(dtype));
}

}  // namespace

auto QnnConv2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Convolution); }

auto QnnConv2DTransposeRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, TransposedConvolution); }

auto QnnDenseRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Dense); }

auto QnnDensePackRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, DensePack); }

auto QnnBatchMatmulRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, BatchMatmul); }

auto QnnConcatenateRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = NeedKnown(rule, 0, 5)) return *status;
  if (const auto status = NeedScalarTuple(rule, 1, kScaleType)) return *status;
  if (const auto status = NeedScalarTuple(rule, 2, kZeroPointType)) return *status;
  if (const auto status = NeedScalars(rule, {{3, 4}})) return *status;
  return ConcatenateRule(rule);
}

auto QnnAvgPool2DRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 5)) return *status;
  if (!NeedElementType(rule, "data", rule.type(0).dtype, {kInt8, kUInt8})) return RuleStatus::kFailed;
  if (const auto status = NeedScalars(rule, {{1, 2}, {3, 4}})) return *status;
  return AvgPool2DRule(rule);
}

}  // namespace relayopt
