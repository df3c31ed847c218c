#include "unknown_results.h"

#include <vector>
#include "relayopt/core/extents.h"

namespace relayopt {

namespace {

// Whether an extent in the type is not known.
auto HasUnknownExtent(const Context& context, TypeId type) -> bool {
  std::vector<TypeId> pending = {type};
  while (!pending.empty()) {
    const TypeId next = pending.back();
    pending.pop_back();
    if (!next) continue;
    const Type& term = context.type(next);
    if (!AllKnown(term.shape)) return true;
    pending.push_back(term.result);
    pending.insert(pending.end(), term.args.begin(), term.args.end());
  }
  return false;
}

}  // namespace

auto ForgetUnknownResults(GlobalId id, Function& function) -> bool {
  for (const ExprId e : function.ids()) {
    if (function.kind(e) == ExprKind::kGlobal && function.global(e) == id) return false;
  }
  bool changed = false;
  for (const ExprId e : function.ids()) {
    if (function.kind(e) != ExprKind::kFunction || !HasUnknownExtent(function.context(), function.info(e).result))
      continue;
    function.set_result(e, {});
    changed = true;
  }
  return changed;
}

}  // namespace relayopt
