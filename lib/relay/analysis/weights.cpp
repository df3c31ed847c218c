// Finds the parameters that operators use as weights.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

auto IsWeightInput(std::string_view input) -> bool {
  constexpr std::string_view kInputs[] = {"weight",      "weights",    "bias",   "gamma", "beta",
                                          "moving_mean", "moving_var", "kernel", "alpha"};
  return std::ranges::find(kInputs, input) != std::end(kInputs);
}

using Flags = SideTable<ExprId, bool>;

// Marks what the operators of the function take for weights.
void MarkOperands(const Function& function, Flags& is_weight) {
  // Users before their operands.
  for (const ExprId id : function.ids().reversed()) {
    if (function.kind(id) != ExprKind::kOpCall) continue;
    const OpDef& op = *function.op(id);
    const auto operands = function.operands(id);
    const bool rearranges = operands.size() == 1 && op.fusion <= Fusion::kInjective;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_input = !op.variadic && i < Arity(op) && IsWeightInput(InputName(op, i));
      if (is_input || (rearranges && is_weight[id])) is_weight[operands[i]] = true;
    }
  }
}

// Marks the arguments of calls for parameters that are marked.
void MarkArguments(const Module& module, const Function& function, const LetIndex& lets, Flags& is_weight) {
  absl::flat_hash_map<const Function*, Flags> globals;
  for (const ExprId id : function.ids().reversed()) {
    if (function.kind(id) != ExprKind::kCall) continue;
    const auto args = function.operands(id).subspan(1);
    ExprId callee = function.operand(id, 0);
    if (const ExprId value = lets.ValueOf(callee); value.has_value()) callee = value;
    const bool is_literal = function.kind(callee) == ExprKind::kFunction;
    const Function* global =
        function.kind(callee) == ExprKind::kGlobal ? module.function<Function>(function.global(callee)) : nullptr;
    if (!is_literal && global == nullptr) continue;
    const auto [there, is_new] = globals.try_emplace(global);
    if (is_new && global != nullptr) {
      there->second.resize(global->size());
      MarkOperands(*global, there->second);
    }
    const Flags& flags = is_literal ? is_weight : there->second;
    const auto params = is_literal ? function.params(callee) : global->params();
    for (size_t i = 0; i < std::min(params.size(), args.size()); ++i) {
      if (flags[params[i]]) is_weight[args[i]] = true;
    }
  }
}

}  // namespace

auto FindWeights(const Module& module, const Function& function) -> std::vector<ExprId> {
  Flags is_weight(function.size());
  MarkOperands(function, is_weight);
  MarkArguments(module, function, LetIndex(function), is_weight);
  // Marks the operands of operators that rearrange a weight before a call.
  MarkOperands(function, is_weight);
  std::vector<ExprId> weights;
  for (const ExprId param : function.params()) {
    if (is_weight[param]) weights.push_back(param);
  }
  return weights;
}

}  // namespace relayopt
