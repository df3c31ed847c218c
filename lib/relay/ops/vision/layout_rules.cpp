// The layout rule of operators on regions.
#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

auto RegionLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = rule.Named("layout");
  return rule.Done({data, rule.Parse("N5")}, {data});
}

}  // namespace relayopt
