// The layout rule of fixed-point multiplication.
#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/misc_tensor.h"

namespace relayopt {

auto FixedPointMultiplyPerAxisLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<FixedPointMultiplyPerAxisAttrs>();
  if (attrs == nullptr || attrs->axes.null || rule.size() != 4 || !rule.old_layout(0)) return false;
  const Layout& before = *rule.Find(rule.old_layout(0));
  const Layout& after = *rule.Find(rule.offered(0));
  DimList axes;
  std::vector<LayoutAxis> channels;
  for (const Dim& axis : attrs->axes) {
    if (!axis.is_int()) return false;
    const int64_t position = axis.value() < 0 ? axis.value() + static_cast<int64_t>(before.rank()) : axis.value();
    if (position < 0 || position >= static_cast<int64_t>(before.rank())) return false;
    const char name = before.axes()[static_cast<size_t>(position)].name;
    for (size_t i = 0; i < after.rank(); ++i) {
      if (after.axes()[i].name != name && (before.Contains(after.axes()[i].name) || after.axes()[i].primal() != name)) {
        continue;
      }
      axes.values.emplace_back(static_cast<int64_t>(i));
      channels.push_back(after.axes()[i]);
    }
  }
  rule.Set("axes", axes);
  const LayoutId factors = rule.layouts().Add(Layout::FromAxes(channels));
  return rule.Done({rule.offered(0), factors, factors, factors}, {rule.offered(0)});
}

}  // namespace relayopt
