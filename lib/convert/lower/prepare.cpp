#include "prepare.h"

#include <string>

#include "relayopt/pass/pipeline.h"

namespace relayopt {

namespace {

auto Run(const Module& module, std::string_view text) -> Result<Module> {
  auto pipeline = ParsePipeline(text);
  RELAYOPT_CHECK(pipeline.has_value(), "what prepares a module is a pipeline");
  const auto pass = BuildPipeline(*pipeline);
  if (!pass) return pass.error();
  PassContext context;
  // Every pass that the pipeline names runs.
  context.set_opt_level(4);
  return (**pass)(module, context);
}

auto IsOfFunctions(const Function& function, ExprId id) -> bool {
  return function.type(id) && function.context().type(function.type(id)).is_function();
}

auto HasValuesWithoutForm(const Module& module) -> bool {
  for (const GlobalId global : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(global);
    for (const ExprId id : function.ids()) {
      switch (function.kind(id)) {
        case ExprKind::kMatch:
        case ExprKind::kConstructor:
        case ExprKind::kRefCreate:
        case ExprKind::kRefRead:
        case ExprKind::kRefWrite: return true;
        default: break;
      }
      if (UsesFunctionAsValue(function, id)) return true;
    }
  }
  return false;
}

}  // namespace

auto UsesFunctionAsValue(const Function& function, ExprId id) -> bool {
  const ExprKind kind = function.kind(id);
  if (kind == ExprKind::kLet || (id == function.root() && function.IntAttr(id, "Closure") != 0)) return false;
  const auto operands = function.operands(id);
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool is_called = kind == ExprKind::kCall && i == 0;
    if (!is_called && IsOfFunctions(function, operands[i])) return true;
  }
  return false;
}

auto PrepareFor(const Module& module, std::string_view pipeline) -> Result<Module> {
  auto prepared = Run(module, pipeline);
  if (!prepared || !HasValuesWithoutForm(*prepared)) return prepared;
  auto evaluated = Run(module, "ToANormalForm,PartialEvaluate,DeadCodeElimination," + std::string(pipeline));
  return evaluated && !HasValuesWithoutForm(*evaluated) ? std::move(evaluated) : std::move(prepared);
}

}  // namespace relayopt
