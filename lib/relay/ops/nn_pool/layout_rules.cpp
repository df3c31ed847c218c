// The layout rule of pooling.
#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

auto PoolingLayout(LayoutRuleContext& rule) -> bool {
  const auto* out = rule.Get<std::string>("out_layout");
  // If the result has a layout of its own, the data's layout cannot change, either.
  if (out != nullptr && !out->empty()) return rule.Done({rule.Named("layout")}, {rule.Parse(*out)});
  if (rule.has_new() && rule.Get<std::string>("layout") != nullptr) {
    rule.Set<std::string>("layout", rule.Find(rule.new_layout(0))->name());
  }
  return rule.DoneAll(rule.Named("layout"));
}

}  // namespace relayopt
