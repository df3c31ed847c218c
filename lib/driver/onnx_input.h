// The options of readers, mainly those for ONNX models, and running such models.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "relayopt/convert/format.h"
#include "reporter.h"

namespace relayopt {

// Returns a table of the operators in a model: name with domain, version, number of nodes, and which cannot be
// imported. Nothing, with an error, when the input is not a model.
auto OnnxOperatorTable(const SourceText& source, DiagnosticSink& sink) -> std::optional<std::string>;

// Import options from flags; reports faults. With --run, an import that needs values of inputs gets the arrays of
// --inputs. What is evaluated, and what is written as `output` for another system, means what ONNX defines; text is
// what TVM's importer makes. All arguments must outlive the result.
auto ImportOptionsOf(const ToolOptions& options, const FormatDef& output, Reporter& reporter)
    -> std::optional<ImportOptions>;

// Arrays that are named as the model names its inputs, for the parameters of @main; those that were bound are left out.
auto ForParameters(const OnnxModule& model, std::vector<NamedTensor> given) -> std::vector<NamedTensor>;

}  // namespace relayopt
