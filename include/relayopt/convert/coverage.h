// What of a module another system can say.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// A report, a line for each operator that has no form in a system: how many calls of how many operators a module has,
// how many operators cannot be said, and where each stands first. `write` writes the module, reporting what it cannot,
// as WriteRelax and WriteOnnx do. `complete` is set to whether everything can be said.
auto CoverageReport(const Module& module, std::string_view system, const std::function<void(DiagnosticSink&)>& write,
                    bool& complete) -> std::string;

// How an operator is said in a system, "relax" or "onnx": `direct`, `decomposed` by LowerFor, `lowered-first` where
// quantized operators become integer arithmetic before, or `none`.
auto FormStateOf(std::string_view op, std::string_view system) -> std::string_view;

}  // namespace relayopt
