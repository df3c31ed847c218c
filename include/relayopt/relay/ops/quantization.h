// Facts about operators on quantized numbers.
#pragma once

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Whether the operator rounds its result to multiples of a scale, so that another order of computation may give a
// neighbouring one.
constexpr auto RoundsToSteps(const OpDef& op) -> bool {
  return op.inputs.find("output_scale") != std::string_view::npos ||
         op.inputs.find("dom_scale") != std::string_view::npos;
}

// By how many steps another way to compute the operator may be off: one for a rounding, more where it approximates a
// function in integers; 0 for an operator that does not round to steps.
inline auto StepsOf(const OpDef& op) -> size_t {
  constexpr size_t kApproximation = 8;
  if (!RoundsToSteps(op)) return 0;
  return op.name == "qnn.softmax" ? kApproximation : 1;
}

}  // namespace relayopt
