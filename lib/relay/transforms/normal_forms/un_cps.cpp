// UnCPS: wraps functions in continuation-passing style so that they return their result.
#include <vector>

#include "lib/relay/transforms/expr_copier.h"
#include "lib/relay/transforms/named_globals.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/types/substitution.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoContinuation = {
    "no-continuation", Severity::kError,
    "UnCPS: @{} is not in continuation-passing style: its last parameter must be a function of one argument, and it "
    "must have the type parameter that this function returns"};

struct UnCPS {
  auto Run(const Module& module, GlobalId id, const Function& function, PassContext&) const
      -> Result<std::optional<Function>> {
    // Other functions call it with a continuation.
    if (module.Analysis<NamedGlobals>().contains(id)) return std::nullopt;
    Context& context = function.context();
    const std::vector<TypeId>& old_vars = function.info().type_params;
    const TypeId continuation = function.params().empty() ? TypeId() : TypeOf(function, function.params().back());
    if (!continuation || old_vars.empty() || !context.type(continuation).is_function() ||
        context.type(continuation).args.size() != 1) {
      return MakeDiagnostic(kNoContinuation, module.global(id).range, module.name(id));
    }
    // A closure among the results takes a continuation, too, with the same answer type: as a result the answer would be
    // a part of its own type.
    const TypeId returned = context.type(continuation).args[0];
    const TypeId answer = old_vars.back();
    const TypeId other = context.FreshVar(context.type(answer).name);
    if (Substitute(context, returned, std::span(&answer, 1), std::span(&other, 1)) != returned) return std::nullopt;
    FunctionInfo info = function.info();
    info.type_params.clear();
    for (const TypeId var : old_vars) info.type_params.push_back(context.FreshVar(context.type(var).name));
    info.result = Substitute(context, returned, old_vars, info.type_params);
    // The answer type is now the result type.
    std::vector<TypeId> new_vars = info.type_params;
    new_vars.back() = info.result;
    info.type_params.pop_back();

    FunctionBuilder to(context);
    std::vector<ExprId> params;
    const Substitution instance(context, old_vars, new_vars);
    for (const ExprId param : function.params().first(function.params().size() - 1)) {
      params.push_back(NewVar(to, function.var(param).name, instance(TypeOf(function, param))));
    }
    std::vector<ExprId> args = params;
    const ExprId x = NewVar(to, context.Intern("x"), info.result);
    FunctionInfo identity;
    identity.result = info.result;
    args.push_back(to.Lambda(std::move(identity), std::span(&x, 1), x));
    const ExprId call = to.Call(ExprCopier(function, to).Copy(function.root()), args);
    return Relayout(to.Finish(to.Lambda(std::move(info), params, call)));
  }

 private:
  static auto TypeOf(const Function& function, ExprId var) -> TypeId {
    return function.type(var) ? function.type(var) : function.var(var).annotation;
  }

  static auto NewVar(FunctionBuilder& to, StringId name, TypeId type) -> ExprId {
    const ExprId var = to.Var({.name = name, .annotation = type, .virtual_device = {}});
    to.SetType(var, type);
    return var;
  }
};

}  // namespace

constinit const PassDef kUnCPSPass = DescribePass<UnCPS>({
    .name = "UnCPS",
    .opt_level = 1,
    .summary = "makes functions in continuation-passing style return their result",
    .details = R"(Each function becomes one that calls it with the identity as continuation:

  def @main[answer](%x: T, %k: fn (R) -> answer) -> answer { body }
  =>
  def @main(%x: T) -> R {
    %0 = fn (%x1: R) -> R { %x1 };
    %1 = fn [answer](%x2: T, %k: fn (R) -> answer) -> answer { body };
    %1(%x, %0)
  }

The attributes are those of the function. It must have the form that ToCPS gives: the last parameter is the continuation,
the last type parameter its answer; anything else is an error. Functions that others call, or that call themselves, stay as they
are: their callers pass a continuation. So do functions that return closures, which take a continuation to the same answer.)",
});

}  // namespace relayopt
