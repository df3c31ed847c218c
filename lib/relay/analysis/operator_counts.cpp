// How often operators are called.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

auto CountOperators(const Module& module) -> std::vector<std::pair<const OpDef*, uint64_t>> {
  absl::flat_hash_map<const OpDef*, uint64_t> counts;
  for (const Global& global : module.globals()) {
    const auto* relay = As<Function>(global.function.get());
    if (relay == nullptr) continue;
    const Function& function = *relay;
    std::vector<bool> hidden(function.size());
    for (uint32_t i = static_cast<uint32_t>(function.size()); i-- > 0;) {
      const ExprId id(i);
      const bool is_kernel = function.kind(id) == ExprKind::kFunction && function.IntAttr(id, "Primitive") != 0;
      if (is_kernel || hidden[i]) {
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
