// Diagnostics of type inference and of the well-formedness of modules.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt::diag {

inline constexpr DiagnosticKind kOperatorType = {"operator-type", Severity::kError, "{}"};
inline constexpr DiagnosticKind kTypeMismatch = {"type-mismatch", Severity::kError,
                                                 "{} has type {} but {} is expected: {}"};
inline constexpr DiagnosticKind kCannotInfer = {"cannot-infer-type", Severity::kError,
                                                "the type of this {} cannot be inferred"};
inline constexpr DiagnosticKind kArgumentCount = {"argument-count", Severity::kError, "{} takes {}, {} given"};
inline constexpr DiagnosticKind kNotAFunction = {"not-a-function", Severity::kError,
                                                 "only functions can be called, this has type {}"};
inline constexpr DiagnosticKind kNotATuple = {"not-a-tuple", Severity::kError,
                                              "only tuples have fields, this has type {}"};
inline constexpr DiagnosticKind kNoSuchField = {"no-such-field", Severity::kError, "field {} of a tuple with {}"};
inline constexpr DiagnosticKind kSelfBinding = {"self-binding", Severity::kError, "variable %{} is bound to itself"};
inline constexpr DiagnosticKind kPatternArity = {"pattern-arity", Severity::kError,
                                                 "constructor {} takes {}, the pattern has {}"};
inline constexpr DiagnosticKind kMissingCases = {"missing-cases", Severity::kError,
                                                 "match does not handle {}; write match? for a partial match"};
inline constexpr DiagnosticKind kUnknownTypeName = {"unknown-type", Severity::kError, "type {} is not defined{}"};
inline constexpr DiagnosticKind kTypeArity = {"type-arity", Severity::kError, "type {} takes {}, {} given"};
inline constexpr DiagnosticKind kNegativeExtent = {"negative-extent", Severity::kError,
                                                   "a tensor cannot have the extent {}"};
inline constexpr DiagnosticKind kUndefinedGlobal = {"undefined-global", Severity::kError,
                                                    "function @{} is not defined{}"};

}  // namespace relayopt::diag
