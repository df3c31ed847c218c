// The loop of --fuzz, and what it leaves behind.
#include "fuzz.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "driver.h"
#include "relayopt/check/fuzzer.h"
#include "relayopt/check/planted_faults.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/text/reader.h"

namespace relayopt {

namespace {

// Random pipelines for each program: to make one is half of the work.
constexpr int kPipelines = 4;

// The passes as --passes takes them.
auto PipelineOf(const ToolOptions& options) -> std::string {
  std::string text;
  for (const std::string& piece : options.passes) text += (text.empty() ? "" : ",") + piece;
  return text;
}

// Leaves a failing case behind; the name of the file.
auto Leave(const FuzzFailure& failure) -> std::string {
  // Tensor programs are Python by their form.
  const bool is_script = failure.program.starts_with("from tvm.script");
  std::string name = fmt::format("fuzz-{}.{}", failure.seed, is_script ? "py" : "relay");
  std::ofstream file(name);
  file << (is_script ? "# " : "// ") << "relayopt --opt-level=4 --validate --validate-edge "
       << (failure.strict_fp ? "--strict-fp " : "") << "--passes='" << failure.pipeline << "' " << name << '\n'
       << failure.program;
  return name;
}

// The texts of the modules of Relay in a folder and those inside of it, by name; nothing, with an error, when there are
// none. Files that are something else are left out: a folder of tests has many.
auto ReadCorpus(const std::string& folder, Reporter& reporter) -> std::vector<std::string> {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".relay") paths.push_back(entry->path().string());
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    std::string reason;
    const auto source = SourceText::Open(path, reason);
    DiagnosticSink sink;
    std::optional<Module> module = source == nullptr ? std::nullopt : ReadModule(source, sink);
    if (module && InferTypes(*module, sink)) texts.emplace_back(source->text());
  }
  if (error) {
    reporter.Error(fmt::format("--fuzz-corpus: cannot read '{}': {}", folder, error.message()));
  } else if (texts.empty()) {
    reporter.Error(fmt::format("--fuzz-corpus: '{}' has no .relay file with a well-typed module", folder));
  }
  return texts;
}

using PassRuns = std::map<std::string, FuzzRun::PassRuns>;

// How often the passes that were asked for changed something, a line each; whether all did.
auto TellChanges(const PassRuns& passes, Reporter& reporter) -> bool {
  bool all_changed = true;
  for (const auto& [name, runs] : passes) {
    fmt::print("  {} changed {} of {} programs\n", name, runs.changed, runs.runs);
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

auto RunFuzzer(const ToolOptions& options, Reporter& reporter) -> int {
  FuzzOptions fuzz;
  fuzz.pipeline = PipelineOf(options);
  if (fuzz.pipeline.empty()) fuzz.pipelines = kPipelines;
  fuzz.strict_fp = options.strict_fp;
  fuzz.planted_fault = options.plant_fault;
  if (!fuzz.planted_fault.empty() && FindPlantedFault(fuzz.planted_fault) == nullptr) {
    reporter.Error("--plant-fault: there is no fault '" + fuzz.planted_fault + "'");
    return kFailure;
  }
  if (!options.fuzz_corpus.empty()) {
    fuzz.corpus = ReadCorpus(options.fuzz_corpus, reporter);
    if (fuzz.corpus.empty()) return kFailure;
  }
  uint64_t failed = 0;
  PassRuns passes;
  uint64_t pipelines = 0;
  uint64_t validated = 0;
  uint64_t pairs = 0;
  std::map<std::string, uint64_t> not_validated;
  std::map<std::string, uint64_t> refusals;
  for (uint64_t i = 0; i < options.fuzz; ++i) {
    const FuzzRun run = FuzzOnce(options.seed + i, fuzz);
    pipelines += run.pipelines;
    for (const auto& [why, count] : run.refused) refusals[why] += count;
    validated += run.validated;
    pairs += run.pairs;
    for (const auto& [name, runs] : run.passes) {
      passes[name].runs += runs.runs;
      passes[name].changed += runs.changed;
    }
    for (const auto& [reason, count] : run.not_validated) not_validated[reason] += count;
    if (!run.failure) continue;
    ++failed;
    reporter.Error(fmt::format("seed {} with {}--passes='{}': {}(the program is in {})", run.failure->seed,
                               run.failure->strict_fp ? "--strict-fp " : "", run.failure->pipeline, run.failure->what,
                               Leave(*run.failure)));
    if (!fuzz.planted_fault.empty() && IsOfPlantedFault(run.failure->what)) {
      fmt::print("{} is found by program {}\n", fuzz.planted_fault, i + 1);
      return kSuccess;
    }
  }
  uint64_t refused = 0;
  for (const auto& [why, count] : refusals) refused += count;
  fmt::print(
      "{} programs through {} pipelines: {} passes validated, {} pipelines refused by a pass, {} programs failed\n",
      options.fuzz, pipelines, validated, refused, failed);
  if (pairs != 0) fmt::print("  {} pairs of a tensor program and a pass\n", pairs);
  for (const auto& [why, count] : refusals) fmt::print("  refused, {} times: {}\n", count, why);
  for (const auto& [reason, count] : not_validated) fmt::print("  not validated, {} times: {}\n", count, reason);
  const bool all_changed = fuzz.pipeline.empty() || TellChanges(passes, reporter);
  return failed == 0 && all_changed ? kSuccess : kCheckFailed;
}

}  // namespace relayopt
