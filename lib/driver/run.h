// --run and --validate: evaluating the program.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flags.h"
#include "options.h"
#include "relayopt/check/validation.h"
#include "relayopt/convert/onnx/onnx.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/ir/function.h"
#include "reporter.h"

namespace relayopt {

// How @main is evaluated: for --run, --validate and every answer that does.
struct EvaluationOptions {
  bool run = false;
  std::string inputs = "";
  std::string params = "";
  uint64_t sets = 1;
  uint64_t seed = 0;
  std::vector<std::string> bind = {};
  int64_t unknown_extent = 2;
  std::optional<uint64_t> max_steps = {};
  bool lockstep = false;
  std::string disturb = "";
  uint64_t disturb_run = 1;
  bool validate_edge = false;
  std::optional<double> rtol = {};
  std::optional<double> atol = {};
};

inline auto EvaluationOf(const ToolOptions& options) -> const EvaluationOptions& {
  return options.of_owners.Get<EvaluationOptions>();
}
auto EvaluationFlags() -> std::span<const FlagDef>;

// Returns the result of @main on the inputs that the options name, for the output: text, or an .npz archive when the
// output is named so. `known` are InputOptions::known_extents. `model` is the ONNX model that the module was, or null:
// it names the inputs. Returns nothing after an error.
auto RunProgram(const Module& module, const ToolOptions& options, std::vector<BoundExtent> known,
                const OnnxModule* model, Reporter& reporter) -> std::optional<std::string>;

// Arguments for @main as --run takes them; each `set` has its own random ones. Nothing after an error.
auto MakeRunArguments(const Function& main, const ToolOptions& options, const std::vector<BoundExtent>& known,
                      uint64_t set, Reporter& reporter) -> std::optional<std::vector<Value>>;

// Returns the limits that the options set for programs of Relay.
auto EvaluationLimitsOf(const ToolOptions& options) -> EvaluationLimits;

// Reports why a program of any kind could not be evaluated, and the option that would have allowed it, if there is one.
void ReportFailure(Diagnostic failure, const SourceText* source, Reporter& reporter);

// Adds the tensors of a file; false after an error.
auto ReadInto(const std::string& path, std::vector<NamedTensor>& tensors, Reporter& reporter) -> bool;

// Returns an element of --bind: `x=3`, `x.0=3`, or nothing for anything else.
auto ParseBinding(std::string_view text) -> std::optional<BoundExtent>;

// How results are compared, as the options say. Files that cannot be read are reported.
auto ValidationOptionsOf(const ToolOptions& options, Reporter& reporter) -> ValidationInstrument::Options;

// Returns the instrument behind --validate. `sink` must outlive it. Files that cannot be read are reported.
auto MakeValidation(const ToolOptions& options, const PrintOptions& print, TextSink& sink, Reporter& reporter)
    -> std::shared_ptr<ValidationInstrument>;

}  // namespace relayopt
