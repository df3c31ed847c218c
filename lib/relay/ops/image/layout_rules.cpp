// The layout rule of resizing.
#include "lib/relay/ops/layout_helpers.h"
#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

auto ResizeLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId own = rule.Named("layout");
  if (!own || rule.size() == 0) return false;
  if (rule.has_new() && own == rule.old_layout(0)) {
    const Layout& offered = *rule.Find(rule.new_layout(0));
    if (offered.rank() == rule.Find(own)->rank()) rule.Set<std::string>("layout", offered.name());
  }
  return WithScalars(rule, rule.Named("layout"));
}

}  // namespace relayopt
