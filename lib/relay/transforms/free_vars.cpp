#include "free_vars.h"

#include "absl/container/flat_hash_set.h"

namespace relayopt {

auto FreeVars(const Function& function, ExprId root) -> std::vector<ExprId> {
  std::vector<ExprId> vars;
  absl::flat_hash_set<ExprId> bound;
  absl::flat_hash_set<ExprId> seen;
  std::vector<ExprId> stack = {root};
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second) continue;
    const auto operands = function.operands(id);
    switch (function.kind(id)) {
      case ExprKind::kVar: vars.push_back(id); break;
      case ExprKind::kFunction: bound.insert(operands.begin(), operands.end() - 1); break;
      case ExprKind::kLet:
        for (size_t i = 0; i < function.let_size(id); ++i) bound.insert(function.let_var(id, i));
        break;
      case ExprKind::kMatch:
        for (const MatchClause& clause : function.match(id).clauses) {
          bound.insert(operands.begin() + clause.first_operand, operands.begin() + clause.rhs);
        }
        break;
      default: break;
    }
    stack.insert(stack.end(), operands.rbegin(), operands.rend());
  }
  std::erase_if(vars, [&](ExprId var) { return bound.contains(var); });
  return vars;
}

}  // namespace relayopt
