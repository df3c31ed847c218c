// Finds the expressions inside functions marked Primitive (kernels), which most passes leave as they are.
#pragma once

#include <vector>

#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/scopes.h"

namespace relayopt {

class PrimitiveScopes {
 public:
  // Costs one scan if no function is marked.
  explicit PrimitiveScopes(const Function& function) {
    bool any = false;
    for (const ExprId id : function.ids()) any |= IsPrimitive(function, id);
    if (!any) return;
    scopes_ = ComputeScopes(function);
    inside_.resize(scopes_.scopes.size());
    for (size_t i = 1; i < inside_.size(); ++i) {
      const Scope& scope = scopes_.scopes[i];
      inside_[i] = inside_[scope.parent.value()] || IsPrimitive(function, scope.owner);
    }
  }

  // Whether the expression is evaluated inside a primitive function and nowhere else.
  auto Contains(ExprId id) const -> bool {
    return !inside_.empty() && scopes_.of[id] && inside_[scopes_.of[id].value()];
  }

 private:
  Scopes scopes_;
  // Indexed by scope; empty if no function is marked.
  std::vector<bool> inside_;
};

}  // namespace relayopt
