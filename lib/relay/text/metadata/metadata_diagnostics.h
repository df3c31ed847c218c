// Diagnostics of reading metadata sections.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt::diag {

inline constexpr DiagnosticKind kMetaSyntax = {"metadata-syntax", Severity::kError, "metadata: expected {}, found {}"};
inline constexpr DiagnosticKind kMetaEscape = {"metadata-escape", Severity::kError,
                                               "metadata: unknown escape in a string"};
inline constexpr DiagnosticKind kMetaTrailing = {"metadata-trailing", Severity::kError,
                                                 "metadata: text after the end of the section"};
inline constexpr DiagnosticKind kMetaUnknownMember = {"metadata-unknown-member", Severity::kError,
                                                      "metadata: unknown member '{}'"};
inline constexpr DiagnosticKind kMetaDuplicate = {"metadata-duplicate", Severity::kError,
                                                  "metadata: '{}' is given twice"};
inline constexpr DiagnosticKind kMetaMissing = {"metadata-missing", Severity::kError, "metadata: {} has no '{}'"};
inline constexpr DiagnosticKind kMetaNode = {"metadata-node", Severity::kError,
                                             "metadata: there is no node {}, only {} of them"};
inline constexpr DiagnosticKind kMetaCycle = {"metadata-cycle", Severity::kError,
                                              "metadata: node {} is part of itself"};
inline constexpr DiagnosticKind kMetaField = {"metadata-field", Severity::kError, "metadata: '{}' of {} must be {}"};
inline constexpr DiagnosticKind kMetaMap = {"metadata-map", Severity::kError,
                                            "metadata: a map needs a value for every key"};
inline constexpr DiagnosticKind kMetaRoot = {"metadata-root", Severity::kError,
                                             "metadata: the root must be a map of arrays"};
inline constexpr DiagnosticKind kMetaTensorIndex = {"metadata-tensor-index", Severity::kError,
                                                    "metadata: there is no tensor {}, only {} of them"};
inline constexpr DiagnosticKind kMetaTensor = {"metadata-tensor", Severity::kError, "metadata: malformed tensor: {}"};
inline constexpr DiagnosticKind kMetaElided = {
    "metadata-elided", Severity::kError,
    "metadata: this constant was left out when the text was printed (--elide-constants-if-larger); print it in full"};
inline constexpr DiagnosticKind kMetaExternal = {
    "metadata-external", Severity::kError,
    "metadata: the constant '{}' is in a file of tensors that was written with this text: give it with --bind-params"};
inline constexpr DiagnosticKind kMetaExternalType = {"metadata-external-type", Severity::kError,
                                                     "metadata: the constant '{}' is {}, the file has {}"};

}  // namespace relayopt::diag
