// The row of the kind of Relay's functions.
#include <fmt/format.h>

#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/outline.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

auto AsRelay(const GlobalFunction& function) -> const Function& { return static_cast<const Function&>(function); }

// Describes an expression in the printed function for messages; empty for variables, which messages name by themselves.
auto Describe(const Function& function, ExprId id) -> std::string {
  switch (function.kind(id)) {
    case ExprKind::kVar: return "";
    case ExprKind::kOpCall: {
      std::string arguments;
      for (const ExprId operand : function.operands(id)) {
        const bool is_var = function.kind(operand) == ExprKind::kVar;
        const std::string name = is_var ? std::string(function.context().text(function.var(operand).name)) : "";
        arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", name.empty() ? "..." : "%" + name);
      }
      return fmt::format(", in {}({})", function.op(id)->name, arguments);
    }
    case ExprKind::kCall: return ", in a call";
    case ExprKind::kFunction: return ", in a function literal";
    case ExprKind::kLet: return ", in a let";
    case ExprKind::kIf: return ", in an if";
    case ExprKind::kMatch: return ", in a match";
    case ExprKind::kTuple: return ", in a tuple";
    case ExprKind::kTupleGetItem: return ", in the field of a tuple";
    case ExprKind::kConstant: return ", in a constant";
    default: return "";
  }
}

auto AsBrokenRule(const Function& function, const std::optional<VerifierError>& error) -> std::optional<BrokenRule> {
  if (!error) return std::nullopt;
  return BrokenRule{error->expr.value(), function.range(error->expr), error->text + Describe(function, error->expr)};
}

auto VerifyFunction(const Module& module, const GlobalFunction& function) -> std::optional<BrokenRule> {
  return AsBrokenRule(AsRelay(function), Verify(module, AsRelay(function)));
}

auto VerifyTypesOf(const GlobalFunction& function) -> std::optional<BrokenRule> {
  return AsBrokenRule(AsRelay(function), VerifyTypes(AsRelay(function)));
}

}  // namespace

constinit const FunctionKindDef kRelayFunctionKind = {
    .kind = &kRelayFunctions,
    .size = [](const GlobalFunction& function) { return AsRelay(function).size(); },
    .verify = VerifyFunction,
    .verify_update = VerifyTypesOf,
    .print_module = PrintRelay,
    .print_function = PrintRelayFunction,
    .has_declarations = [](const Module& module) { return !module.type_defs().empty(); },
    .is_left_alone = [](const GlobalFunction& function) { return IsSkippedByFunctionPasses(AsRelay(function)); },
    .update = InferTypes,
    .update_name = "InferType",
    .outline = OutlineOfRelay,
    .is_same = HaveSameTables,
};

auto InferTypePass() -> const PassRef& {
  static const PassRef pass = UpdatePass(kRelayFunctions);
  return pass;
}

}  // namespace relayopt
