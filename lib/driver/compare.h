// --diff, --equiv and --compare-outputs: the result beside another module or other results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "relayopt/check/agreement.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/eval/inputs.h"
#include "reporter.h"

namespace relayopt {

// --compare-outputs; --bisect judges by it, too.
struct RecordedOptions {
  std::string file = "";
};

// Evaluates @main and compares its results with those in a file. Returns nothing after an error, which is reported.
// `known` are InputOptions::known_extents.
auto CompareWithRecorded(const Module& module, const std::string& file, const ToolOptions& options,
                         const std::vector<BoundExtent>& known, Reporter& reporter) -> std::optional<Agreement>;

// Evaluates @main of both on the same arguments, as often as the options say. `flag` is named in messages. Returns
// nothing after an error, which is reported.
auto CompareModules(const Module& expected, const Module& got, const char* flag, const ToolOptions& options,
                    const std::vector<BoundExtent>& known, Reporter& reporter) -> std::optional<Agreement>;

}  // namespace relayopt
