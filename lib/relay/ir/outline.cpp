// The outline of Relay's functions.
#include "relayopt/relay/ir/outline.h"

#include <algorithm>

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

namespace {

auto IsSame(const DictAttr& a, const DictAttr& b) -> bool { return a.key == b.key && a.value == b.value; }

auto IsSame(const FunctionInfo& a, const FunctionInfo& b) -> bool {
  return a.result == b.result && a.type_params == b.type_params && a.virtual_device == b.virtual_device &&
         std::ranges::equal(a.attrs, b.attrs, [](const DictAttr& x, const DictAttr& y) { return IsSame(x, y); });
}

auto IsSame(const VarInfo& a, const VarInfo& b) -> bool {
  return a.name == b.name && a.annotation == b.annotation && a.virtual_device == b.virtual_device;
}

auto IsSame(const Function& a, const Function& b, ExprId id) -> bool {
  const ExprKind kind = a.kind(id);
  if (kind != b.kind(id) || a.type(id) != b.type(id) || a.span(id) != b.span(id)) return false;
  if (!std::ranges::equal(a.operands(id), b.operands(id))) return false;
  switch (kind) {
    case ExprKind::kVar: return IsSame(a.var(id), b.var(id));
    case ExprKind::kFunction: return IsSame(a.info(id), b.info(id));
    case ExprKind::kMatch: return false;
    default: return a.payload(id) == b.payload(id);
  }
}

}  // namespace

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

auto HaveSameTables(const GlobalFunction& a, const GlobalFunction& b) -> bool {
  const auto& x = static_cast<const Function&>(a);
  const auto& y = static_cast<const Function&>(b);
  return x.size() == y.size() && x.root() == y.root() &&
         std::ranges::all_of(x.ids(), [&](ExprId id) { return IsSame(x, y, id); });
}

}  // namespace relayopt
