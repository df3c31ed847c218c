// Formulas that several operators share.
#pragma once

#include "relayopt/relay/formula/formula.h"

namespace relayopt::onnx {

// x * Phi(x), by the error function and by its approximation with tanh; the factor is sqrt(2 / pi).
inline constexpr Formula kGelu = "0.5 * X * (1 + erf(X / sqrt2))"_formula;
inline constexpr Formula kTanhGelu =
    "0.5 * X * (1 + tanh(0.7978845608028654 * X + 0.044715 * 0.7978845608028654 * power(X, 3)))"_formula;

}  // namespace relayopt::onnx
