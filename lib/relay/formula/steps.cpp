#include "lib/relay/formula/steps.h"

#include <algorithm>

#include "relayopt/support/check.h"

namespace relayopt {

auto NumOperands(const OpDef& op) -> size_t {
  return op.inputs.empty() ? 0 : static_cast<size_t>(std::ranges::count(op.inputs, ',')) + 1;
}

auto Calculated(const FormulaStep& step, double a, double b) -> double {
  if (step.op == "negative"_op) return -a;
  if (step.op == "add"_op) return a + b;
  if (step.op == "subtract"_op) return a - b;
  if (step.op == "multiply"_op) return a * b;
  if (step.op == "divide"_op) return a / b;
  RELAYOPT_CHECK(false, "a comparison in a formula has an operand that is not a number");
  return 0;
}

}  // namespace relayopt
