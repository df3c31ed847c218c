// Diagnostics of the arithmetic library.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt::arith {

inline constexpr DiagnosticKind kTermSyntax = {"term-syntax", Severity::kError, "{}"};
inline constexpr DiagnosticKind kUnknownTermFunction = {"unknown-term-function", Severity::kError,
                                                        "unknown function `{}`{}"};
inline constexpr DiagnosticKind kTermArguments = {"term-arguments", Severity::kError,
                                                  "`{}` takes {} arguments, not {}"};
inline constexpr DiagnosticKind kTermTypes = {"term-types", Severity::kError, "`{}` does not take {} and {}"};
inline constexpr DiagnosticKind kNotACondition = {"not-a-condition", Severity::kError,
                                                  "expected a condition, found a value of type {}"};

}  // namespace relayopt::arith
