#include "unknown_results.h"

#include "relayopt/core/extents.h"
#include "relayopt/core/type_walk.h"

namespace relayopt {

namespace {

// Whether an extent in the type is not known.
auto HasUnknownExtent(const Context& context, TypeId type) -> bool {
  return AnyPart(context, type, [](const Type& part) { return !AllKnown(part.shape); });
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
