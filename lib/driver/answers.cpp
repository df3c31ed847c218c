// The rows of answers.
#include "answers.h"

#include <algorithm>

#include "bisect.h"
#include "compare.h"
#include "flags.h"
#include "interactive.h"
#include "reduce.h"
#include "relayopt/check/overview.h"
#include "relayopt/relay/analysis/summary.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/origins.h"
#include "run.h"

namespace relayopt {

namespace {

auto AnswerRun(const AnsweredRun& run) -> std::optional<AnswerText> {
  auto text = RunProgram(run.module, run.options, run.known_extents, run.model, run.reporter);
  return text ? std::optional(AnswerText{*std::move(text)}) : std::nullopt;
}

// Returns the summary of the model as it was read, or of the model before and after the passes.
auto AnswerSummary(const AnsweredRun& run) -> std::optional<AnswerText> {
  if (run.module.SortedFunctions<Function>().empty()) {
    run.reporter.Error("--summary needs a function of Relay: it shows what operators cost");
    return std::nullopt;
  }
  const bool is_json = run.options.summary == "json";
  const ModelSummary after = Summarize(run.module);
  if (run.setup.pass == nullptr || run.input == nullptr) return AnswerText{is_json ? ToJson(after) : ToTable(after)};
  const ModelSummary before = Summarize(*run.input);
  return AnswerText{is_json ? ToJson(before, after) : ToTable(after) + "\n" + ToTable(before, after)};
}

auto AnswerOverview(const AnsweredRun& run) -> std::optional<AnswerText> {
  const auto agreement =
      CompareModules(*run.input, run.module, "--overview", run.options, run.known_extents, run.reporter);
  if (!agreement) return std::nullopt;
  const auto print = run.options.overview == "json" ? OverviewJson : OverviewText;
  return AnswerText{print(*run.input, run.module, *run.setup.overview, *agreement), agreement->agrees()};
}

auto AnswerProvenance(const AnsweredRun& run) -> std::optional<AnswerText> {
  if (run.module.SortedFunctions<Function>().empty()) {
    run.reporter.Error("--print-provenance is for functions of Relay, and the module has none");
    return std::nullopt;
  }
  const auto print = run.options.print_provenance == "json" ? OriginsJson : PrintWithOrigins;
  return AnswerText{print(run.module, run.setup.print)};
}

// --diff, --equiv and --compare-outputs.
auto AnswerComparison(const AnsweredRun& run) -> std::optional<AnswerText> {
  auto comparison = CompareResult(run.module, run.options, run.setup.session->imports(), run.setup.print.types,
                                  run.known_extents, run.reporter);
  return comparison ? std::optional(AnswerText{std::move(comparison->text), comparison->agrees}) : std::nullopt;
}

// A search comes before an answer by which it judges.
constexpr AnswerDef kAnswers[] = {
    {.flag = "bisect", .search = RunBisect, .evaluates = true, .judged_by = "compare-outputs"},
    {.flag = "reduce", .search = RunReduce, .evaluates = true},
    {.flag = "run", .make = AnswerRun, .evaluates = true, .of_parts = true},
    {.flag = "summary", .make = AnswerSummary, .keeps_input = true, .beside_module = true},
    {.flag = "overview", .make = AnswerOverview, .evaluates = true, .keeps_input = true, .beside_module = true},
    {.flag = "print-provenance", .make = AnswerProvenance, .of_parts = true},
    {.flag = "diff", .make = AnswerComparison},
    {.flag = "equiv", .make = AnswerComparison, .evaluates = true},
    {.flag = "compare-outputs", .make = AnswerComparison, .evaluates = true},
    {.flag = "interactive", .search = RunInteractive, .evaluates = true},
};

}  // namespace

auto Answers() -> std::span<const AnswerDef> { return kAnswers; }

auto FindAnswer(std::string_view flag) -> const AnswerDef* {
  const auto found = std::ranges::find(kAnswers, flag, &AnswerDef::flag);
  return found == std::ranges::end(kAnswers) ? nullptr : found;
}

auto WantedAnswer(const ToolOptions& options) -> const AnswerDef* {
  const auto is_given = [&](const AnswerDef& answer) { return !FlagValues(*FindFlag(answer.flag), options).empty(); };
  const auto found = std::ranges::find_if(kAnswers, is_given);
  return found == std::ranges::end(kAnswers) ? nullptr : found;
}

}  // namespace relayopt
