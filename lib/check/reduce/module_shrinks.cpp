// Making modules smaller, whatever functions they hold.
#include <algorithm>

#include "lib/check/reduce/shrinks.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

auto WithoutFunctions(const Module& module, Places& places) -> std::optional<Module> {
  std::optional<Module> result;
  for (const GlobalId id : module.SortedFunctions()) {
    if (!places.Next()) continue;
    if (!result) result = module;
    result->SetFunction(id, nullptr);
  }
  return result;
}

// A constructor is known by its number in the module.
static auto UsesConstructors(const Function& function) -> bool {
  return std::ranges::any_of(function.ids(), [&](ExprId id) {
    return function.kind(id) == ExprKind::kConstructor || function.kind(id) == ExprKind::kMatch;
  });
}

auto WithoutTypeDefinitions(const Module& module, Places& places) -> std::optional<Module> {
  if (module.type_defs().empty() || !places.Next()) return std::nullopt;
  Module result(module.shared_context());
  result.SetAttrs(module.attrs());
  for (const GlobalId id : module.ids()) {
    const Function* function = module.function<Function>(id);
    if (function != nullptr && UsesConstructors(*function)) return std::nullopt;
    // In the same order, so that ids stay the same.
    result.SetFunction(result.NameGlobal(module.name(id)), module.function(id));
  }
  return result;
}

auto ByPasses(const Module& module, Places& places, std::span<const std::string_view> passes) -> std::optional<Module> {
  std::optional<Module> result;
  for (const std::string_view name : passes) {
    if (!places.Next()) continue;
    const Result<PassRef> pass = GetPass(name);
    if (!pass) continue;
    PassContext context;
    Result<Module> made = (**pass)(result ? *result : module, context);
    if (made) result = *std::move(made);
  }
  return result;
}

}  // namespace relayopt
