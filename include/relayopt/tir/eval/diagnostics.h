// Diagnostics of running tensor programs. Each is reported at the statement that fails.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt::tir::diag {

inline constexpr DiagnosticKind kOutOfBounds = {"out-of-bounds", Severity::kError,
                                                "index {} of axis {} of {} is outside of [0, {})"};
inline constexpr DiagnosticKind kOutsideMemory = {"outside-memory", Severity::kError,
                                                  "access of {} bytes at byte {} of {}, which has {}"};
inline constexpr DiagnosticKind kOutsideDomain = {"outside-domain", Severity::kError,
                                                  "block axis {} is {}, outside of [{}, {})"};
inline constexpr DiagnosticKind kDivisionByZero = {"division-by-zero", Severity::kError, "division by zero"};
inline constexpr DiagnosticKind kDataRace = {"data-race", Severity::kError,
                                             "{} of element {} of {}, which {} without a barrier in between"};
inline constexpr DiagnosticKind kDivergentBarrier = {"divergent-barrier", Severity::kError,
                                                     "not all threads of the block reach this barrier"};
inline constexpr DiagnosticKind kAssertionFailed = {"assertion-failed", Severity::kError, "assertion failed: {}"};
inline constexpr DiagnosticKind kCallArguments = {"call-arguments", Severity::kError, "{} gets {}, but takes {}"};
inline constexpr DiagnosticKind kLaunchExtent = {"launch-extent", Severity::kError,
                                                 "the kernel is launched with {} = {}, but has {}"};
inline constexpr DiagnosticKind kNotEvaluated = {"not-evaluated", Severity::kError, "{} cannot be evaluated"};
inline constexpr DiagnosticKind kBadArgument = {"bad-argument", Severity::kError, "{}: {}"};
inline constexpr DiagnosticKind kTooManySteps = {"evaluation-steps", Severity::kError,
                                                 "evaluation takes more than {} steps"};
inline constexpr DiagnosticKind kLimitReached = {"evaluation-limit", Severity::kError,
                                                 "evaluation takes more than {} {}"};

}  // namespace relayopt::tir::diag
