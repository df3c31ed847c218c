// Let steps looked up from either side.
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
  // The value that a variable is bound to by a let; none for other expressions.
  auto ValueOf(ExprId var) const -> ExprId { return values_.empty() ? ExprId() : values_[var]; }
  // The steps whose value is this expression.
  auto StepsOf(ExprId value) const -> std::span<const LetStep> {
    return steps_.empty() ? std::span<const LetStep>() : FindSteps(value);
  }
  // Whether the value mentions its own variable. (Uses elsewhere come after the value in the table.)
  auto IsRecursive(const LetStep& step) const -> bool { return first_use_[step.var] < step.value; }

 private:
  auto FindSteps(ExprId value) const -> std::span<const LetStep>;

  // Tables are empty where the function has no let.
  SideTable<ExprId, ExprId> values_;
  // By value, in ascending order.
  std::vector<LetStep> steps_;
  // The first expression after a variable that mentions it other than to bind it.
  SideTable<ExprId, ExprId> first_use_;
};

}  // namespace relayopt
