// Gradient: makes @main return the gradients of its parameters, through control flow, closures and references.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "first_order_ad.h"
#include "lib/relay/transforms/normal_forms/converted_globals.h"
#include "lib/relay/transforms/normal_forms/let_builder.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/check.h"
#include "reverse_ad.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoMain = {"no-main", Severity::kError, "Gradient: the module has no function @main"};
constexpr DiagnosticKind kPolymorphicMain = {"polymorphic-gradient", Severity::kError,
                                             "Gradient: @main has type parameters, which have no gradients"};

constexpr DiagnosticKind kConcreteConstructor = {
    "gradient-constructor", Severity::kError,
    "the constructor {} holds tensors or functions of a fixed type, which cannot hold their gradients"};

// Whether a tensor or function type is part of the type.
auto NamesValues(const Context& types, TypeId type) -> bool {
  std::vector<TypeId> stack = {type};
  while (!stack.empty()) {
    const Type& term = types.type(stack.back());
    stack.pop_back();
    if (term.is_tensor() || term.is_function()) return true;
    stack.insert(stack.end(), term.args.begin(), term.args.end());
    if (term.result) stack.push_back(term.result);
  }
  return false;
}

// Tensors become pairs of a tensor and its gradient, functions get a parameter: a constructor can hold them only where
// its type has a parameter for them.
auto CheckConstructors(const Module& module, const Function& function) -> std::optional<Diagnostic> {
  const auto is_concrete = [&](CtorId id) {
    const auto& inputs = module.constructor(id).inputs;
    return std::ranges::any_of(inputs, [&](TypeId input) { return NamesValues(module.context(), input); });
  };
  const auto error = [&](CtorId ctor, ExprId id) {
    return MakeDiagnostic(kConcreteConstructor, function.range(id),
                          module.context().text(module.constructor(ctor).name));
  };
  for (const ExprId id : function.ids()) {
    if (function.kind(id) == ExprKind::kConstructor && is_concrete(function.constructor(id))) {
      return error(function.constructor(id), id);
    }
    if (function.kind(id) != ExprKind::kMatch) continue;
    for (const Pattern& pattern : function.match(id).patterns) {
      if (pattern.kind == PatternKind::kConstructor && is_concrete(pattern.ctor)) return error(pattern.ctor, id);
    }
  }
  return std::nullopt;
}

struct GradientOptions {
  std::string mode = "higher_order";
  static constexpr auto Fields() {
    return std::array{Option<&GradientOptions::mode>("higher_order, or first_order for FirstOrderGradient",
                                                     {.words = "higher_order first_order"})};
  }
};

struct Gradient {
  using Options = GradientOptions;
  Options options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    Module typed = module;
    RELAYOPT_TRY([[maybe_unused]] const bool inferred, InferTypePass()->Apply(typed, context));
    const GlobalId main = typed.FindGlobal("main");
    if (!main || typed.function<Function>(main) == nullptr) return MakeDiagnostic(kNoMain, {});
    const FunctionRef function = typed.function_ref<Function>(main);
    if (!function->info().type_params.empty()) return MakeDiagnostic(kPolymorphicMain, typed.global(main).range);
    Module result = typed;
    if (options.mode == "first_order") {
      RELAYOPT_TRY(Function made, DifferentiateFirstOrder(*function, context));
      result.SetFunction(main, std::make_shared<Function>(std::move(made)));
      return result;
    }
    if (auto error = CheckConstructors(typed, *function)) return *std::move(error);
    ConvertedGlobals globals(result, "_grad");
    const GradientOfGlobal gradient_of = [&globals](GlobalId id) { return globals.NameOf(id); };
    const std::optional<Function> tree = BindShared(*function, context);
    RELAYOPT_TRY(Function made, DifferentiateReverse(tree ? *tree : *function, gradient_of, context));
    result.SetFunction(main, std::make_shared<Function>(std::move(made)));
    while (globals.has_pending()) {
      const GlobalId id = globals.TakePending();
      const FunctionRef callee = typed.function_ref<Function>(id);
      RELAYOPT_CHECK(callee != nullptr, "types of calls are inferred from definitions");
      const std::optional<Function> callee_tree = BindShared(*callee, context);
      if (auto error = CheckConstructors(typed, *callee)) return *std::move(error);
      RELAYOPT_TRY(Function converted, ConvertToReverse(callee_tree ? *callee_tree : *callee, gradient_of, context));
      result.SetFunction(globals.NameOf(id), std::make_shared<Function>(std::move(converted)));
    }
    return result;
  }
};

}  // namespace

constinit const PassDef kGradientPass = DescribePass<Gradient>({
    .name = "Gradient",
    .opt_level = 0,
    .summary = "makes @main return the gradients of its parameters, through control flow and closures",
    .details =
        R"(@main returns a pair: its value, and a tuple with the gradient of the value (of the sum of its elements; of a
tuple only the first field counts) for each parameter. The parameters must be tensors.

Inside, every tensor becomes a pair of the tensor and a reference to its gradient, and functions get a further parameter
`bp`, a reference to a function that propagates gradients backwards. Every operator puts its gradient rule in front of that
function:

  let %y = exp(%x);    =>    let %y = (exp(%x.0), ref(zeros_like(..)));
                             let %old = ref_read(%bp);
                             ref_write(%bp, fn () {
                               ref_write(%x.1, ref_read(%x.1) + ref_read(%y.1) * exp(%x.0));
                               %old()
                             });

So closures, if, match, references and recursion work. Global functions that are called get a converted form of their
own, named with `_grad`. A value marked with annotation.checkpoint is not kept but computed again when its gradient is. An
expression that several others use is bound by let before. Run PartialEvaluate and DeadCodeElimination after it.

mode=first_order is FirstOrderGradient on @main alone. Operators without a gradient are an error that says where.)",
    .exactness = Exactness::kExtends,
});

}  // namespace relayopt
