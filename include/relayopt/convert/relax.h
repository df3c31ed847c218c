// Writing modules as Relax, for apache-tvm 0.27.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// A Python module in TVMScript, with the arrays that it loads.
struct RelaxText {
  std::string text;
  // The constants that are too large for the text, in the order of their numbers. The text loads them from the archive
  // whose name WriteRelax was given.
  std::vector<NamedTensor> constants;
};

// Writes the Relay functions of a module as Relax. `archive` is the name of the .npz file beside the text that will
// hold the constants. The module is first prepared: nested functions are lifted, kernels inlined, quantized operators
// lowered to integer arithmetic, and operators that Relax lacks expressed by others (LowerFor). Nothing when the module
// cannot be expressed; every operator without a form in Relax is then reported once, with its count and first range.
auto WriteRelax(const Module& module, std::string_view archive, DiagnosticSink& sink) -> std::optional<RelaxText>;

// Returns the pipeline that prepares a module for WriteRelax.
auto RelaxPipeline() -> std::string_view;

// How an operator is expressed in Relax: its name there, `through LowerFor`, or the empty string.
auto RelaxFormOf(std::string_view op) -> std::string;

}  // namespace relayopt
