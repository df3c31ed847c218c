// Layout rules that several families share, and their helpers.
#include "relayopt/relay/ops/layout_rules.h"

#include "layout_helpers.h"

namespace relayopt {

auto WithScalars(LayoutRuleContext& rule, LayoutId layout) -> bool {
  LayoutIds inputs(rule.size(), rule.layouts().Scalar());
  if (inputs.empty()) return false;
  inputs[0] = layout;
  return rule.Done(std::move(inputs), {layout});
}

auto FollowAxis(LayoutRuleContext& rule) -> LayoutId {
  const auto* axis = rule.Get<int64_t>("axis");
  if (axis == nullptr || rule.size() == 0) return {};
  if (const auto mapped = rule.MapAxis(0, *axis)) {
    rule.Set<int64_t>("axis", *mapped);
    return rule.offered(0);
  }
  return rule.old_layout(0);
}

auto WithChannels(LayoutRuleContext& rule, LayoutId data, LayoutIds outputs) -> bool {
  LayoutIds inputs(rule.size(), rule.Parse("C"));
  inputs[0] = data;
  return rule.Done(std::move(inputs), std::move(outputs));
}

auto ElementwiseLayout(LayoutRuleContext& rule) -> bool {
  if (rule.size() == 0) return false;
  if (rule.has_new()) return rule.DoneAll(rule.new_layout(0));
  for (size_t i = 0; i < rule.size(); ++i) {
    if (rule.old_layout(i)) return rule.DoneAll(rule.old_layout(i));
  }
  return false;
}

auto ConvolutionLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = rule.Named("data_layout");
  const LayoutId kernel = rule.Named("kernel_layout");
  const auto* out_text = rule.Get<std::string>("out_layout");
  const LayoutId out = out_text == nullptr || out_text->empty() ? data : rule.Parse(*out_text);
  if (rule.size() < 2) return false;
  LayoutIds inputs(rule.size(), data);
  inputs.back() = kernel;
  return rule.Done(std::move(inputs), {out});
}

auto UpsamplingLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId own_id = rule.Named("layout");
  if (!own_id || rule.size() == 0) return false;
  if (rule.has_new()) {
    const Layout& own = *rule.Find(own_id);
    const Layout& offered = *rule.Find(rule.new_layout(0));
    const auto stays = [&](char axis) { return offered.Find(axis) == own.Find(axis) && !offered.FactorOf(axis); };
    if (stays('H') && stays('W') && stays('D')) rule.Set<std::string>("layout", offered.name());
  }
  return WithScalars(rule, rule.Named("layout"));
}

}  // namespace relayopt
