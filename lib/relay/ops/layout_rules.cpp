// Layout rules of operators that take any layout, or whose layouts are attributes.
#include "relayopt/relay/ops/layout_rules.h"

#include <algorithm>

#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

namespace {

// `layout` for the data and no axes for the inputs behind it, which are scalars.
auto WithScalars(LayoutRuleContext& rule, LayoutId layout) -> bool {
  LayoutIds inputs(rule.size(), rule.layouts().Scalar());
  if (inputs.empty()) return false;
  inputs[0] = layout;
  return rule.Done(std::move(inputs), {layout});
}

}  // namespace

auto ElementwiseLayout(LayoutRuleContext& rule) -> bool {
  if (rule.size() == 0) return false;
  if (rule.has_new()) return rule.DoneAll(rule.new_layout(0));
  for (size_t i = 0; i < rule.size(); ++i) {
    if (rule.old_layout(i)) return rule.DoneAll(rule.old_layout(i));
  }
  return false;
}

auto DropoutLayout(LayoutRuleContext& rule) -> bool {
  if (rule.size() != 1) return false;
  return rule.Done({rule.offered(0)}, {rule.offered(0), rule.offered(0)});
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

auto CorrelationLayout(LayoutRuleContext& rule) -> bool { return rule.DoneAll(rule.Named("layout")); }

auto DenseLayout(LayoutRuleContext& rule) -> bool { return rule.DoneAll(rule.Parse("NC")); }

auto DensePackLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = rule.Parse("NC");
  return rule.Done({data, rule.Named("weight_layout")}, {data});
}

auto RegionLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = rule.Named("layout");
  return rule.Done({data, rule.Parse("N5")}, {data});
}

auto PoolingLayout(LayoutRuleContext& rule) -> bool {
  const auto* out = rule.Get<std::string>("out_layout");
  // A result in a layout of its own fixes the data's, too.
  if (out != nullptr && !out->empty()) return rule.Done({rule.Named("layout")}, {rule.Parse(*out)});
  if (rule.has_new() && rule.Get<std::string>("layout") != nullptr) {
    rule.Set<std::string>("layout", rule.Find(rule.new_layout(0))->name());
  }
  return rule.DoneAll(rule.Named("layout"));
}

auto ResizeLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId own = rule.Named("layout");
  if (!own || rule.size() == 0) return false;
  if (rule.has_new() && own == rule.old_layout(0)) {
    const Layout& offered = *rule.Find(rule.new_layout(0));
    if (offered.rank() == rule.Find(own)->rank()) rule.Set<std::string>("layout", offered.name());
  }
  return WithScalars(rule, rule.Named("layout"));
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
