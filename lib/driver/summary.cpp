// --summary: what the model consists of and costs, as it was read, or before and after the passes.
#include "relayopt/relay/analysis/summary.h"

#include "answers.h"
#include "relayopt/convert/expanded.h"
#include "relayopt/relay/ir/function.h"
#include "setup.h"

namespace relayopt {

namespace {

struct SummaryOptions {
  std::string form = "";
};

auto AnswerSummary(const AnsweredRun& run) -> std::optional<AnswerText> {
  if (run.module.SortedFunctions<Function>().empty()) {
    run.reporter.Error("--summary needs a function of Relay: it shows what operators cost");
    return std::nullopt;
  }
  const bool is_json = run.options.of_owners.Get<SummaryOptions>().form == "json";
  const ModelSummary after = SummarizeWithSymbols(Expanded(run.module));
  if (run.setup.pass == nullptr || run.input == nullptr) return AnswerText{is_json ? ToJson(after) : ToTable(after)};
  const ModelSummary before = SummarizeWithSymbols(Expanded(*run.input));
  return AnswerText{is_json ? ToJson(before, after) : ToTable(after) + "\n" + ToTable(before, after)};
}

}  // namespace

namespace flag_rows {

constexpr FlagDef kSummaryFlags[] = {
    {RELAYOPT_FIELD(SummaryOptions::form), .name = "summary", .group = kReports, .value = "json",
     .help = "print operators, MACs, weights and memory instead of the module", .words = "text json", .bare = "text",
     .synonyms = "metrics", .role = kAnswer, .effect = kNone},
};

}  // namespace flag_rows

constinit const AnswerDef kSummaryAnswer = {
    .flags = FlagRows(flag_rows::kSummaryFlags), .make = AnswerSummary, .keeps_input = true, .beside_module = true};

}  // namespace relayopt
