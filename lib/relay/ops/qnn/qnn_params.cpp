// Checks of scales and zero points.
#include "qnn_params.h"

namespace relayopt {

auto NeedScalar(RuleContext& rule, size_t i, DataType dtype) -> std::optional<RuleStatus> {
  if (const auto status = rule.NeedTensors(i, i + 1)) return status;
  const Type& type = rule.type(i);
  if (type.rank() == 0 && type.dtype == dtype) return std::nullopt;
  return rule.ErrorAt(i, "{}: {} must be a scalar of {}, found shape {} of {}", rule.op().name, InputName(rule.op(), i),
                      ToString(dtype), ToString(type.shape), ToString(type.dtype));
}

auto NeedScalars(RuleContext& rule, std::initializer_list<QuantizationInputs> inputs) -> std::optional<RuleStatus> {
  for (const auto& [scale, zero_point] : inputs) {
    if (const auto status = NeedScalar(rule, scale, kScaleType)) return status;
    if (const auto status = NeedScalar(rule, zero_point, kZeroPointType)) return status;
  }
  return std::nullopt;
}

auto NeedScalarOrVector(RuleContext& rule, size_t i, DataType dtype, const Dim& length) -> std::optional<RuleStatus> {
  if (const auto status = rule.NeedTensors(i, i + 1)) return status;
  const Type& type = rule.type(i);
  if (type.dtype != dtype) {
    return rule.ErrorAt(i, "{}: {} must be of {}, found {}", rule.op().name, InputName(rule.op(), i), ToString(dtype),
                        ToString(type.dtype));
  }
  if (type.rank() == 0 || AssignShape(rule, i, std::array{length}, dtype)) return std::nullopt;
  return RuleStatus::kFailed;
}

auto NeedKnown(RuleContext& rule, size_t first, size_t last) -> std::optional<RuleStatus> {
  for (size_t i = first; i < last; ++i) {
    if (rule.unknown(i)) return RuleStatus::kWait;
  }
  return std::nullopt;
}

auto ChannelsAlong(RuleContext& rule, size_t i, std::string_view field, int64_t axis) -> std::optional<Dim> {
  const Shape shape = rule.type(i).shape;
  if (shape.empty() && axis <= 0) return Dim(1);
  if (const auto normal = NormalizeAxis(axis, shape.size())) return shape[*normal];
  rule.ErrorAt(i, "{}: {} {} is outside of {}, which has shape {}", rule.op().name, field, axis,
               InputName(rule.op(), i), ToString(shape));
  return std::nullopt;
}

}  // namespace relayopt
