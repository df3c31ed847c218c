// What readers are told, the flags of ONNX models above all, and running such models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "relayopt/convert/format.h"
#include "reporter.h"

namespace relayopt {

// The operators of a model: name with domain, version, number of nodes, and which of them cannot be imported. Nothing,
// with an error, when the input is no model.
auto OnnxOperatorTable(const SourceText& source, DiagnosticSink& sink) -> std::optional<std::string>;

// What the flags say; reports what is wrong with them. For --run: where an import wants to know values of inputs, it
// gets the arrays of --inputs. Both arguments must outlive the result.
auto ImportOptionsOf(const ToolOptions& options, Reporter& reporter) -> std::optional<ImportOptions>;

// Arrays that are named as the model names its inputs, for the parameters of @main; those that were bound are left out.
auto ForParameters(const OnnxModule& model, std::vector<NamedTensor> given) -> std::vector<NamedTensor>;

}  // namespace relayopt
