// The options of readers and writers, from flags.
#pragma once

#include <optional>

#include "options.h"
#include "relayopt/convert/format.h"
#include "reporter.h"

namespace relayopt {

// Returns the options of the writer of the output.
auto ExportOptionsOf(const ToolOptions& options, const PrintOptions& print) -> ExportOptions;

// Import options from flags; reports faults. With --run, an import that needs values of inputs gets the arrays of
// --inputs. What is evaluated, and what is written as `output` for another system, means what ONNX defines; text is
// what TVM's importer makes. All arguments must outlive the result.
auto ImportOptionsOf(const ToolOptions& options, const FormatDef& output, Reporter& reporter)
    -> std::optional<ImportOptions>;

}  // namespace relayopt
