// Diagnostics of evaluation.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt::diag {

inline constexpr DiagnosticKind kNoKernel = {"no-kernel", Severity::kError,
                                             "operator {} has no kernel: it cannot be evaluated"};
inline constexpr DiagnosticKind kEvaluationFailed = {"evaluation-failed", Severity::kError, "{}: {}"};
inline constexpr DiagnosticKind kNoFunctionBody = {"no-function-body", Severity::kError,
                                                   "function @{} has no body to evaluate"};
inline constexpr DiagnosticKind kWrongValue = {"wrong-value", Severity::kError, "{} needs {}"};
inline constexpr DiagnosticKind kNoClause = {"no-clause", Severity::kError, "no clause matches the value"};
inline constexpr DiagnosticKind kTooManySteps = {"too-many-steps", Severity::kError,
                                                 "evaluation takes more than {} steps"};
inline constexpr DiagnosticKind kTooDeep = {"too-deep", Severity::kError, "more than {} function calls are nested"};
inline constexpr DiagnosticKind kUndefinedResult = {"undefined-result", Severity::kWarning,
                                                    "the result is undefined: {}"};
inline constexpr DiagnosticKind kBadTensorFile = {"bad-tensor-file", Severity::kError, "{}"};
inline constexpr DiagnosticKind kBadInput = {"bad-input", Severity::kError, "parameter %{}: {}"};
inline constexpr DiagnosticKind kParameterCount = {"argument-count", Severity::kError,
                                                   "@{} has {} parameters, but {} arguments are given"};

}  // namespace relayopt::diag
