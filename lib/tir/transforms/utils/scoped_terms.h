// Terms in which an operand opens a scope for the next ones, as the variable of a Let and the condition of a Select do.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/tir/ir/stmt.h"

namespace relayopt::tir {

// Whether a term contains one with a property. What was found out about a term is kept.
class TermsWith {
 public:
  TermsWith(const Terms& terms, std::function<bool(PrimExpr)> property)
      : terms_(terms), property_(std::move(property)) {}

  auto operator()(PrimExpr expr) -> bool {
    if (const auto known = found_.find(expr); known != found_.end()) return known->second;
    std::vector<PrimExpr> stack = {expr};
    while (!stack.empty()) {
      const PrimExpr top = stack.back();
      const size_t before = stack.size();
      bool has = property_(top);
      for (const PrimExpr operand : terms_.operands(top)) {
        const auto known = found_.find(operand);
        if (known == found_.end())
          stack.push_back(operand);
        else
          has = has || known->second;
      }
      if (stack.size() != before) continue;
      stack.pop_back();
      found_[top] = has;
    }
    return found_[expr];
  }

 private:
  const Terms& terms_;
  std::function<bool(PrimExpr)> property_;
  absl::flat_hash_map<PrimExpr, bool> found_;
};

// Rewrites a term operand by operand wherever it occurs, because shared terms may mean different things in different
// scopes. plain(e) is the result for a term that opens no scope, or nothing. For others open(e, i, made) is called
// before operand i, with the results of those before it, and may give the result of the operand itself; close(e, made)
// gives that of the term.
template <typename Plain, typename Open, typename Close>
auto RewriteInScopes(const Terms& terms, PrimExpr root, Plain&& plain, Open&& open, Close&& close) -> PrimExpr {
  struct Step {
    PrimExpr expr;
    size_t next = 0;
    size_t first_made = 0;
  };
  std::vector<Step> steps;
  std::vector<PrimExpr> made;
  const auto enter = [&](PrimExpr expr) {
    const std::optional<PrimExpr> result = plain(expr);
    if (result)
      made.push_back(*result);
    else
      steps.push_back({expr, 0, made.size()});
  };
  enter(root);
  while (!steps.empty()) {
    Step& step = steps.back();
    const auto operands = terms.operands(step.expr);
    const std::span<const PrimExpr> parts = std::span(made).subspan(step.first_made);
    if (step.next < operands.size()) {
      const size_t i = step.next++;
      const std::optional<PrimExpr> result = open(step.expr, i, parts);
      if (result)
        made.push_back(*result);
      else
        enter(operands[i]);
      continue;
    }
    const PrimExpr result = close(step.expr, parts);
    made.resize(step.first_made);
    made.push_back(result);
    steps.pop_back();
  }
  return made.back();
}

}  // namespace relayopt::tir
