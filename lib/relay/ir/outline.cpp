// The outline of Relay's functions.
#include "relayopt/relay/ir/outline.h"

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

auto OutlineOfRelay(const GlobalFunction& global) -> uint64_t {
  const auto& function = static_cast<const Function&>(global);
  SideTable<ExprId, bool> is_used(function.size());
  if (function.root()) is_used[function.root()] = true;
  uint64_t outline = 0;
  for (const ExprId id : function.ids().reversed()) {
    if (!is_used[id]) continue;
    for (const ExprId operand : function.operands(id)) is_used[operand] = true;
    if (function.kind(id) != ExprKind::kOpCall) continue;
    outline += MixWords(reinterpret_cast<uintptr_t>(function.op(id)), kHashFactor);
  }
  return outline;
}

}  // namespace relayopt
