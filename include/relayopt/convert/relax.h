// Modules written as Relax, for apache-tvm 0.27.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// A Python module in TVMScript, and the arrays that it loads.
struct RelaxText {
  std::string text;
  // The constants that are too large for the text, in the order of their numbers; the text reads them from the archive
  // that WriteRelax was told the name of.
  std::vector<NamedTensor> constants;
};

// Writes the functions of Relay of a module as Relax. `archive` is the name of the .npz that will hold the constants,
// beside the text. The module is prepared first: nested functions are lifted, kernels inlined, quantized operators
// written as integer arithmetic, and operators that Relax lacks as those that it has (LowerFor). Nothing when something
// has no form in Relax; all of it is reported then, each operator once, with a count and its first place.
auto WriteRelax(const Module& module, std::string_view archive, DiagnosticSink& sink) -> std::optional<RelaxText>;

// The pipeline that prepares a module for WriteRelax.
auto RelaxPipeline() -> std::string_view;

// How an operator is said in Relax: its name there, `through LowerFor`, or nothing.
auto RelaxFormOf(std::string_view op) -> std::string;

}  // namespace relayopt
