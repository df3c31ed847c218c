// FirstOrderGradient: makes functions without control flow return the gradients of their parameters, too.
#include "first_order_ad.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kPolymorphic = {"polymorphic-gradient", Severity::kError,
                                         "FirstOrderGradient: @{} has type parameters, which have no gradients"};

struct FirstOrderGradient {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    Module result = module;
    RELAYOPT_TRY([[maybe_unused]] const bool inferred, InferTypePass()->Apply(result, context));
    for (const GlobalId id : result.SortedFunctions<Function>()) {
      const FunctionRef function = result.function_ref<Function>(id);
      if (!function->info().type_params.empty()) {
        return MakeDiagnostic(kPolymorphic, result.global(id).range, result.name(id));
      }
      RELAYOPT_TRY(Function made, DifferentiateFirstOrder(*function, context));
      result.SetFunction(id, std::make_shared<Function>(std::move(made)));
    }
    return result;
  }
};

}  // namespace

constinit const PassDef kFirstOrderGradientPass = DescribePass<FirstOrderGradient>({
    .name = "FirstOrderGradient",
    .opt_level = 0,
    .summary = "makes functions without control flow return the gradients of their parameters",
    .details =
        R"(Every function returns a pair: its value, and a tuple with the gradient of the value (of the sum of its
elements) for each parameter.

  def @main(%x: T) -> T { exp(%x) }     =>     def @main(%x: T) -> (T, (T,)) {
                                                 let %x_0 = %x;
                                                 let %x_1 = zeros_like(%x_0);
                                                 let %x_2 = exp(%x_0);
                                                 let %x_3 = zeros_like(%x_2);
                                                 (%x_2, (let %x_4 = add(%x_1, ones_like(%x_2) * exp(%x_0)); (%x_4,)))
                                               }

All values are bound in the order in which they are computed, each with a gradient of zeros; then the rules of the
operators are applied from the last one to the first and their gradients added up. Much of the result is not needed: run
DeadCodeElimination and EliminateCommonSubexpr after it.

Functions may hold variables, constants, tuples, operators that have gradients, and calls of function literals. Anything
else is an error that says where; for control flow, let and references there is Gradient.)",
    .exactness = Exactness::kExtends,
});

}  // namespace relayopt
