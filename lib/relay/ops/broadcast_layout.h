// The layout rule of broadcasts, shared by the plain and the quantized operators.
#pragma once

#include <array>
#include <optional>

#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

struct BroadcastLayouts {
  std::array<LayoutId, 2> inputs;
  LayoutId output;
};

// Returns the layouts of inputs 0 and 1 and of the result, or nothing if they cannot be determined.
auto InferBroadcastLayouts(LayoutRuleContext& rule) -> std::optional<BroadcastLayouts>;

}  // namespace relayopt
