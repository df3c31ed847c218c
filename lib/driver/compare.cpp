// Compares the result of a run with another module, or with recorded results.
#include "compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <set>

#include "answers.h"
#include "relayopt/check/agreement.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/text/module_diff.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/plural.h"
#include "relayopt/support/process.h"
#include "run.h"
#include "run_prim_func.h"
#include "setup.h"

namespace relayopt {

namespace {

struct DiffOptions {
  std::string other = "";
  std::string form = "text";
  uint64_t context = 3;
};

struct EquivOptions {
  std::string other = "";
};

struct AgreementFlags {
  std::optional<uint64_t> ulps = {};
  std::optional<double> top1 = {};
};

// Reads another module into the context of this one and infers its types.
auto ReadOther(const Module& module, const std::string& path, ImportOptions imports, Reporter& reporter)
    -> std::optional<Module> {
  const auto source = OpenText(path, reporter);
  if (source == nullptr) return std::nullopt;
  imports.context = module.shared_context();
  DiagnosticSink sink;
  std::optional<ImportedModule> other = ReadFormat(RecognizeFormat(*source), source, imports, sink);
  if (other && !InferTypes(other->module, sink)) other.reset();
  reporter.Report(sink, source.get());
  return other ? std::optional(std::move(other->module)) : std::nullopt;
}

auto MainOf(const Module& module, const char* flag, Reporter& reporter) -> const Function* {
  const GlobalId main = module.FindGlobal("main");
  const Function* function = main ? module.function<Function>(main) : nullptr;
  if (function == nullptr) reporter.Error(fmt::format("{} needs a function @main", flag));
  return function;
}

auto RunMain(const Module& module, const std::vector<Value>& arguments, const ToolOptions& options, Reporter& reporter)
    -> std::optional<Value> {
  auto result = Evaluator(module, EvaluationLimitsOf(options)).Call(module.FindGlobal("main"), arguments);
  if (result) return *std::move(result);
  ReportFailure(result.error(), module.source().get(), reporter);
  return std::nullopt;
}

auto AgreementOf(const ToolOptions& options) -> AgreementOptions {
  AgreementOptions agreement;
  const auto& evaluation = EvaluationOf(options);
  agreement.rtol = evaluation.rtol;
  agreement.atol = evaluation.atol;
  const auto& flags = options.of_owners.Get<AgreementFlags>();
  agreement.ulps = flags.ulps;
  agreement.top1 = flags.top1;
  return agreement;
}

auto AnswerDiff(const AnsweredRun& run) -> std::optional<AnswerText> {
  const auto& own = run.options.of_owners.Get<DiffOptions>();
  const auto other = ReadOther(run.module, own.other, run.setup.session->imports(), run.reporter);
  if (!other) return std::nullopt;
  const ModuleDiff diff = DiffModules(*other, run.module, {}, run.setup.print.types);
  if (own.form == "json") return AnswerText{ToJson(diff), diff.is_equal()};
  const ToolOptions& options = run.options;
  const bool to_terminal = options.output == "-" && IsTerminal(STDOUT_FILENO);
  const bool has_color = options.color == "always" || (options.color == "auto" && to_terminal);
  return AnswerText{ToText(diff, {.context = static_cast<size_t>(own.context), .color = has_color}), diff.is_equal()};
}

// Outputs are called by the names of the model's where it has as many.
auto TextOf(const char* flag, const Agreement& agreement, const AnsweredRun& run) -> AnswerText {
  std::vector<std::string> names;
  if (run.imported.onnx) {
    for (const OnnxValue& output : run.imported.onnx->outputs) names.push_back(output.name);
  }
  return {fmt::format("{}{}: {}\n", agreement.ToText(names), flag, agreement.agrees() ? "same" : "DIFFERENT"),
          agreement.agrees()};
}

// Tensor programs are compared one by one, by name.
auto EquivOfPrograms(const Module& other, const AnsweredRun& run) -> std::optional<AnswerText> {
  const PrimFuncJudge::Verdict verdict = JudgePrimFuncs(other, run.module, run.options, run.reporter);
  if (verdict.kind == PrimFuncJudge::Verdict::Kind::kNotRun) {
    run.reporter.Error(fmt::format("--equiv: the programs cannot be compared: {}", verdict.text));
    return std::nullopt;
  }
  const bool agrees = verdict.kind == PrimFuncJudge::Verdict::Kind::kAgrees;
  return AnswerText{agrees ? "equiv: same\n" : fmt::format("{}\nequiv: DIFFERENT\n", verdict.text), agrees};
}

auto AnswerEquiv(const AnsweredRun& run) -> std::optional<AnswerText> {
  const std::string& path = run.options.of_owners.Get<EquivOptions>().other;
  const auto other = ReadOther(run.module, path, run.setup.session->imports(), run.reporter);
  if (!other) return std::nullopt;
  if (PrimFuncToRun(run.module)) return EquivOfPrograms(*other, run);
  const auto agreement = CompareModules(*other, run.module, "--equiv", run.options, run.known_extents, run.reporter);
  return agreement ? std::optional(TextOf("equiv", *agreement, run)) : std::nullopt;
}

auto AnswerRecordedOutputs(const AnsweredRun& run) -> std::optional<AnswerText> {
  const auto agreement = CompareWithRecorded(run.module, run.options.of_owners.Get<RecordedOptions>().file, run.options,
                                             run.known_extents, run.reporter);
  return agreement ? std::optional(TextOf("compare-outputs", *agreement, run)) : std::nullopt;
}

// Returns which parameter of `expected` each parameter of `got` is: that of its name if both have the same names, else
// that of its position. Both have equally many.
auto ParameterOrder(const Function& expected, const Function& got) -> std::vector<size_t> {
  const auto name = [](const Function& function, size_t i) {
    return function.context().text(function.var(function.params()[i]).name);
  };
  const size_t count = got.params().size();
  std::vector<size_t> positions;
  std::map<std::string_view, size_t> by_name;
  for (size_t i = 0; i < count; ++i) {
    positions.push_back(i);
    by_name.emplace(name(expected, i), i);
  }
  std::vector<size_t> order;
  std::set<size_t> taken;
  for (size_t i = 0; i < count; ++i) {
    const auto found = by_name.find(name(got, i));
    if (found == by_name.end() || !taken.insert(found->second).second) return positions;
    order.push_back(found->second);
  }
  return order;
}

// Puts arrays into the order of the model's outputs, whose names they have; others stay in the order of the file.
void OrderByOutputs(const std::vector<OnnxPort>& outputs, std::vector<NamedTensor>& tensors) {
  if (outputs.size() != tensors.size()) return;
  std::map<std::string_view, const NamedTensor*> by_name;
  for (const NamedTensor& named : tensors) by_name.emplace(named.name, &named);
  std::vector<NamedTensor> ordered;
  for (const OnnxPort& output : outputs) {
    const auto found = by_name.find(output.name);
    if (found == by_name.end()) return;
    ordered.push_back(*found->second);
  }
  tensors = std::move(ordered);
}

}  // namespace

auto CompareWithRecorded(const Module& module, const std::string& file, const ToolOptions& options,
                         const std::vector<BoundExtent>& known, Reporter& reporter) -> std::optional<Agreement> {
  const Function* main = MainOf(module, "--compare-outputs", reporter);
  std::vector<NamedTensor> tensors;
  if (main == nullptr || !ReadInto(file, tensors, reporter)) return std::nullopt;
  const auto arguments = MakeRunArguments(*main, options, known, 0, reporter);
  const auto got = arguments ? RunMain(module, *arguments, options, reporter) : std::nullopt;
  if (!got) return std::nullopt;
  OrderByOutputs(module.context().Part<OnnxInterface>().Get().outputs, tensors);
  auto fields = MapToVector<Value>(tensors, [&](const NamedTensor& named) { return Value(named.tensor); });
  Agreement agreement(AgreementOf(options));
  agreement.Add(Value::Tuple(std::move(fields)), *got);
  return agreement;
}

auto CompareModules(const Module& expected, const Module& got, const char* flag, const ToolOptions& options,
                    const std::vector<BoundExtent>& known, Reporter& reporter) -> std::optional<Agreement> {
  const Function* expected_main = MainOf(expected, flag, reporter);
  const Function* got_main = expected_main == nullptr ? nullptr : MainOf(got, flag, reporter);
  if (got_main == nullptr) return std::nullopt;
  if (expected_main->params().size() != got_main->params().size()) {
    reporter.Error(fmt::format("{}: @main has {}, that of the other module has {}", flag,
                               Counted(got_main->params().size(), "parameter"), expected_main->params().size()));
    return std::nullopt;
  }
  const std::vector<size_t> order = ParameterOrder(*expected_main, *got_main);
  Agreement agreement(AgreementOf(options));
  for (uint64_t set = 0; set < EvaluationOf(options).sets; ++set) {
    // Made for one of the modules, because made-up arguments depend on the program.
    const auto arguments = MakeRunArguments(*expected_main, options, known, set, reporter);
    const auto left = arguments ? RunMain(expected, *arguments, options, reporter) : std::nullopt;
    if (!left) return std::nullopt;
    const auto reordered = MapToVector<Value>(order, [&](size_t i) { return (*arguments)[i]; });
    const auto right = RunMain(got, reordered, options, reporter);
    if (!right) return std::nullopt;
    agreement.Add(*left, *right);
  }
  return agreement;
}

namespace flag_rows {

constexpr FlagDef kDiffFlags[] = {
    {RELAYOPT_FIELD(DiffOptions::other), .name = "diff", .group = kEvaluation, .value = "OTHER", .kind = kFile,
     .help = "show what differs from another module, by structure", .role = kAnswer, .effect = kNone},
    {RELAYOPT_FIELD(DiffOptions::form), .name = "diff-format", .group = kEvaluation, .value = "FORM",
     .help = "--diff as text or json", .words = "text json", .rare = true, .effect = kNone},
    {RELAYOPT_FIELD(DiffOptions::context), .name = "diff-context", .group = kEvaluation, .value = "N",
     .help = "lines that --diff shows around what is different", .rare = true, .effect = kNone},
};

constexpr FlagDef kEquivFlags[] = {
    {RELAYOPT_FIELD(EquivOptions::other), .name = "equiv", .group = kEvaluation, .value = "OTHER", .kind = kFile,
     .help = "evaluate another module on the same arguments, and compare", .role = kAnswer, .effect = kNone},
    {RELAYOPT_FIELD(AgreementFlags::ulps), .name = "ulps", .group = kEvaluation, .value = "N",
     .help = "--equiv and --compare-outputs: floats may be so many representable numbers apart", .rare = true,
     .effect = kNone},
    {RELAYOPT_FIELD(AgreementFlags::top1), .name = "top1", .group = kEvaluation, .value = "PART",
     .help = "and instead: so many rows, 0 to 1, have their largest element at the same place", .min = 0, .max = 1,
     .rare = true, .effect = kNone},
};

constexpr FlagDef kRecordedOutputsFlags[] = {
    {RELAYOPT_FIELD(RecordedOptions::file), .name = "compare-outputs", .group = kEvaluation, .value = "FILE.npz",
     .kind = kFile, .help = "evaluate @main and compare its results with these", .rare = true, .role = kAnswer,
     .effect = kNone},
};

}  // namespace flag_rows

constinit const AnswerDef kDiffAnswer = {
    .flags = FlagRows(flag_rows::kDiffFlags), .make = AnswerDiff, .reads_other = true};
constinit const AnswerDef kEquivAnswer = {.flags = FlagRows(flag_rows::kEquivFlags),
                                          .make = AnswerEquiv,
                                          .evaluates = true,
                                          .compares = true,
                                          .reads_other = true};
constinit const AnswerDef kRecordedOutputsAnswer = {.flags = FlagRows(flag_rows::kRecordedOutputsFlags),
                                                    .make = AnswerRecordedOutputs,
                                                    .evaluates = true,
                                                    .compares = true};

}  // namespace relayopt
