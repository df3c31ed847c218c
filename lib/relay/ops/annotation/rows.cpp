// Type rules of annotations.
#include "relayopt/relay/ops/annotation.h"

namespace relayopt {

auto SimulatedQuantizeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const TypeId scalar = rule.context().Scalar(DataType::Float(32));
  for (size_t i = 1; i < rule.size(); ++i) {
    if (!rule.AssignInput(i, scalar)) return RuleStatus::kFailed;
  }
  return rule.DoneSameAs(0);
}

}  // namespace relayopt
