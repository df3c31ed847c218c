// Type rules of normalisations.
#include "relayopt/relay/ops/nn_norm.h"

#include "lib/relay/ops/rule_helpers.h"

namespace relayopt {

namespace {

// Learns that the inputs from 1 on are vectors along `axis` of the data.
auto LearnVectors(RuleContext& rule, size_t axis) -> bool {
  const Type& data = rule.type(0);
  const TypeId vector = rule.context().Tensor({data.shape[axis]}, data.dtype);
  for (size_t i = 1; i < rule.size(); ++i) {
    if (!rule.AssignInput(i, vector)) return false;
  }
  return true;
}

auto BatchNorm(RuleContext& rule, const BatchNormAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& data = rule.type(0);
  // Of the negative axes only the last is accepted.
  const auto axis = attrs.axis >= -1 ? NormalizeAxis(attrs.axis, data.rank()) : std::nullopt;
  if (!axis) {
    return rule.Error("{}: axis {} is outside the range of data of shape {}; it must be -1 or not negative",
                      rule.op().name, attrs.axis, ToString(data.shape));
  }
  if (!LearnVectors(rule, *axis)) return RuleStatus::kFailed;
  const TypeId vector = rule.context().Tensor({data.shape[*axis]}, data.dtype);
  const std::array fields = {rule.input(0), vector, vector};
  return rule.DoneTuple(fields);
}

template <typename A>
auto Normalize(RuleContext& rule, const A& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto axis = AxisOf(rule, "axis", attrs.axis, rule.type(0).rank());
  if (!axis || !LearnVectors(rule, *axis)) return RuleStatus::kFailed;
  return rule.Done(rule.input(0));
}

auto InstanceNorm(RuleContext& rule, const InstanceNormAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& data = rule.type(0);
  if (data.rank() <= 2) {
    return rule.ErrorAt(0, "{}: data must have more than 2 dimensions, it has shape {}", rule.op().name,
                        ToString(data.shape));
  }
  return Normalize(rule, attrs);
}

}  // namespace

auto BatchNormRule(RuleContext& rule) -> RuleStatus { return WithAttrs<BatchNormAttrs>(rule, BatchNorm); }

auto GroupNormRule(RuleContext& rule) -> RuleStatus { return WithAttrs<GroupNormAttrs>(rule, Normalize); }

auto InstanceNormRule(RuleContext& rule) -> RuleStatus { return WithAttrs<InstanceNormAttrs>(rule, InstanceNorm); }

auto LayerNormRule(RuleContext& rule) -> RuleStatus { return WithAttrs<LayerNormAttrs>(rule, Normalize); }

}  // namespace relayopt
