// The layout rule of simulated quantization.
#include "lib/relay/ops/layout_helpers.h"

namespace relayopt {

auto SimulatedQuantizeLayout(LayoutRuleContext& rule) -> bool {
  return rule.size() != 0 && WithChannels(rule, rule.offered(0), {rule.offered(0)});
}

}  // namespace relayopt
