// Loops over the functions of a module that are of one kind, for module passes and analyses.
#pragma once

#include <memory>
#include <optional>
#include <ranges>
#include <utility>

#include "relayopt/module/module.h"

namespace relayopt {

// A function of a module and its global.
template <typename F>
struct NamedFunction {
  GlobalId id;
  const F& function;
};

// Returns the functions of the class F as a range of NamedFunction<F>, in the order in which their globals were first
// named. The module must live as long, and no global of it may be set.
template <typename F>
auto FunctionsOf(const Module& module) {
  return module.ids() | std::views::filter([&module](GlobalId id) { return module.function<F>(id) != nullptr; }) |
         std::views::transform([&module](GlobalId id) {
           return NamedFunction<F>{id, *module.function<F>(id)};
         });
}
template <typename F>
void FunctionsOf(const Module&& module) = delete;

// Rewrites functions of the class F in the order of their names. `rewrite(id, function) -> std::optional<F>` returns
// the replacement, or nothing if a function stays. Returns the module with the new functions, or nothing if all stay.
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
