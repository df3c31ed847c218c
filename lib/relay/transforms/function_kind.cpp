// The row of functions of Relay.
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

auto AsRelay(const GlobalFunction& function) -> const Function& { return static_cast<const Function&>(function); }

auto VerifyFunction(const Module& module, const GlobalFunction& function, bool is_up_to_date)
    -> std::optional<BrokenRule> {
  std::optional<VerifierError> error = Verify(module, AsRelay(function), /*need_types=*/is_up_to_date);
  if (!error) return std::nullopt;
  return BrokenRule{error->expr.value(), AsRelay(function).range(error->expr), std::move(error->text)};
}

}  // namespace

constinit const FunctionKindDef kRelayFunctionKind = {
    .kind = &kRelayFunctions,
    .size = [](const GlobalFunction& function) { return AsRelay(function).size(); },
    .verify = VerifyFunction,
    .print_module = PrintRelay,
    .print_function = PrintRelayFunction,
    .has_declarations = [](const Module& module) { return !module.type_defs().empty(); },
    .is_left_alone = [](const GlobalFunction& function) { return IsSkippedByFunctionPasses(AsRelay(function)); },
    .update = InferTypes,
    .update_name = "InferType",
};

auto InferTypePass() -> const PassRef& {
  static const PassRef pass = UpdatePass(kRelayFunctions);
  return pass;
}

}  // namespace relayopt
