// --run and --validate: evaluating the program.
#include "run.h"

#include <fmt/format.h>

#include <vector>

#include "relayopt/eval/diagnostics.h"
#include "relayopt/eval/evaluator.h"
#include "relayopt/eval/format.h"
#include "relayopt/eval/inputs.h"

namespace relayopt {

namespace {

// Adds the tensors of a file; false after an error.
auto ReadInto(const std::string& path, std::vector<NamedTensor>& tensors, Reporter& reporter) -> bool {
  if (path.empty()) return true;
  std::string error;
  const auto source = SourceText::Open(path, error);
  if (source == nullptr) {
    reporter.Error("cannot read '" + path + "': " + error);
    return false;
  }
  auto read = ReadTensors(source->text());
  if (!read) {
    reporter.Error("cannot read '" + path + "': " + read.error().text);
    return false;
  }
  for (NamedTensor& tensor : *read) tensors.push_back(std::move(tensor));
  return true;
}

auto AsArchive(const Value& value, Reporter& reporter) -> std::optional<std::string> {
  std::vector<Tensor> tensors;
  if (!FlattenTensors(value, tensors)) {
    reporter.Error("the result is more than tensors and tuples of them, which an .npz cannot hold");
    return std::nullopt;
  }
  std::vector<NamedTensor> named;
  for (size_t i = 0; i < tensors.size(); ++i) named.push_back({fmt::format("output_{}", i), tensors[i]});
  auto archive = WriteNpz(named);
  if (!archive) {
    reporter.Error(archive.error().text);
    return std::nullopt;
  }
  return *std::move(archive);
}

auto InputsOf(const ToolOptions& options) -> InputOptions {
  InputOptions inputs;
  inputs.seed = static_cast<uint64_t>(options.seed);
  inputs.unknown_extent = options.unknown_extent;
  return inputs;
}

}  // namespace

auto MakeValidation(const ToolOptions& options, const PrintOptions& print, TextSink& sink)
    -> std::shared_ptr<ValidationInstrument> {
  ValidationInstrument::Options validation;
  if (options.validate == "final") validation.mode = ValidationInstrument::Mode::kFinal;
  if (options.validate == "each") validation.mode = ValidationInstrument::Mode::kEach;
  validation.inputs = InputsOf(options);
  validation.edges = options.validate_edge;
  validation.strict_fp = options.strict_fp;
  validation.tolerance = {.exact = false, .rtol = options.rtol, .atol = options.atol};
  if (!options.dump_ir_dir.empty()) validation.folder = options.dump_ir_dir;
  validation.print = print;
  return std::make_shared<ValidationInstrument>(std::move(validation), sink);
}

auto RunProgram(const Module& module, const ToolOptions& options, Reporter& reporter) -> std::optional<std::string> {
  const GlobalId main = module.FindGlobal("main");
  if (!main || module.function(main) == nullptr) {
    reporter.Error("--run needs a function @main");
    return std::nullopt;
  }
  std::vector<NamedTensor> given;
  if (!ReadInto(options.inputs, given, reporter) || !ReadInto(options.params, given, reporter)) return std::nullopt;
  const SourceText* source = module.source().get();
  auto arguments = MakeArguments(*module.function(main), given, InputsOf(options));
  if (!arguments) {
    reporter.Report(arguments.error(), source);
    return std::nullopt;
  }
  Evaluator evaluator(module);
  const auto result = evaluator.Call(main, *std::move(arguments));
  if (!result) {
    reporter.Report(result.error(), source);
    return std::nullopt;
  }
  if (!evaluator.undefined().empty()) {
    reporter.Report(MakeDiagnostic(diag::kUndefinedResult, {}, evaluator.undefined()), source);
  }
  if (options.output.ends_with(".npz")) return AsArchive(*result, reporter);
  return FormatValue(module, *result) + "\n";
}

}  // namespace relayopt
