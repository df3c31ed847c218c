// Rewrites the functions of a module, for module passes.
#pragma once

#include <optional>
#include <utility>

#include "relayopt/module/module.h"

namespace relayopt {

// Rewrites functions of the class F in the order of their names. `rewrite(id,
// function) -> std::optional<F>` returns the replacement, or nothing if a function
// stays. Returns the module with the new functions, or nothing if all stay.
template <typename F, typename Rewrite>
auto RewriteFunctions(const Module& module, Rewrite&& rewrite) -> std::optional<Module> {
  std::optional<Module> result;
  for (const GlobalId id : module.SortedFunctions<F>()) {
    std::optional<F> made = rewrite(id, *module.function<F>(id));
    if (!made) continue;
    if (!result) result = module;
    result->SetFunction(id, std::make_shared<const F>(*std::move(made)));
  }
  return result;
}

}  // namespace relayopt
