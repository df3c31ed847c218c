// Diagnostics of reading graph JSON as a module. ObjectGraph reports errors in the JSON itself.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt::diag {

inline constexpr DiagnosticKind kTvmJsonRoot = {"tvm-json-root", Severity::kError,
                                                "the root must be an IRModule or a relay.Function, not {}"};
inline constexpr DiagnosticKind kTvmJsonField = {"tvm-json-field", Severity::kError, "'{}' of {} must be {}"};
inline constexpr DiagnosticKind kTvmJsonItem = {"tvm-json-item", Severity::kError, "{} must be {}, not {}"};
inline constexpr DiagnosticKind kTvmJsonName = {"tvm-json-name", Severity::kError, "{}"};
inline constexpr DiagnosticKind kTvmJsonAttrs = {"tvm-json-attrs", Severity::kError,
                                                 "a call of {} has attributes of class {}, not {}"};
inline constexpr DiagnosticKind kTvmJsonCycle = {"tvm-json-cycle", Severity::kError, "an expression is part of itself"};
inline constexpr DiagnosticKind kTvmJsonFunction = {"tvm-json-function", Severity::kError, "function @{}: {}"};

}  // namespace relayopt::diag
