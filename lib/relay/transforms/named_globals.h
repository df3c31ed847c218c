// Finds the functions that other functions refer to.
#pragma once

#include "absl/container/flat_hash_set.h"
#include "relayopt/module/functions.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// The global functions that are called or passed around by name: their callers rely on their types. Ask the
// module for it: `module.Analysis<NamedGlobals>()`.
class NamedGlobals {
 public:
  explicit NamedGlobals(const Module& module) {
    for (const auto& [global, function] : FunctionsOf<Function>(module)) {
      for (const ExprId id : function.ids()) {
        if (function.kind(id) == ExprKind::kGlobal) names_.insert(function.global(id));
      }
    }
  }
  auto contains(GlobalId id) const -> bool { return names_.contains(id); }

 private:
  absl::flat_hash_set<GlobalId> names_;
};

}  // namespace relayopt
