// Binds intermediate results with let, for ToANormalForm and ToBasicBlockNormalForm.
#pragma once

#include <functional>
#include <optional>

#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/scopes.h"

namespace relayopt {

// Binds the expressions in `lifted` (all, when it is null) by let in the scope that they belong to, in the order in
// which TVM evaluates them. Existing bindings stay. Fresh variables are named `x_<n>`. As TVM: a number is
// used up for every expression that is not a variable or name, whether it is bound or not.
auto BindWithLet(const Function& function, const Scopes& scopes, const SideTable<ExprId, bool>* lifted,
                 PassContext& context) -> Function;

// Binds every expression with several users, other than variables, names and constants, so that the body becomes a
// tree; returns nothing if it is one already.
auto BindShared(const Function& function, PassContext& context) -> std::optional<Function>;

// Applies `rewrite` to every function of the module that is not meant for an external compiler.
auto RewriteFunctions(const Module& module, const std::function<Function(const Function&)>& rewrite)
    -> std::optional<Module>;

}  // namespace relayopt
