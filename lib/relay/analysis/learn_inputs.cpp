// Runs a type rule with unknown inputs, which rules infer from the other inputs (such as weights from data).
#include "relayopt/relay/analysis/learn_inputs.h"

#include "known_types_solver.h"

namespace relayopt {

auto LearnInputs(Context& context, const OpDef& op, AttrsId attrs, std::vector<TypeId> inputs)
    -> std::optional<CallSignature> {
  Unifier unifier(context);
  for (TypeId& input : inputs) {
    if (!input) input = unifier.Fresh();
  }
  KnownTypesSolver solver(unifier, inputs);
  RuleContext rule(context, op, attrs, inputs, {}, solver);
  if (op.type(rule) != RuleStatus::kDone || !solver.result()) return std::nullopt;
  CallSignature call{{}, solver.result()};
  if (context.type(call.result).has_incomplete) return std::nullopt;
  for (const TypeId input : inputs) {
    call.inputs.push_back(unifier.Resolve(input));
    if (context.type(call.inputs.back()).has_incomplete) return std::nullopt;
  }
  return call;
}

}  // namespace relayopt
