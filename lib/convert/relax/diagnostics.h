// Diagnostics of the Relax writer.
#pragma once

#include <string_view>

#include "relayopt/support/diagnostic.h"

namespace relayopt::relax {

inline constexpr DiagnosticKind kNoForm = {"no-relax-form", Severity::kError,
                                           "{} has no form in Relax ({} call{}, the first here){}"};
inline constexpr DiagnosticKind kUnsupported = {"relax-unsupported", Severity::kError,
                                                "{} cannot be expressed in Relax: {}"};
inline constexpr DiagnosticKind kNotPrepared = {"relax-preparation", Severity::kError,
                                                "the module cannot be prepared: {}"};
inline constexpr DiagnosticKind kRecursion = {
    "relax-recursion", Severity::kWarning,
    "@{} calls itself: each call takes stack in TVM, which holds some two thousand of them"};
// Of the 200 open parentheses that Python reads, those around and inside of the nested types take some.
inline constexpr size_t kMostNestedTuples = 190;
// The levels of indentation that Python reads, of which the first is none.
inline constexpr size_t kMostIndentation = 100;
inline constexpr std::string_view kOnlyTensors =
    "its type is neither a tensor nor a tuple of them, or has tuples too deep inside of each other";

}  // namespace relayopt::relax
