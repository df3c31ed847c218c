// Layout rules of normalisations.
#include "lib/relay/ops/layout_helpers.h"
#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/nn_norm.h"

namespace relayopt {

auto BatchNormLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = FollowAxis(rule);
  const LayoutId channels = rule.Parse("C");
  return data && WithChannels(rule, data, {data, channels, channels});
}

auto NormalizationLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = FollowAxis(rule);
  return data && WithChannels(rule, data, {data});
}

auto InstanceNormLayout(LayoutRuleContext& rule) -> bool {
  // The first axis is that of the samples, whatever its name is.
  const auto samples = rule.MapAxis(0, 0);
  if (samples && *samples == 0) return NormalizationLayout(rule);
  return rule.size() != 0 && WithChannels(rule, rule.old_layout(0), {rule.old_layout(0)});
}

auto L2NormalizeLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<L2NormalizeAttrs>();
  if (attrs == nullptr || rule.size() == 0) return false;
  if (attrs->axis.null) return rule.DoneAll(rule.offered(0));
  const auto axes = rule.MapAxes(0, attrs->axis);
  if (!axes) return rule.DoneAll(rule.old_layout(0));
  rule.Set("axis", *axes);
  return rule.DoneAll(rule.offered(0));
}

}  // namespace relayopt
