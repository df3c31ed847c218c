// Which parameters are weights.
#include <algorithm>

#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

auto IsWeightInput(std::string_view input) -> bool {
  constexpr std::string_view kInputs[] = {"weight", "weights", "bias", "gamma", "beta",
                                          "moving_mean", "moving_var", "kernel", "alpha"};
  return std::ranges::find(kInputs, input) != std::end(kInputs);
}

}  // namespace

auto FindWeights(const Function& function) -> std::vector<ExprId> {
  SideTable<ExprId, bool> is_weight(function.size());
  // Users before their operands.
  for (const ExprId id : function.ids().reversed()) {
    if (function.kind(id) != ExprKind::kOpCall) continue;
    const OpDef& op = *function.op(id);
    const auto operands = function.operands(id);
    const bool rearranges = operands.size() == 1 && op.fusion <= Fusion::kInjective;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_input = !op.variadic && i < Arity(op) && IsWeightInput(InputName(op, i));
      if (is_input || (rearranges && is_weight[id])) is_weight[operands[i]] = true;
    }
  }
  std::vector<ExprId> weights;
  for (const ExprId param : function.params()) {
    if (is_weight[param]) weights.push_back(param);
  }
  return weights;
}

}  // namespace relayopt
