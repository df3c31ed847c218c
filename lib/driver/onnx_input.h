// The flags of ONNX models, and running them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "relayopt/convert/onnx/onnx.h"
#include "reporter.h"

namespace relayopt {

// Whether the input is an ONNX model: its bytes tell, or the ending of its name.
auto IsOnnxInput(const SourceText& source) -> bool;

// The operators of a model: name with domain, version, number of nodes, and which of them cannot be imported. Nothing, with
// an error, when the input is no model.
auto OnnxOperatorTable(const SourceText& source, DiagnosticSink& sink) -> std::optional<std::string>;

// What the flags say; reports what is wrong with them.
auto OnnxOptionsOf(const ToolOptions& options, Reporter& reporter) -> std::optional<OnnxOptions>;

// The model. For --run: where the import wants to know values, it gets the arrays of --inputs.
auto ReadOnnxInput(const std::shared_ptr<const SourceText>& source, const ToolOptions& options, DiagnosticSink& sink,
                   Reporter& reporter) -> std::optional<OnnxModule>;

// Arrays that are named as the model names its inputs, for the parameters of @main; those that were bound are left out.
auto ForParameters(const OnnxModule& model, std::vector<NamedTensor> given) -> std::vector<NamedTensor>;

}  // namespace relayopt
