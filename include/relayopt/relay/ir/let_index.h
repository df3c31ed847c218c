// LetIndex: finds let steps by their variable or by their value.
#pragma once

#include <span>
#include <vector>

#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

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
    return steps_.empty() ? std::span<const LetStep>() : FindSteps(value);
  }
  // Whether the value uses its own variable. (All other uses come after the value in the table.)
  auto IsRecursive(const LetStep& step) const -> bool { return first_use_[step.var] < step.value; }

 private:
  auto FindSteps(ExprId value) const -> std::span<const LetStep>;

  // The tables are empty when the function has no let.
  SideTable<ExprId, ExprId> values_;
  // All steps, sorted by value in ascending order.
  std::vector<LetStep> steps_;
  // For each variable the first use after it, other than in its own let step.
  SideTable<ExprId, ExprId> first_use_;
};

}  // namespace relayopt
