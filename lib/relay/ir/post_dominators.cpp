// Computes users and post-dominators.
#include "relayopt/relay/ir/post_dominators.h"

#include <utility>

#include "relayopt/relay/ir/let_index.h"

namespace relayopt {

namespace {

// Calls `visit(from, user)` for every edge.
template <typename Visit>
void ForEachUse(const Function& function, Visit&& visit) {
  for (const ExprId id : function.ids()) {
    const auto operands = function.operands(id);
    switch (function.kind(id)) {
      case ExprKind::kFunction: visit(operands.back(), id); break;
      case ExprKind::kLet:
        for (size_t i = 0; i + 1 < operands.size(); i += 2) visit(operands[i + 1], operands[i]);
        visit(operands.back(), id);
        break;
      case ExprKind::kMatch:
        for (const MatchClause& clause : function.match(id).clauses) {
          for (uint32_t i = clause.first_operand; i < clause.rhs; ++i) visit(operands[0], operands[i]);
          visit(operands[clause.rhs], id);
        }
        break;
      default:
        for (const ExprId operand : operands) visit(operand, id);
    }
  }
}

}  // namespace

PostDominators::PostDominators(const Function& function) : first_(function.size() + 1), tree_(function.size()) {
  ForEachUse(function, [this](ExprId from, ExprId) { ++first_[from.value()]; });
  uint32_t sum = 0;
  for (uint32_t& count : first_) sum += std::exchange(count, sum);
  users_.resize(sum);
  std::vector<uint32_t> end = first_;
  ForEachUse(function, [&](ExprId from, ExprId user) { users_[end[from.value()]++] = user; });
  const LetIndex lets(function);
  SideTable<ExprId, bool> done(function.size());
  // Users inside the value of a recursive binding are not processed yet, and are ignored.
  const auto find_parent = [&](ExprId id) {
    if (done[id]) return;
    ExprId common;
    bool is_first = true;
    for (const ExprId user : users(id)) {
      if (!done[user]) continue;
      common = is_first ? user : common ? tree_.CommonAncestor(common, user).id : common;
      is_first = false;
    }
    tree_.Add(id, common, 0);
    done[id] = true;
  };
  for (uint32_t i = static_cast<uint32_t>(function.size()); i-- > 0;) {
    // A variable precedes the value that flows into it.
    for (const LetStep& step : lets.StepsOf(ExprId(i))) find_parent(step.var);
    find_parent(ExprId(i));
  }
}

}  // namespace relayopt
