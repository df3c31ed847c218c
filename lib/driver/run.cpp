// --run and --validate: evaluating the program.
#include "run.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "onnx_input.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/eval/format.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/tir/eval/diagnostics.h"
#include "run_prim_func.h"

namespace relayopt {

namespace {

// The tensors of --inputs and --params.
auto ReadGiven(const ToolOptions& options, std::vector<NamedTensor>& given, Reporter& reporter) -> bool {
  return ReadInto(options.inputs, given, reporter) && ReadInto(options.params, given, reporter);
}

auto AsArchive(const Value& value, const OnnxModule* model, Reporter& reporter) -> std::optional<std::string> {
  std::vector<Tensor> tensors;
  if (!FlattenTensors(value, tensors)) {
    reporter.Error("the result is more than tensors and tuples of them, which an .npz cannot hold");
    return std::nullopt;
  }
  std::vector<NamedTensor> named;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool is_output = model != nullptr && model->outputs.size() == tensors.size();
    named.push_back(
        {fmt::format("output_{}", i), is_output ? ToNumPy(tensors[i], model->outputs[i].element_type) : tensors[i]});
  }
  auto archive = WriteNpz(named);
  if (!archive) {
    reporter.Error(archive.error().text);
    return std::nullopt;
  }
  return *std::move(archive);
}

auto InputsOf(const ToolOptions& options) -> InputOptions {
  InputOptions inputs;
  for (const std::string& text : options.bind) {
    if (auto bound = ParseBinding(text)) inputs.bound_extents.push_back(*std::move(bound));
  }
  inputs.seed = options.seed;
  inputs.unknown_extent = options.unknown_extent;
  return inputs;
}

}  // namespace

auto ReadInto(const std::string& path, std::vector<NamedTensor>& tensors, Reporter& reporter) -> bool {
  if (path.empty()) return true;
  auto read = ReadTensorFile(path);
  if (!read) {
    reporter.Report(read.error(), nullptr);
    return false;
  }
  for (NamedTensor& tensor : *read) tensors.push_back(std::move(tensor));
  return true;
}

auto ParseBinding(std::string_view text) -> std::optional<BoundExtent> {
  const auto number = [](std::string_view digits, auto& to) {
    const char* end = digits.data() + digits.size();
    return !digits.empty() && std::from_chars(digits.data(), end, to).ptr == end;
  };
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return std::nullopt;
  BoundExtent bound;
  if (!number(text.substr(equals + 1), bound.extent) || bound.extent < 0) return std::nullopt;
  text = text.substr(0, equals);
  if (text.starts_with('%')) text.remove_prefix(1);
  // Names may hold dots, too.
  uint32_t axis = 0;
  const size_t dot = text.rfind('.');
  if (dot != std::string_view::npos && number(text.substr(dot + 1), axis)) {
    bound.axis = axis;
    text = text.substr(0, dot);
  }
  bound.parameter = text;
  return bound;
}

auto ValidationOptionsOf(const ToolOptions& options, Reporter& reporter) -> ValidationInstrument::Options {
  ValidationInstrument::Options validation;
  ReadGiven(options, validation.given, reporter);
  // A number is the number of sets.
  validation.sets = options.sets;
  std::from_chars(options.validate.data(), options.validate.data() + options.validate.size(), validation.sets);
  validation.inputs = InputsOf(options);
  validation.edges = options.validate_edge;
  validation.strict_fp = options.strict_fp;
  validation.tolerance = {.exact = false, .rtol = options.rtol.value_or(-1), .atol = options.atol.value_or(-1)};
  return validation;
}

auto MakeValidation(const ToolOptions& options, const PrintOptions& print, TextSink& sink, Reporter& reporter)
    -> std::shared_ptr<ValidationInstrument> {
  ValidationInstrument::Options validation = ValidationOptionsOf(options, reporter);
  if (options.diagnostics_format != "text") {
    validation.report = [&reporter](const Diagnostic& mismatch) { reporter.Report(mismatch, nullptr); };
  }
  if (options.validate == "final") validation.mode = ValidationInstrument::Mode::kFinal;
  if (options.validate == "each") validation.mode = ValidationInstrument::Mode::kEach;
  if (!options.dump_ir_dir.empty()) validation.folder = options.dump_ir_dir;
  validation.print = print;
  if (options.input_files.size() > 1) validation.about = Printable(options.input) + ": ";
  return std::make_shared<ValidationInstrument>(std::move(validation), sink);
}

auto EvaluationLimitsOf(const ToolOptions& options) -> EvaluationLimits {
  EvaluationLimits limits;
  limits.max_steps = options.max_steps.value_or(limits.max_steps);
  return limits;
}

void ReportFailure(Diagnostic failure, const SourceText* source, Reporter& reporter) {
  if (failure.kind == &diag::kTooManySteps || failure.kind == &tir::diag::kTooManySteps)
    failure.Note("--max-steps=N changes this limit");
  reporter.Report(failure, source);
}

auto MakeRunArguments(const Function& main, const ToolOptions& options, const std::vector<BoundExtent>& known,
                      uint64_t set, Reporter& reporter) -> std::optional<std::vector<Value>> {
  std::vector<NamedTensor> given;
  if (!ReadGiven(options, given, reporter)) return std::nullopt;
  InputOptions inputs = InputsOf(options);
  inputs.seed += set;
  inputs.known_extents = known;
  auto arguments = MakeArguments(main, given, inputs);
  if (arguments) return *std::move(arguments);
  reporter.Report(arguments.error(), nullptr);
  return std::nullopt;
}

auto RunProgram(const Module& module, const ToolOptions& options, std::vector<BoundExtent> known,
                const OnnxModule* model, Reporter& reporter) -> std::optional<std::string> {
  const GlobalId main = module.FindGlobal("main");
  const bool is_relay = main && module.function<Function>(main) != nullptr;
  const GlobalId program = is_relay ? main : PrimFuncToRun(module);
  if (!program) {
    reporter.Error("--run needs a function @main");
    return std::nullopt;
  }
  std::vector<NamedTensor> given;
  if (!ReadGiven(options, given, reporter)) return std::nullopt;
  if (!is_relay) return RunPrimFunc(module, program, options, given, reporter);
  if (options.lockstep) {
    reporter.Error("--lockstep is about threads of tensor programs, and @main is a function of Relay");
    return std::nullopt;
  }
  if (model != nullptr) given = ForParameters(*model, std::move(given));
  const SourceText* source = module.source().get();
  InputOptions inputs = InputsOf(options);
  inputs.known_extents = std::move(known);
  auto arguments = MakeArguments(*module.function<Function>(main), given, inputs);
  if (!arguments) {
    reporter.Report(arguments.error(), source);
    return std::nullopt;
  }
  Evaluator evaluator(module, EvaluationLimitsOf(options));
  const auto result = evaluator.Call(main, *std::move(arguments));
  if (!result) {
    ReportFailure(result.error(), source, reporter);
    return std::nullopt;
  }
  if (!evaluator.undefined().empty()) {
    reporter.Report(MakeDiagnostic(diag::kUndefinedResult, {}, evaluator.undefined()), source);
  }
  if (options.output.ends_with(".npz")) return AsArchive(*result, model, reporter);
  return FormatValue(module, *result) + "\n";
}

}  // namespace relayopt
