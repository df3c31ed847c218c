// Steps of formulas, as emission and matching both read them.
#pragma once

#include <algorithm>

#include "relayopt/relay/formula/formula.h"

namespace relayopt {

// Returns how many operands an operator has.
auto NumOperands(const OpDef& op) -> size_t;
// Returns how many arguments of a call are operands; those that follow are attributes.
inline auto NumOperands(const FormulaStep& call) -> size_t {
  return std::min<size_t>(call.num_args, NumOperands(*call.op));
}

// Returns the result of arithmetic on numbers; `b` is not used by a sign.
auto Calculated(const FormulaStep& step, double a, double b) -> double;

}  // namespace relayopt
