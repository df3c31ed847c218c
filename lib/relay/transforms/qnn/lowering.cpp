// The table of lowering rules.
#include "lowering.h"

namespace relayopt {

auto FindQnnLowering(const OpDef* op) -> QnnRule {
  static const OpRules<QnnRule> rules = {QnnElementwiseLowerings(), QnnUnaryLowerings(), QnnBinaryLowerings(),
                                         QnnProductLowerings(), QnnConvolutionLowerings()};
  const QnnRule* rule = rules.Find(op);
  return rule == nullptr ? nullptr : *rule;
}

}  // namespace relayopt
