// ToCPS: makes every function call a continuation with its result instead of returning it.
#include <fmt/core.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "converted_globals.h"
#include "cps_converter.h"
#include "function_encoding.h"
#include "let_builder.h"
#include "lib/relay/transforms/fusion/primitive_scopes.h"
#include "relayopt/module/functions.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kDataOfFunctions = {
    "cps-data-of-functions", Severity::kError,
    "ToCPS cannot convert @{}: data of constructor {} holds functions, whose type would change with the functions"};

// Returns the first constructor with a function among its fields that the function builds or matches.
auto ConstructorOfFunctions(const Module& module, const Function& function) -> CtorId {
  const auto holds_functions = [&](CtorId id) {
    const auto& inputs = module.constructor(id).inputs;
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](TypeId type) { return module.context().type(type).is_function(); });
  };
  for (const ExprId id : function.ids()) {
    if (function.kind(id) == ExprKind::kConstructor && holds_functions(function.constructor(id))) {
      return function.constructor(id);
    }
    if (function.kind(id) != ExprKind::kMatch) continue;
    for (const Pattern& pattern : function.match(id).patterns) {
      if (pattern.kind == PatternKind::kConstructor && holds_functions(pattern.ctor)) return pattern.ctor;
    }
  }
  return {};
}

constexpr DiagnosticKind kKernelOfFunctions = {
    "cps-kernel-of-functions", Severity::kError,
    "ToCPS cannot convert @{}: a kernel (Primitive) in it, which stays as it is, works with functions that change"};

// Returns an expression inside a kernel that calls a global function, or makes or calls functions where the kernel
// takes some from outside, or none if all kernels can stay as they are.
auto FindKernelOfFunctions(const Function& function) -> ExprId {
  const PrimitiveScopes kernels(function);
  ExprId works;
  for (const ExprId id : function.ids()) {
    if (!kernels.Contains(id)) continue;
    const ExprKind kind = function.kind(id);
    const ExprKind callee = kind == ExprKind::kCall ? function.kind(function.operand(id, 0)) : ExprKind::kConstant;
    if (callee == ExprKind::kGlobal) return id;
    const bool is_literal = kind == ExprKind::kFunction && !IsPrimitive(function, id);
    if (is_literal || callee == ExprKind::kVar) works = id;
  }
  if (!works) return {};
  const auto is_changed = [&](ExprId var) {
    const TypeId type = function.type(var) ? function.type(var) : function.var(var).annotation;
    return HasFunctionType(function.context(), type);
  };
  for (const ExprId id : function.ids()) {
    if (!IsPrimitive(function, id)) continue;
    if (std::ranges::any_of(function.params(id), is_changed)) return works;
    if (std::ranges::any_of(FindVars(function, id).free, is_changed)) return works;
  }
  return {};
}

struct ToCPS {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    Module typed = module;
    RELAYOPT_TRY([[maybe_unused]] const bool inferred, InferTypePass()->Apply(typed, context));
    Module result = typed;
    ConvertedGlobals globals(result, "_cps");
    const auto convert = [&](GlobalId from, GlobalId to) -> std::optional<Diagnostic> {
      const Function& function = *typed.function<Function>(from);
      if (const CtorId ctor = ConstructorOfFunctions(typed, function)) {
        return MakeDiagnostic(kDataOfFunctions, {}, typed.name(from),
                              typed.context().text(typed.constructor(ctor).name));
      }
      if (const ExprId inside = FindKernelOfFunctions(function)) {
        return MakeDiagnostic(kKernelOfFunctions, function.range(inside), typed.name(from));
      }
      const std::optional<Function> tree = BindShared(function, context);
      auto converted = ConvertToCps(
          tree ? *tree : function, [&globals](GlobalId id) { return globals.NameOf(id); }, context);
      if (!converted) return std::move(converted).error();
      result.SetFunction(to, std::make_shared<Function>(*std::move(converted)));
      return std::nullopt;
    };
    for (const auto& [id, function] : FunctionsOf<Function>(typed)) {
      if (IsSkippedByFunctionPasses(function)) continue;
      if (auto error = convert(id, id)) return *std::move(error);
    }
    while (globals.has_pending()) {
      const GlobalId id = globals.TakePending();
      if (auto error = convert(id, globals.NameOf(id))) return *std::move(error);
    }
    RELAYOPT_TRY([[maybe_unused]] const bool again, InferTypePass()->Apply(result, context));
    return result;
  }
};

}  // namespace

constinit const PassDef kToCPSPass = DescribePass<ToCPS>({
    .name = "ToCPS",
    .opt_level = 1,
    .summary = "converts functions to continuation-passing style",
    .details =
        R"(Every function takes a further parameter, its continuation, and calls it with its result, so that calls of
functions are the last thing that a function does. What a continuation returns is the type parameter `answer` of the
global function.

  def @main(%x: int32) -> int32 {         def @main[answer](%x: int32, %k: fn (int32) -> answer) -> answer {
    %0 = @f(%x);                            @f_cps(%x, fn (%arg: int32) -> answer {
    add(%0, 1)                       =>       let %x_0 = add(%arg, 1);
  }                                           %k(%x_0)
                                            })
                                          }

Calls of operators, constructors and kernels (Primitive), reads and writes of references are bound by let, in the order
in which they were evaluated; the code after an if or match becomes a function that each branch calls. Global functions
that converted code calls get a converted form of their own, named with `_cps`, and are converted in place as well. A
constructor, operator or kernel that is used as a value is wrapped in a function literal that calls it.

An expression that several others use is bound by let before. Types are inferred before and after. Left alone: functions
for external compilers, and those marked Extern or SkipOptimization, unless converted code calls them. Kernels that call
global functions, or call or make functions and take some, are an error.)",
});

}  // namespace relayopt
