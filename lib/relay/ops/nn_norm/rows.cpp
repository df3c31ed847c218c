// Type rules and rows of normalisations.
#include "relayopt/relay/ops/nn_norm.h"

#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction BatchNormKernel, GroupNormKernel, InstanceNormKernel, L2NormalizeKernel, LRNKernel, LayerNormKernel;
LayoutRuleFunction BatchNormLayout, InstanceNormLayout, L2NormalizeLayout, NormalizationLayout;

namespace {

// Infers that the inputs from 1 on are vectors along `axis` of the data.
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
  // -1 is the only negative axis that is accepted.
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

// Normalisations: the types of scales, shifts and moments are inferred from the data.
auto BatchNormRule(RuleContext& rule) -> RuleStatus { return WithAttrs<BatchNormAttrs>(rule, BatchNorm); }

auto GroupNormRule(RuleContext& rule) -> RuleStatus { return WithAttrs<GroupNormAttrs>(rule, Normalize); }

auto InstanceNormRule(RuleContext& rule) -> RuleStatus { return WithAttrs<InstanceNormAttrs>(rule, InstanceNorm); }

auto LayerNormRule(RuleContext& rule) -> RuleStatus { return WithAttrs<LayerNormAttrs>(rule, Normalize); }

}  // namespace

constinit const OpRows<OpFamily::kNnNorm> kNnNormOps = NumberedRows<OpFamily::kNnNorm>({
    {.name = "nn.batch_norm",
     .inputs = "data, gamma, beta, moving_mean, moving_var",
     .attrs = &kSchema<BatchNormAttrs>,
     .type = BatchNormRule,
     .kernel = BatchNormKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .element_types = "f",
     .precision = Precision::kFollow,
     .layout = BatchNormLayout,
     .doc = "normalises each channel by given moments; a tuple with the moments"},
    {.name = "nn.group_norm",
     .inputs = "data, gamma, beta",
     .attrs = &kSchema<GroupNormAttrs>,
     .type = GroupNormRule,
     .kernel = GroupNormKernel,
     .element_types = "f",
     .doc = "normalises groups of channels by their moments"},
    {.name = "nn.instance_norm",
     .inputs = "data, gamma, beta",
     .attrs = &kSchema<InstanceNormAttrs>,
     .type = InstanceNormRule,
     .kernel = InstanceNormKernel,
     .element_types = "f",
     .layout = InstanceNormLayout,
     .doc = "normalises each channel of each sample by its moments"},
    {.name = "nn.l2_normalize",
     .inputs = "data",
     .attrs = &kSchema<L2NormalizeAttrs>,
     .type = IdentityRule,
     .kernel = L2NormalizeKernel,
     .element_types = "f",
     .precision = Precision::kNever,
     .layout = L2NormalizeLayout,
     .doc = "divides by the root of the sum of squares"},
    {.name = "nn.layer_norm",
     .inputs = "data, gamma, beta",
     .attrs = &kSchema<LayerNormAttrs>,
     .type = LayerNormRule,
     .kernel = LayerNormKernel,
     .element_types = "f",
     .precision = Precision::kNever,
     .layout = NormalizationLayout,
     .doc = "normalises along one axis by its moments"},
    {.name = "nn.lrn",
     .inputs = "data",
     .attrs = &kSchema<LRNAttrs>,
     .type = IdentityRule,
     .kernel = LRNKernel,
     .fusion = Fusion::kOpaque,
     .element_types = "f",
     .doc = "divides by a power of the sum of squares of neighbouring channels"},
});

}  // namespace relayopt
