// Binds intermediate results with let, for ToANormalForm and ToBasicBlockNormalForm.
#pragma once

#include <functional>
#include <optional>

#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/scopes.h"

namespace relayopt {

// Rebuilds a function so that the expressions of `lifted` (all, where it is null) are bound by let in the scope that
// they belong to, in the order in which the reference evaluates them. Bindings of the source stay. Fresh variables are
// named `x_<n>`. As TVM: a number is drawn for every expression that is no variable or name, bound or not.
auto BindWithLet(const Function& function, const Scopes& scopes, const SideTable<ExprId, bool>* lifted,
                 PassContext& context) -> Function;

// The function with every expression that has several users, and is no variable, name or constant, bound by let, so
// that its body is a tree; nothing when it is one already.
auto BindShared(const Function& function, PassContext& context) -> std::optional<Function>;

// Applies `rewrite` to every function of the module that is not meant for an external compiler.
auto RewriteFunctions(const Module& module, const std::function<Function(const Function&)>& rewrite)
    -> std::optional<Module>;

}  // namespace relayopt
