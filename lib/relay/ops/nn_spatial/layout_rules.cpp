// Layout rules of padding and correlation.
#include <algorithm>

#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/nn_spatial.h"

namespace relayopt {

namespace {

// Returns the widths of a pad in the order of the new layout, or nothing if an axis that it pads is packed there.
auto FollowPad(LayoutRuleContext& rule, const DimLists& widths) -> std::optional<DimLists> {
  const Layout& before = *rule.Find(rule.old_layout(0));
  const Layout& after = *rule.Find(rule.new_layout(0));
  DimLists moved;
  for (const LayoutAxis& axis : after.axes()) {
    auto position = before.Find(axis.name);
    const bool packed = !position;
    if (packed) position = before.Find(axis.primal());
    if (!position || *position >= widths.size()) return std::nullopt;
    const DimList& width = widths[*position];
    if (packed && !std::all_of(width.begin(), width.end(), [](const Dim& d) { return d.is(0); })) return std::nullopt;
    moved.values.push_back(width);
  }
  return moved;
}

}  // namespace

auto CorrelationLayout(LayoutRuleContext& rule) -> bool { return rule.DoneAll(rule.Named("layout")); }

auto PadLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<PadAttrs>();
  if (attrs == nullptr || attrs->pad_width.null || rule.size() != 2 || !rule.old_layout(0)) return false;
  LayoutId data = rule.old_layout(0);
  if (rule.has_new()) {
    if (auto moved = FollowPad(rule, attrs->pad_width)) {
      rule.Set("pad_width", *moved);
      data = rule.new_layout(0);
    }
  }
  // As TVM: the layout of the padding value, which has no axes, is written "1".
  return rule.Done({data, rule.Parse("1")}, {data});
}

}  // namespace relayopt
