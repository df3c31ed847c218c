// Reports how much of a module can be expressed in another system (Relax or ONNX).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Returns the report: the totals of calls and operators in the module, how many operators cannot be expressed, and a
// line for each of them with the range of its first call. `write` writes the module and reports what it cannot express,
// as WriteRelax and WriteOnnx do. Sets `complete` to whether everything can be expressed.
auto CoverageReport(const Module& module, std::string_view system, const std::function<void(DiagnosticSink&)>& write,
                    bool& complete) -> std::string;

// How an operator is expressed in "relax" or "onnx": `direct`; `decomposed` by LowerFor; `lowered-first`, when
// quantized operators are first lowered to integer arithmetic; or `none`.
auto FormStateOf(std::string_view op, std::string_view system) -> std::string_view;

}  // namespace relayopt
