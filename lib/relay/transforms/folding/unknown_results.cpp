#include "unknown_results.h"

#include "relayopt/core/type_walk.h"

namespace relayopt {

namespace {

auto IsUnknownResult(const Function& function, ExprId id) -> bool {
  return function.kind(id) == ExprKind::kFunction && HasUnknownExtent(function.context(), function.info(id).result);
}

}  // namespace

auto HasUnknownResults(GlobalId id, const Function& function) -> bool {
  bool has_unknown = false;
  for (const ExprId e : function.ids()) {
    if (function.kind(e) == ExprKind::kGlobal && function.global(e) == id) return false;
    has_unknown = has_unknown || IsUnknownResult(function, e);
  }
  return has_unknown;
}

auto ForgetUnknownResults(GlobalId id, Function& function) -> bool {
  if (!HasUnknownResults(id, function)) return false;
  for (const ExprId e : function.ids()) {
    if (IsUnknownResult(function, e)) function.set_result(e, {});
  }
  return true;
}

}  // namespace relayopt
