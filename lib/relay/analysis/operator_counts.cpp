// Counts operator calls.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "relayopt/module/functions.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

auto CountOperators(const Module& module) -> std::vector<std::pair<const OpDef*, uint64_t>> {
  absl::flat_hash_map<const OpDef*, uint64_t> counts;
  for (const auto& [global, function] : FunctionsOf<Function>(module)) {
    std::vector<bool> hidden(function.size());
    for (const ExprId id : function.ids().reversed()) {
      const bool is_kernel = IsPrimitive(function, id);
      if (is_kernel || hidden[id.value()]) {
        for (const ExprId operand : function.operands(id)) hidden[operand.value()] = true;
      } else if (function.kind(id) == ExprKind::kOpCall) {
        ++counts[function.op(id)];
      }
    }
  }
  std::vector<std::pair<const OpDef*, uint64_t>> sorted(counts.begin(), counts.end());
  std::ranges::sort(sorted, {}, [](const auto& entry) { return entry.first->name; });
  return sorted;
}

}  // namespace relayopt
