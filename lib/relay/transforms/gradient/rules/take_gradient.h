// The gradient of take.
#pragma once

#include "gradient_rules.h"

namespace relayopt {

// Returns a loop over the indices that adds each slice of the gradient where it was taken. The indices are a scalar or
// of rank 1.
auto TakeGradient(GradientContext& r) -> Gradients;

// Returns a constant of int32 numbers.
auto EmitInts(FunctionBuilder& to, std::span<const int64_t> values) -> ExprId;

}  // namespace relayopt
