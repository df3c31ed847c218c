// Type rules of the qnn operators that work element by element.
#include "relayopt/relay/ops/qnn.h"

#include "qnn_params.h"

namespace relayopt {

namespace {

auto IsScalar(RuleContext& rule, size_t i) -> bool { return rule.type(i).is_scalar(); }

// Inputs of one operand: the data, its scale and its zero point.
struct Operand {
  size_t data = 0;
  size_t scale = 0;
  size_t zero_point = 0;
};

// Nothing when scale and zero point of an operand are scalars, or vectors along `axis`, which is looked at only if one
// of them is no scalar; else the status to return.
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
  // Any negative axis means the only one of a vector.
  const int64_t lhs_axis = attrs.lhs_axis < 0 && rule.type(0).rank() == 1 ? 0 : attrs.lhs_axis;
  const int64_t rhs_axis = attrs.rhs_axis < 0 && rule.type(1).rank() == 1 ? 0 : attrs.rhs_axis;
  if (const auto status = NeedOperand(rule, {0, 2, 3}, "lhs_axis", lhs_axis)) return *status;
  if (const auto status = NeedOperand(rule, {1, 4, 5}, "rhs_axis", rhs_axis)) return *status;
  if (const auto status = NeedScalars(rule, {{6, 7}})) return *status;
  return BroadcastRule(rule);
}

// Data of an allowed element type, then scale and zero point of data and of the result.
auto Unary(RuleContext& rule, std::initializer_list<DataType> allowed) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 5)) return *status;
  if (!NeedElementType(rule, "data", rule.type(0).dtype, allowed)) return RuleStatus::kFailed;
  if (const auto status = NeedScalars(rule, {{1, 2}, {3, 4}})) return *status;
  return IdentityRule(rule);
}

}  // namespace

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

}  // namespace relayopt
