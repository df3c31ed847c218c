// Layout rules of matrix products.
#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

auto DenseLayout(LayoutRuleContext& rule) -> bool { return rule.DoneAll(rule.Parse("NC")); }

auto DensePackLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = rule.Parse("NC");
  return rule.Done({data, rule.Named("weight_layout")}, {data});
}

}  // namespace relayopt
