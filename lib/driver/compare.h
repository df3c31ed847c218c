// --diff, --equiv and --compare-outputs: the result beside another module or other results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options.h"
#include "relayopt/check/agreement.h"
#include "relayopt/convert/format.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/eval/inputs.h"
#include "reporter.h"

namespace relayopt {

// The result of a comparison, and whether it is the desired one.
struct Comparison {
  std::string text;
  bool agrees = true;
};

// Returns the answers that the options ask for, one after the other, instead of the module, or nothing after an error,
// which is reported, or when they ask for none. `known` are InputOptions::known_extents.
auto CompareResult(const Module& module, const ToolOptions& options, const ImportOptions& imports, TypePrinting types,
                   const std::vector<BoundExtent>& known, Reporter& reporter) -> std::optional<Comparison>;

// Evaluates @main of both on the same arguments, as often as the options say. `flag` is named in messages. Nothing
// after an error, which is reported.
auto CompareModules(const Module& expected, const Module& got, const char* flag, const ToolOptions& options,
                    const std::vector<BoundExtent>& known, Reporter& reporter) -> std::optional<Agreement>;

}  // namespace relayopt
