// The loop of --fuzz, and what it leaves behind.
#include "fuzz.h"

#include <fmt/core.h>

#include <fstream>

#include "driver.h"
#include "relayopt/check/fuzzer.h"
#include "relayopt/check/planted_faults.h"

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
  std::string name = fmt::format("fuzz-{}.relay", failure.seed);
  std::ofstream file(name);
  file << "// relayopt --opt-level=4 --validate --validate-edge " << (failure.strict_fp ? "--strict-fp " : "")
       << "--passes='" << failure.pipeline << "' " << name << '\n'
       << failure.program;
  return name;
}

}  // namespace

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
  uint64_t failed = 0;
  uint64_t pipelines = 0;
  uint64_t validated = 0;
  std::map<std::string, uint64_t> not_validated;
  std::map<std::string, uint64_t> refusals;
  for (uint64_t i = 0; i < options.fuzz; ++i) {
    const FuzzRun run = FuzzOnce(options.seed + i, fuzz);
    pipelines += run.pipelines;
    for (const auto& [why, count] : run.refused) refusals[why] += count;
    validated += run.validated;
    for (const auto& [reason, count] : run.not_validated) not_validated[reason] += count;
    if (!run.failure) continue;
    ++failed;
    reporter.Error(fmt::format("seed {} with {}--passes='{}': {}(the program is in {})", run.failure->seed,
                               run.failure->strict_fp ? "--strict-fp " : "", run.failure->pipeline, run.failure->what,
                               Leave(*run.failure)));
    if (!fuzz.planted_fault.empty() && run.failure->what.starts_with("after TestPlantedFault")) {
      fmt::print("{} is found by program {}\n", fuzz.planted_fault, i + 1);
      return kSuccess;
    }
  }
  uint64_t refused = 0;
  for (const auto& [why, count] : refusals) refused += count;
  fmt::print(
      "{} programs through {} pipelines: {} passes validated, {} pipelines refused by a pass, {} programs failed\n",
      options.fuzz, pipelines, validated, refused, failed);
  for (const auto& [why, count] : refusals) fmt::print("  refused, {} times: {}\n", count, why);
  for (const auto& [reason, count] : not_validated) fmt::print("  not validated, {} times: {}\n", count, reason);
  return failed == 0 ? kSuccess : kCheckFailed;
}

}  // namespace relayopt
