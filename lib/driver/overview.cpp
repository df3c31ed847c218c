// --overview: what the passes achieved.
#include "relayopt/check/overview.h"

#include "answers.h"
#include "compare.h"
#include "relayopt/convert/expanded.h"
#include "setup.h"

namespace relayopt {

namespace {

struct OverviewOptions {
  std::string form = "";
};

auto AnswerOverview(const AnsweredRun& run) -> std::optional<AnswerText> {
  const auto agreement =
      CompareModules(*run.input, run.module, "--overview", run.options, run.known_extents, run.reporter);
  if (!agreement) return std::nullopt;
  const auto print = run.options.of_owners.Get<OverviewOptions>().form == "json" ? OverviewJson : OverviewText;
  const auto& passes = static_cast<const OverviewInstrument&>(*run.setup.watcher);
  return AnswerText{print(Expanded(*run.input), Expanded(run.module), passes, *agreement), agreement->agrees()};
}

auto MakeInstrument() -> std::shared_ptr<PassInstrument> { return std::make_shared<OverviewInstrument>(); }

}  // namespace

namespace flag_rows {

constexpr FlagDef kOverviewFlags[] = {
    {RELAYOPT_FIELD(OverviewOptions::form), .name = "overview", .group = kReports, .value = "json",
     .help = "show what the passes achieved: costs and results before and after", .words = "text json", .bare = "text",
     .rare = true, .role = kAnswer, .effect = kNone},
};

}  // namespace flag_rows

constinit const AnswerDef kOverviewAnswer = {.flags = FlagRows(flag_rows::kOverviewFlags),
                                             .make = AnswerOverview,
                                             .instrument = MakeInstrument,
                                             .evaluates = true,
                                             .compares = true,
                                             .keeps_input = true,
                                             .beside_module = true};

}  // namespace relayopt
