// Layout rules of activations with channels and of dropout.
#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

auto DropoutLayout(LayoutRuleContext& rule) -> bool {
  if (rule.size() != 1) return false;
  return rule.Done({rule.offered(0)}, {rule.offered(0), rule.offered(0)});
}

auto PReluLayout(LayoutRuleContext& rule) -> bool {
  return rule.size() == 2 && rule.Done({rule.old_layout(0), rule.Parse("C")}, {rule.old_layout(0)});
}

}  // namespace relayopt
