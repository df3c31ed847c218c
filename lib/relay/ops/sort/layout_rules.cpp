// The layout rule of topk.
#include "lib/relay/ops/layout_helpers.h"
#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/sort.h"

namespace relayopt {

auto TopkLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = FollowAxis(rule);
  const auto* attrs = rule.attrs<TopkAttrs>();
  if (!data || attrs == nullptr) return false;
  return rule.Done(LayoutIds(rule.size(), data), LayoutIds(attrs->ret_type == "both" ? 2 : 1, data));
}

}  // namespace relayopt
