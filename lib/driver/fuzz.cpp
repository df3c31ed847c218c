// The loop of --fuzz, and the files that it writes.
#include "fuzz.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "answers.h"
#include "crash.h"
#include "driver.h"
#include "output.h"
#include "progress.h"
#include "reduce.h"
#include "relayopt/check/fuzzer.h"
#include "relayopt/check/planted_faults.h"
#include "relayopt/convert/module_text.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/plural.h"
#include "relayopt/tir/script/module_text.h"
#include "run.h"

namespace relayopt {

namespace {

struct FuzzFlags {
  uint64_t count = 0;
  std::string corpus = "";
  std::string programs = "";
  std::string planted_fault = "";
  std::string save = "";
};

// Random pipelines for each program, because generating a program is half of the work.
constexpr int kPipelines = 4;

// Returns the passes as --passes takes them.
auto PipelineOf(const ToolOptions& options) -> std::string {
  std::string text;
  for (const std::string& piece : options.passes) text += (text.empty() ? "" : ",") + piece;
  return text;
}

// Returns the options that describe the context of a case.
auto ContextOf(const FuzzFailure& failure) -> std::string {
  const std::string target = failure.target.empty() ? "" : fmt::format("--target='{}' ", failure.target);
  return target + (failure.strict_fp ? "--strict-fp " : "");
}

// Returns what the tool needs to judge a case as the fuzzer did.
auto ArgumentsOf(const FuzzFailure& failure, const std::vector<std::string>& plugins) -> std::string {
  std::string arguments;
  for (const std::string& plugin : plugins) arguments += fmt::format("--load-pass-plugin={} ", Quoted(plugin));
  return arguments + fmt::format("--opt-level=4 --seed={} --validate-edge {}--passes='{}'", failure.seed,
                                 ContextOf(failure), failure.pipeline);
}

// The number of similar failures that are reported, each with its file.
constexpr size_t kMostAlike = 3;
constexpr size_t kMostKinds = 20;

// Returns what failures that are alike have in common: the summary without its numbers.
auto KindOf(const FuzzFailure& failure) -> std::string {
  std::string kind;
  for (const char c : failure.what.substr(0, failure.what.find('\n'))) {
    if (c < '0' || c > '9') kind += c;
  }
  return kind;
}

// Reports whether the passes can be run at all, before any program is generated.
auto CheckFuzzPipeline(const std::string& text, Reporter& reporter) -> bool {
  const Result<Pipeline> pipeline = ParsePipeline(text);
  if (!pipeline) {
    reporter.Report(pipeline.error(), SourceText::FromString("--passes", text).get());
    return false;
  }
  const Result<PassRef> pass = BuildPipeline(*pipeline);
  if (!pass) reporter.Report(pass.error(), nullptr);
  return pass.has_value();
}

// Writes a program to a file, and reports where that fails.
auto WriteProgram(const std::string& path, std::string_view text, Reporter& reporter) -> bool {
  const auto error = WriteFile(path, text);
  if (error) reporter.Error(fmt::format("cannot write '{}': {}", Printable(path), *error));
  return !error;
}

// Writes a failing case to a file, and returns its name.
auto Leave(const FuzzFailure& failure, const std::string& arguments, Reporter& reporter) -> std::string {
  const FunctionKindDef& kind = TextKindOf(failure.program);
  std::string name = fmt::format("fuzz-{}{}", failure.seed, kind.extension);
  WriteProgram(name, fmt::format("{}relayopt --validate {} {}\n{}", kind.comment, arguments, name, failure.program),
               reporter);
  return name;
}

// The next command for a case; empty for faults of texts, which the reducer does not judge.
auto HowToReduce(const FuzzFailure& failure, const std::string& arguments, const std::string& file) -> std::string {
  const auto says = [&](std::string_view words) { return failure.what.find(words) != std::string::npos; };
  const bool is_rule = says("types do not fit") || says("the verifier objects");
  if (!is_rule && !says("another result")) return "";
  return "\n  to make it smaller: " + ReduceCommand(is_rule ? "verify" : "validate", arguments, file);
}

// Whether a file is a module that can be judged: a corpus of tests has many others.
auto IsModule(const std::shared_ptr<const SourceText>& source, bool is_script) -> bool {
  DiagnosticSink sink;
  if (is_script) {
    Module module;
    module.set_source(source);
    return tir::ReadInto(module, source, sink);
  }
  std::optional<Module> module = ReadModule(source, sink);
  return module && InferTypes(*module, sink);
}

// Takes the modules in a folder and those inside of it for the corpus, by name; an error when there are none. Files
// that are something else are left out.
void ReadCorpus(const std::string& folder, FuzzOptions& fuzz, Reporter& reporter) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto extension = entry->path().extension();
    const bool is_wanted = (fuzz.relay_programs && extension == kRelayFunctionKind.extension) ||
                           (fuzz.tensor_programs && extension == tir::kPrimFuncKind.extension);
    if (is_wanted) paths.push_back(entry->path().string());
  }
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    std::string reason;
    const auto source = SourceText::Open(path, reason);
    const bool is_script = path.ends_with(tir::kPrimFuncKind.extension);
    if (source == nullptr || !IsModule(source, is_script)) continue;
    (is_script ? fuzz.script_corpus : fuzz.corpus).emplace_back(source->text());
  }
  if (error) {
    reporter.Error(fmt::format("--fuzz-corpus: cannot read '{}': {}", folder, error.message()));
  } else if (fuzz.corpus.empty() && fuzz.script_corpus.empty()) {
    reporter.Error(
        fmt::format("--fuzz-corpus: '{}' has no .relay file with a well-typed module, and no .py file with "
                    "tensor programs",
                    folder));
  }
}

using PassRuns = std::map<std::string, FuzzRun::PassRuns>;

using Counts = std::map<std::string, size_t>;

auto Sum(const Counts& counts) -> size_t {
  size_t sum = 0;
  for (const auto& [why, count] : counts) sum += count;
  return sum;
}
void Add(Counts& counts, const Counts& others) {
  for (const auto& [why, count] : others) counts[why] += count;
}
void Tell(std::string_view what, const Counts& counts) {
  for (const auto& [why, count] : counts) AddToAnswer(fmt::format("  {}, {}: {}\n", what, Counted(count, "time"), why));
}

// The totals over all programs.
class FuzzTotals {
 public:
  void Add(const FuzzRun& run) {
    pipelines_ += run.pipelines;
    validated_ += run.validated;
    relayopt::Add(refused_, run.refused);
    relayopt::Add(not_validated_, run.not_validated);
    pairs_.all += run.pairs.all;
    pairs_.unchanged += run.pairs.unchanged;
    pairs_.validated += run.pairs.validated;
    relayopt::Add(pairs_.refused, run.pairs.refused);
    relayopt::Add(pairs_.not_validated, run.pairs.not_validated);
    for (const auto& [name, runs] : run.passes) {
      passes_[name].runs += runs.runs;
      passes_[name].changed += runs.changed;
    }
  }
  auto passes() const -> const PassRuns& { return passes_; }

  void Print(uint64_t programs, uint64_t failed) const {
    AddToAnswer(fmt::format("{} through {}: {} validated, {} refused by a pass, {} failed\n",
                            Counted(programs, "program"), Counted(pipelines_, "pipeline"),
                            Counted(validated_ + pairs_.validated, "pass"), Counted(Sum(refused_), "pipeline"),
                            Counted(failed, "program")));
    if (pairs_.all != 0) {
      AddToAnswer(
          fmt::format("  {} of a tensor program and a pass: {} unchanged, {} validated, {} not validated, {} refused\n",
                      Counted(pairs_.all, "pair"), pairs_.unchanged, pairs_.validated, Sum(pairs_.not_validated),
                      Sum(pairs_.refused)));
    }
    Tell("refused", refused_);
    Tell("not validated", not_validated_);
    Tell("pairs refused", pairs_.refused);
    Tell("pairs not validated", pairs_.not_validated);
  }

 private:
  PassRuns passes_;
  FuzzRun::Pairs pairs_;
  size_t pipelines_ = 0;
  size_t validated_ = 0;
  Counts not_validated_;
  Counts refused_;
};

// Prints how often passes changed something, one line each.
void TellChanges(const PassRuns& passes) {
  for (const auto& [name, runs] : passes) {
    AddToAnswer(fmt::format("  {} changed {} of {}\n", name, runs.changed, Counted(runs.runs, "program")));
  }
}

// Whether all requested passes changed something; reports those that did not.
auto HaveAllChanged(const PassRuns& passes, Reporter& reporter) -> bool {
  bool all_changed = true;
  for (const auto& [name, runs] : passes) {
    if (runs.changed != 0) continue;
    reporter.Error(
        fmt::format("{} never changed a program: nothing is known about it (--fuzz-corpus aims programs at it)", name));
    all_changed = false;
  }
  return all_changed;
}

}  // namespace

// Whether the fault was found, and not another one. The pass is one over functions of Relay or over tensor programs.
static auto IsOfPlantedFault(std::string_view what) -> bool {
  return what.starts_with("after TestPlantedFault") || what.starts_with("after tir.TestPlantedFault");
}

// Reads the options of the fuzzer; reports an error and returns nullopt if they cannot be used.
static auto ReadFuzzOptions(const ToolOptions& options, Reporter& reporter) -> std::optional<FuzzOptions> {
  const auto& own = options.of_owners.Get<FuzzFlags>();
  FuzzOptions fuzz;
  fuzz.pipeline = PipelineOf(options);
  if (fuzz.pipeline.empty()) fuzz.pipelines = kPipelines;
  if (!fuzz.pipeline.empty() && !CheckFuzzPipeline(fuzz.pipeline, reporter)) return std::nullopt;
  fuzz.strict_fp = options.strict_fp;
  fuzz.relay_programs = own.programs != "tir";
  fuzz.tensor_programs = own.programs != "relay";
  fuzz.planted_fault = own.planted_fault;
  if (!fuzz.planted_fault.empty() && FindPlantedFault(fuzz.planted_fault) == nullptr) {
    const auto names = MapToVector<std::string_view>(PlantedFaults(), &PlantedFault::name);
    reporter.Error(fmt::format("--plant-fault: '{}' is none of {}{}", Printable(fuzz.planted_fault),
                               fmt::join(names, ", "), DidYouMean(fuzz.planted_fault, names)));
    return std::nullopt;
  }
  if (!own.corpus.empty()) {
    ReadCorpus(own.corpus, fuzz, reporter);
    if (fuzz.corpus.empty() && fuzz.script_corpus.empty()) return std::nullopt;
  }
  return fuzz;
}

// What programs are like that other systems run: mostly small, and with a value for each call, because systems differ
// where TVM leaves it open.
static auto OptionsForOthers(uint64_t number) -> ProgramOptions {
  ProgramOptions options;
  options.steps = static_cast<int>(6 + number % 18);
  options.depth = static_cast<int>(1 + number % 3);
  options.percent_undefined = 0;
  options.dynamic_shapes = number % 4 == 0;
  return options;
}

// Writes the programs for --fuzz-save, and judges none.
static auto SavePrograms(const std::string& folder, uint64_t first, uint64_t count, Reporter& reporter) -> int {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (uint64_t seed = first; seed != first + count; ++seed) {
    const std::string path = fmt::format("{}/fuzz-{}{}", folder, seed, kRelayFunctionKind.extension);
    const Module program = GenerateProgram(seed, OptionsForOthers(NumberInRun(seed)));
    if (!WriteProgram(path, PrintModule(program), reporter)) return kFailure;
  }
  return kSuccess;
}

auto RunFuzzer(const ToolOptions& options, Reporter& reporter) -> int {
  const uint64_t count = options.of_owners.Get<FuzzFlags>().count;
  const uint64_t seed = EvaluationOf(options).seed;
  const std::string& save = options.of_owners.Get<FuzzFlags>().save;
  if (!save.empty()) return SavePrograms(save, FirstSeed(seed), count, reporter);
  std::optional<FuzzOptions> fuzz = ReadFuzzOptions(options, reporter);
  if (!fuzz) return kFailure;
  // When a pass crashes, its input is saved as in any other run.
  const Pipeline no_pipeline;
  const auto crash = std::make_shared<CrashReporter>(no_pipeline, CrashReporter::Options{options.crash_reproducer});
  fuzz->watcher = crash;
  ReportCrashesTo(crash.get());
  uint64_t failed = 0;
  Counts kinds;
  FuzzTotals totals;
  std::optional<SearchProgress> progress(std::in_place);
  for (uint64_t i = 0; i < count; ++i) {
    progress->Set(fmt::format("fuzz: program {} of {}, {} failed", i + 1, count, failed));
    const FuzzRun run = FuzzOnce(FirstSeed(seed) + i, *fuzz);
    totals.Add(run);
    if (!run.failure) continue;
    ++failed;
    const std::string kind = KindOf(*run.failure);
    const bool is_known = kinds.contains(kind);
    if (!is_known && kinds.size() == kMostKinds) continue;
    if (++kinds[kind] > kMostAlike && fuzz->planted_fault.empty()) continue;
    const std::string arguments = ArgumentsOf(*run.failure, options.plugins);
    const std::string file = Leave(*run.failure, arguments, reporter);
    reporter.Error(fmt::format("seed {} with {}--passes='{}': {}{}(the program is in {}){}", run.failure->seed,
                               ContextOf(*run.failure), run.failure->pipeline, run.failure->what,
                               run.failure->what.ends_with('\n') ? "" : "\n", file,
                               HowToReduce(*run.failure, arguments, file)));
    if (!fuzz->planted_fault.empty() && IsOfPlantedFault(run.failure->what)) {
      AddToAnswer(fmt::format("{} is found by program {}\n", fuzz->planted_fault, i + 1));
      return kSuccess;
    }
  }
  progress.reset();
  for (const auto& [kind, count_of_kind] : kinds) {
    const size_t more = count_of_kind - std::min(count_of_kind, kMostAlike);
    if (more != 0)
      AddToAnswer(fmt::format("{} more {} alike: {}\n", more, more == 1 ? "program fails" : "programs fail", kind));
  }
  totals.Print(count, failed);
  if (!fuzz->pipeline.empty() || options.verbose) TellChanges(totals.passes());
  const bool all_changed = fuzz->pipeline.empty() || HaveAllChanged(totals.passes(), reporter);
  return failed == 0 && all_changed ? kSuccess : kCheckFailed;
}

namespace flag_rows {

constexpr FlagDef kFuzzFlags[] = {
    {RELAYOPT_FIELD(FuzzFlags::count), .name = "fuzz", .group = kDebugging, .value = "N",
     .help = "judge N random programs, run through --passes or random passes", .rare = true, .role = kAnswer,
     .effect = kNone},
    {RELAYOPT_FIELD(FuzzFlags::corpus), .name = "fuzz-corpus", .group = kDebugging, .value = "FOLDER", .kind = kFile,
     .help = "--fuzz with the modules in this folder (.relay, .py), and mutations of them", .rare = true,
     .effect = kNone},
    {RELAYOPT_FIELD(FuzzFlags::programs), .name = "fuzz-programs", .group = kDebugging, .value = "KIND",
     .help = "--fuzz with programs of this kind only", .words = "relay tir", .needs = "fuzz", .rare = true,
     .effect = kNone},
    {RELAYOPT_FIELD(FuzzFlags::planted_fault), .name = "plant-fault", .group = kDebugging, .value = "NAME",
     .help = "--fuzz with a wrong rule put into a pass, and ends when it is found", .needs = "fuzz", .rare = true,
     .effect = kNone},
    {RELAYOPT_FIELD(FuzzFlags::save), .name = "fuzz-save", .group = kDebugging, .value = "FOLDER", .kind = kOutFolder,
     .help = "write the random programs of Relay as files, smaller ones that other systems can run, and judge none",
     .needs = "fuzz", .excludes = "fuzz-corpus fuzz-programs plant-fault passes", .rare = true, .effect = kNone},
};

}  // namespace flag_rows

constinit const AnswerDef kFuzzAnswer = {.flags = FlagRows(flag_rows::kFuzzFlags), .alone = RunFuzzer};

}  // namespace relayopt
