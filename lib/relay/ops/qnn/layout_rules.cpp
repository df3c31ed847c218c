// Layout rules of quantized operators.
#include <algorithm>

#include "lib/relay/ops/broadcast_layout.h"
#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/qnn.h"

namespace relayopt {

namespace {

// Whether one scale or zero point, input `i`, applies to the whole tensor.
auto IsScalar(const LayoutRuleContext& rule, size_t i) -> bool {
  const auto shape = rule.shape(i);
  return shape && std::all_of(shape->begin(), shape->end(), [](const Dim& dim) { return dim.is(1); });
}

// The answer `data` for the first inputs, extended by C for the rest.
auto DoneWithChannels(LayoutRuleContext& rule, LayoutIds data, LayoutId out, std::string_view channels = "C") -> bool {
  if (rule.size() < data.size()) return false;
  data.resize(rule.size(), rule.Parse(channels));
  return rule.Done(std::move(data), {out});
}

}  // namespace

auto QnnBroadcastLayout(LayoutRuleContext& rule) -> bool {
  if (rule.size() != 8) return false;
  const auto layouts = InferBroadcastLayouts(rule);
  if (!layouts) return false;
  // lhs_axis and rhs_axis are not updated, so with scales that vary along an axis the layout must not change.
  for (size_t side = 0; side < 2 && rule.has_new(); ++side) {
    if (layouts->inputs[side] == rule.old_layout(side)) continue;
    if (!IsScalar(rule, 2 + 2 * side) || !IsScalar(rule, 3 + 2 * side)) return false;
  }
  return DoneWithChannels(rule, {layouts->inputs[0], layouts->inputs[1]}, layouts->output);
}

auto QnnConcatenateLayout(LayoutRuleContext& rule) -> bool {
  // Literal tuples of n tensors, scales and zero points, then the scale and zero point of the result.
  if (rule.size() < 5 || (rule.size() - 2) % 3 != 0) return false;
  const size_t count = (rule.size() - 2) / 3;
  std::vector<TypeId> types;
  LayoutIds old_layouts;
  LayoutIds new_layouts;
  for (size_t i = 0; i < count; ++i) {
    types.push_back(rule.type(i));
    old_layouts.push_back(rule.old_layout(i));
    if (rule.has_new()) new_layouts.push_back(rule.new_layout(i));
  }
  auto data = rule.has_new()
                  ? LayoutRuleContext(rule.context(), rule.layouts(), rule.attrs_id(), types, old_layouts, new_layouts)
                  : LayoutRuleContext(rule.context(), rule.layouts(), rule.attrs_id(), types, old_layouts);
  if (!ConcatenateLayout(data)) return false;
  rule.set_attrs_id(data.attrs_id());
  return DoneWithChannels(rule, data.inputs(), data.outputs()[0]);
}

auto QnnConvolutionLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = rule.Named("data_layout");
  const auto* out = rule.Get<std::string>("out_layout");
  return DoneWithChannels(rule, {data, rule.Named("kernel_layout")},
                          out == nullptr || out->empty() ? data : rule.Parse(*out));
}

auto QnnDenseLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = rule.Parse("NC");
  return DoneWithChannels(rule, {data, data}, data, "N");
}

auto QnnDensePackLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = rule.Parse("NC");
  return DoneWithChannels(rule, {data, rule.Named("weight_layout")}, data, "N");
}

auto RequantizeLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<RequantizeAttrs>();
  if (attrs == nullptr || rule.size() != 5 || !rule.old_layout(0)) return false;
  LayoutId data = rule.old_layout(0);
  if (rule.has_new()) {
    const Layout& before = *rule.Find(data);
    const Layout& after = *rule.Find(rule.new_layout(0));
    const bool scalar = IsScalar(rule, 1) && IsScalar(rule, 2);
    const auto rank = static_cast<int64_t>(before.rank());
    const int64_t axis = attrs->axis < 0 ? attrs->axis + rank : attrs->axis;
    if (axis < 0 || axis >= rank) return false;
    const auto follow = [&](const std::optional<Layout>& layout) {
      const auto position = layout ? layout->Find(before.axes()[static_cast<size_t>(axis)].name) : std::nullopt;
      if (!position) return false;
      rule.Set<int64_t>("axis", static_cast<int64_t>(*position));
      data = rule.layouts().Add(layout);
      return true;
    };
    // Per-channel scales require an unsplit channel axis.
    std::vector<LayoutAxis> axes;
    std::copy_if(after.axes().begin(), after.axes().end(), std::back_inserter(axes),
                 [&](const LayoutAxis& a) { return scalar || a.is_primal(); });
    static_cast<void>(follow(Layout::FromAxes(axes)));
  }
  return DoneWithChannels(rule, {data}, data);
}

}  // namespace relayopt
