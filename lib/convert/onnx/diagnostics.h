// Diagnostics of reading a model.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt::onnx::diag {

inline constexpr DiagnosticKind kDamaged = {"onnx-damaged", Severity::kError,
                                            "the file is not an ONNX model, or is damaged: {}"};
inline constexpr DiagnosticKind kNoGraph = {"onnx-no-graph", Severity::kError, "the model has no graph"};
inline constexpr DiagnosticKind kBadTensor = {"onnx-tensor", Severity::kError, "tensor '{}': {}"};
inline constexpr DiagnosticKind kBadInput = {"onnx-input", Severity::kError, "input '{}': {}"};
inline constexpr DiagnosticKind kBadGraph = {"onnx-graph", Severity::kError, "{}"};
inline constexpr DiagnosticKind kBadNode = {"onnx-node", Severity::kError, "{}: {}"};
// A node whose converter needs a number that is known only at run time, and the options that make it known.
inline constexpr DiagnosticKind kNeedsValue = {"onnx-needs-value", Severity::kError,
                                               "{}: {} has to be known while importing ({})"};
inline constexpr DiagnosticKind kUnsupported = {"onnx-unsupported", Severity::kError,
                                                "the model uses operators that cannot be imported: {}"};
inline constexpr DiagnosticKind kBadOption = {"onnx-option", Severity::kError, "{}"};
inline constexpr DiagnosticKind kNote = {"onnx-note", Severity::kWarning, "{}"};
inline constexpr DiagnosticKind kDefaults = {
    "onnx-defaults", Severity::kRemark,
    "callers of the model may override {} of its weights, which are inputs with default values, so that nothing is "
    "computed from them; --onnx-freeze makes them constants"};
inline constexpr DiagnosticKind kNodeNote = {"onnx-note", Severity::kWarning, "{}: {}"};

}  // namespace relayopt::onnx::diag
