// Which rule lowers an operator.
#include "lowering.h"

#include <array>

namespace relayopt {

namespace {

// Rules by position in the family's rows.
using RuleTable = std::array<QnnRule, std::size(kQnnOps)>;

auto MakeTable() -> RuleTable {
  RuleTable table{};
  for (const auto family : {QnnElementwiseLowerings(), QnnUnaryLowerings(), QnnBinaryLowerings(), QnnProductLowerings(),
                            QnnConvolutionLowerings()}) {
    for (const auto& [op, rule] : family) table[static_cast<size_t>(op - kQnnOps)] = rule;
  }
  return table;
}

}  // namespace

auto FindQnnLowering(const OpDef* op) -> QnnRule {
  static const RuleTable table = MakeTable();
  const bool is_qnn = op >= std::begin(kQnnOps) && op < std::end(kQnnOps);
  return is_qnn ? table[static_cast<size_t>(op - kQnnOps)] : nullptr;
}

}  // namespace relayopt
