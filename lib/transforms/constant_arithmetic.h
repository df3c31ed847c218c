// Sums and products of constants.
#pragma once

#include <optional>

#include "relayopt/ops/op_def.h"
#include "relayopt/types/constant.h"

namespace relayopt {

// a + b or a * b (`op` is add or multiply), element by element, with broadcasting. Both must have one type; integers wrap. Nothing
// when the type has no arithmetic, the shapes do not go together, or a float result overflows or underflows where no operand did.
auto FoldArithmetic(const OpDef* op, const Constant& a, const Constant& b) -> std::optional<Constant>;

}  // namespace relayopt
