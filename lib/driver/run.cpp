// --run and --validate: evaluating the program.
#include "run.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "answers.h"
#include "onnx_input.h"
#include "relayopt/convert/onnx/result_names.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/eval/format.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_pieces.h"
#include "relayopt/tir/eval/diagnostics.h"
#include "run_prim_func.h"

namespace relayopt {

namespace {

// The tensors of --inputs and --params.
auto ReadGiven(const ToolOptions& options, std::vector<NamedTensor>& given, Reporter& reporter) -> bool {
  return ReadInto(EvaluationOf(options).inputs, given, reporter) &&
         ReadInto(EvaluationOf(options).params, given, reporter);
}

auto AsArchive(const Value& value, const OnnxModule* model, Reporter& reporter) -> std::optional<std::string> {
  const std::vector<OnnxValue> outputs = model == nullptr ? std::vector<OnnxValue>() : model->outputs;
  const bool is_one = value.is_tensor() || outputs.size() == 1;
  const auto fields = is_one ? std::span(&value, 1) : value.fields();
  const bool are_outputs = outputs.size() == fields.size();
  ResultFields sizes;
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < fields.size(); ++i) {
    const size_t first = tensors.size();
    if (!FlattenTensors(fields[i], tensors)) {
      reporter.Error("the result contains values other than tensors and tuples, which an .npz file cannot hold");
      return std::nullopt;
    }
    sizes.push_back(fields[i].is_tensor() ? std::nullopt : std::optional(tensors.size() - first));
    if (are_outputs && fields[i].is_tensor()) tensors[first] = ToNumPy(tensors[first], outputs[i].element_type);
  }
  const auto names = MapToVector<std::string_view>(outputs, &OnnxValue::name);
  std::vector<std::string> names_of_tensors = ResultNames(names, sizes);
  std::vector<NamedTensor> named;
  named.reserve(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) named.push_back({std::move(names_of_tensors[i]), std::move(tensors[i])});
  auto archive = WriteNpz(named);
  if (!archive) {
    reporter.Error(archive.error().text);
    return std::nullopt;
  }
  return *std::move(archive);
}

auto InputsOf(const ToolOptions& options) -> InputOptions {
  InputOptions inputs;
  for (const std::string& text : EvaluationOf(options).bind) {
    if (auto bound = ParseBinding(text)) inputs.bound_extents.push_back(*std::move(bound));
  }
  inputs.seed = EvaluationOf(options).seed;
  inputs.unknown_extent = EvaluationOf(options).unknown_extent;
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
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const auto extent = ParseNumber<int64_t>(text.substr(equals + 1));
  if (!extent || *extent < 0) return std::nullopt;
  BoundExtent bound;
  bound.extent = *extent;
  text = text.substr(0, equals);
  if (text.starts_with('%')) text.remove_prefix(1);
  // Names may hold dots, too.
  const size_t dot = text.rfind('.');
  const auto axis = dot == std::string_view::npos ? std::nullopt : ParseNumber<uint32_t>(text.substr(dot + 1));
  if (axis) {
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
  validation.sets = EvaluationOf(options).sets;
  std::from_chars(options.validate.data(), options.validate.data() + options.validate.size(), validation.sets);
  validation.inputs = InputsOf(options);
  validation.edges = EvaluationOf(options).validate_edge;
  validation.strict_fp = options.strict_fp;
  validation.max_steps = EvaluationOf(options).max_steps.value_or(validation.max_steps);
  validation.tolerance = {
      .exact = false, .rtol = EvaluationOf(options).rtol.value_or(-1), .atol = EvaluationOf(options).atol.value_or(-1)};
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
  limits.max_steps = EvaluationOf(options).max_steps.value_or(limits.max_steps);
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

namespace {

// Calls the function, with what --disturb names changed on the way.
auto Evaluate(Evaluator& evaluator, GlobalId id, std::vector<Value> arguments, const EvaluationOptions& options,
              uint64_t run, ZeroLog& zeros) -> Result<Value> {
  if (options.disturb == "rounding") evaluator.Disturb(run, &zeros);
  if (options.disturb == "steps") evaluator.DisturbSteps(run);
  if (options.disturb == "open") evaluator.ReplaceOpen(run, /*domain_errors=*/true);
  return evaluator.Call(id, std::move(arguments));
}

auto AnswerRun(const AnsweredRun& run) -> std::optional<AnswerText> {
  const OnnxModule* model = run.imported.onnx ? &*run.imported.onnx : nullptr;
  auto text = RunProgram(run.module, run.options, run.known_extents, model, run.reporter);
  return text ? std::optional(AnswerText{*std::move(text)}) : std::nullopt;
}

}  // namespace

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
  if (EvaluationOf(options).lockstep) {
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
  const EvaluationOptions& own = EvaluationOf(options);
  // A disturbed run depends on those before it: what was almost zero in them is zero in some.
  ZeroLog zeros;
  for (uint64_t run = 1; run < own.disturb_run; ++run) {
    Evaluator earlier(module, EvaluationLimitsOf(options));
    auto copies = MapToVector<Value>(*arguments, [&](const Value& argument) { return WithOwnReferences(argument); });
    static_cast<void>(Evaluate(earlier, main, std::move(copies), own, run, zeros));
  }
  Evaluator evaluator(module, EvaluationLimitsOf(options));
  const auto result = Evaluate(evaluator, main, *std::move(arguments), own, own.disturb_run, zeros);
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

namespace flag_rows {

auto CheckBinding(std::string_view text) -> std::string {
  return ParseBinding(text) ? "" : fmt::format("'{}' is not NAME=N or NAME.AXIS=N", text);
}

constexpr FlagDef kRunFlags[] = {
    {RELAYOPT_FIELD(EvaluationOptions::run), .name = "run", .group = kEvaluation,
     .help = "evaluate @main and print its result, or write it to -o FILE.npz", .role = kAnswer, .effect = kNone},
};

constexpr FlagDef kEvaluationFlags[] = {
    {RELAYOPT_FIELD(EvaluationOptions::inputs), .name = "inputs", .group = kEvaluation, .value = "FILE.npz",
     .kind = kFile, .help = "arguments of @main by name, or arr_0, arr_1...; others are random", .needs = "evaluation",
     .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::params), .name = "params", .group = kEvaluation, .value = "FILE", .kind = kFile,
     .help = "more arguments: an .npz, or a parameter file of TVM", .needs = "evaluation", .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::sets), .name = "sets", .group = kEvaluation, .value = "N",
     .help = "sets of random arguments for --validate and --equiv", .min = 1, .max = 1000000, .rare = true,
     .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::seed), .name = "seed", .group = kEvaluation, .value = "S",
     .help = "seed of random arguments, and of the random programs of --fuzz", .needs = "evaluation fuzz bind-params",
     .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::bind), .name = "bind", .group = kEvaluation, .value = "NAME[.AXIS]=N,...",
     .separator = ',', .help = "what unknown extents of parameters are in random arguments: of all axes or of one",
     .check = CheckBinding, .needs = "evaluation", .rare = true, .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::unknown_extent), .name = "unknown-extent", .group = kEvaluation, .value = "N",
     .help = "what other `?` become", .min = 0, .needs = "evaluation", .rare = true, .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::max_steps), .name = "max-steps", .group = kEvaluation, .value = "N",
     .help = "--run and --equiv: fail after so many steps, by default 2^24 expressions of Relay (a large operator "
             "counts as many: one for 16384 operations), 2^30 of TIR; --validate: do not compare programs that take "
             "more, by default 2e7, or ten times as many of TIR",
     .needs = "run equiv compare-outputs validate bisect reduce", .rare = true, .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::lockstep), .name = "lockstep", .group = kEvaluation,
     .help = "--run of a tensor program: the threads of a block go from statement to statement together, as if the "
             "barriers were there that tir.ThreadSync puts in",
     .needs = "run", .rare = true, .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::disturb), .name = "disturb", .group = kEvaluation, .value = "KIND",
     .help = "--run with other results inside of the program, at random, as another system may have them: floats moved "
             "by their rounding errors, quantized numbers by steps, or results with NaN and infinities that are open",
     .words = "rounding steps open", .needs = "run", .rare = true, .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::disturb_run), .name = "disturb-run", .group = kEvaluation, .value = "N",
     .help = "the N-th disturbed run, each of which is another", .min = 1, .max = 1000, .needs = "disturb",
     .rare = true, .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::validate_edge), .name = "validate-edge", .group = kEvaluation,
     .help = "--validate with zeros and NaN, with infinities, and with the ends of ranges, too",
     .needs = "validate bisect reduce", .rare = true, .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::rtol), .name = "rtol", .group = kEvaluation, .value = "X",
     .help = "relative tolerance for float32: --validate after passes that are not exact, --equiv (1e-4)", .min = 0,
     .needs = "comparison", .rare = true, .effect = kNone},
    {RELAYOPT_FIELD(EvaluationOptions::atol), .name = "atol", .group = kEvaluation, .value = "X",
     .help = "and the absolute tolerance (1e-5)", .min = 0, .needs = "comparison", .rare = true, .effect = kNone},
};

}  // namespace flag_rows

auto EvaluationFlags() -> std::span<const FlagDef> { return FlagRows(flag_rows::kEvaluationFlags); }

constinit const AnswerDef kRunAnswer = {
    .flags = FlagRows(flag_rows::kRunFlags), .make = AnswerRun, .evaluates = true, .of_parts = true};

}  // namespace relayopt
