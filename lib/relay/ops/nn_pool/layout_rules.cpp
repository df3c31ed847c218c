// The layout rule of pooling.
#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

auto PoolingLayout(LayoutRuleContext& rule) -> bool {
  const auto* out = rule.Get<std::string>("out_layout");
  // If a layout of the result is asked for, the data's layout cannot change. The result has that, too: TVM computes and
  // types it as if nothing had been asked, but takes it for one of the other layout here.
  if (out != nullptr && !out->empty()) return rule.DoneAll(rule.Named("layout"));
  if (rule.has_new() && rule.Get<std::string>("layout") != nullptr) {
    rule.Set<std::string>("layout", rule.Find(rule.new_layout(0))->name());
  }
  return rule.DoneAll(rule.Named("layout"));
}

}  // namespace relayopt
