// PartialEvaluate: computes what does not depend on arguments, and expands calls of known functions.
#include "lib/relay/transforms/normal_forms/let_builder.h"
#include "partial_evaluator.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

struct PartialEvaluate {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    Module trees = module;
    RELAYOPT_TRY([[maybe_unused]] const bool inferred, InferTypePass()->Apply(trees, context));
    for (const GlobalId id : trees.SortedFunctions<relayopt::Function>()) {
      std::optional<Function> tree = BindShared(*trees.function<relayopt::Function>(id), context);
      if (tree) trees.SetFunction(id, std::make_shared<Function>(*std::move(tree)));
    }
    return PartiallyEvaluate(trees, context);
  }
};

}  // namespace

constinit const PassDef kPartialEvaluatePass = DescribePass<PartialEvaluate>({
    .name = "PartialEvaluate",
    .info_name = "PartialEval",
    .opt_level = 1,
    .summary = "evaluates what does not depend on arguments, and expands calls of known functions",
    .details =
        R"(Runs every function on arguments that are not known. Constants, tuples, data of known constructors, references that are
created in the function and closures are known: operators on constants are computed, projections, matches and ifs on known
values chosen, reads of references replaced by what was written, calls of known functions expanded. Everything else becomes
code, bound by let in the order in which it runs.

  def @main() {                          def @main() -> float32 {
    let %y = 4f;                 =>        let %x_0 = 4f;
    add(%y, %y)                            let %x_1 = 8f;
  }                                        %x_1
                                         }

A call of a function that is being expanded is expanded again only when an argument is a smaller integer or an older value than
in all calls around it; otherwise it stays a call. So evaluation ends, but code may grow: functions are expanded at every
call. A warning says when so many steps have been taken (half a million, and ten for each expression of the module, or
as many as --max-ops allows) that calls stay calls from there on. Every value is bound, needed or not: run DeadCodeElimination after it.

Effects stay and keep their order: writes remain although later reads may not need them, and what may have been written by
code that is not known is read again. An expression that several others use is bound by let before. Stateful operators,
operators that cannot be evaluated and kernels (Primitive) stay calls.)",
});

}  // namespace relayopt
