// Checks of a run besides those of the verifier.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "options.h"
#include "relayopt/module/module.h"
#include "relayopt/pass/instruments.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/ir/function.h"
#include "reporter.h"

namespace relayopt {

// Whether the text of a module reads back as the same text, with types and spans; `when` describes the module in
// messages.
auto CheckRoundTrip(const Module& module, const ToolOptions& options, const char* when, Reporter& reporter) -> bool;

// Reports names that neither the module before the passes nor that after them has.
void CheckFunctionNames(const char* flag, const std::vector<std::string>& names, const Module& before,
                        const Module& after, DiagnosticSink& sink);

// Warns of a pipeline whose function passes are all over kinds of functions that the module does not contain: it would
// do nothing, or fail because it misses what it needs.
void CheckKindsOfFunctions(const Pipeline& pipeline, const Module& module, DiagnosticSink& sink);

// Reports passes that --start-before or --stop-after named but that did not run.
void CheckRange(const PassRangeInstrument& range, Reporter& reporter);

// Returns the lines of a text as check lines for FileCheck; `comment` begins each.
auto CheckLinesOfText(std::string_view text, std::string_view prefix, std::string_view comment) -> std::string;

}  // namespace relayopt
