// LetIndex: finds let steps by their variable or by their value.
#pragma once

#include <span>
#include <vector>

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Whether the function has a let.
auto HasLet(const Function& function) -> bool;

// One step of a let chain.
struct LetStep {
  ExprId value;
  ExprId var;
};

// All let steps of a function.
class LetIndex {
 public:
  explicit LetIndex(const Function& function);

  // Whether the function has no let at all.
  auto empty() const -> bool { return steps_.empty(); }
  // Returns the value that a let binds to the variable, or invalid for other expressions.
  auto ValueOf(ExprId var) const -> ExprId { return values_.empty() ? ExprId() : values_[var]; }
  // Returns the steps whose value is this expression.
  auto StepsOf(ExprId value) const -> std::span<const LetStep> {
    if (steps_.empty() || first_step_[value] == 0) return {};
    const size_t first = first_step_[value] - 1;
    size_t last = first + 1;
    while (last < steps_.size() && steps_[last].value == value) ++last;
    return std::span(steps_).subspan(first, last - first);
  }
  // Whether the value uses its own variable. (All other uses come after the value in the table.)
  auto IsRecursive(const LetStep& step) const -> bool { return first_use_[step.var] <= step.value; }

 private:
  // The tables are empty when the function has no let.
  SideTable<ExprId, ExprId> values_;
  // All steps, sorted by value in ascending order.
  std::vector<LetStep> steps_;
  // For each value one more than the index of its first step, else 0.
  SideTable<ExprId, uint32_t> first_step_;
  // For each variable the first use after it, other than in its own let step.
  SideTable<ExprId, ExprId> first_use_;
};

}  // namespace relayopt
