// Diagnostics of the gradient passes.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt {

inline constexpr DiagnosticKind kNoGradient = {"no-gradient", Severity::kError, "the operator {} has no gradient"};
inline constexpr DiagnosticKind kNotDifferentiable = {"not-differentiable", Severity::kError,
                                                      "only tensors and tuples of them have gradients"};

}  // namespace relayopt
