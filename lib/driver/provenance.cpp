// --print-provenance: from which operators of the input each expression came.
#include "answers.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/origins.h"
#include "setup.h"

namespace relayopt {

namespace {

struct ProvenanceOptions {
  std::string form = "";
};

auto AnswerProvenance(const AnsweredRun& run) -> std::optional<AnswerText> {
  if (run.module.SortedFunctions<Function>().empty()) {
    run.reporter.Error("--print-provenance is for functions of Relay, and the module has none");
    return std::nullopt;
  }
  const auto print = run.options.of_owners.Get<ProvenanceOptions>().form == "json" ? OriginsJson : PrintWithOrigins;
  return AnswerText{print(run.module, run.setup.print)};
}

}  // namespace

namespace flag_rows {

constexpr FlagDef kProvenanceFlags[] = {
    {RELAYOPT_FIELD(ProvenanceOptions::form), .name = "print-provenance", .group = kReports, .value = "json",
     .help = "print from which operators of the input each expression came, and by which passes", .words = "text json",
     .bare = "text", .synonyms = "print-origins", .rare = true, .role = kAnswer, .effect = kNone},
};

}  // namespace flag_rows

constinit const AnswerDef kProvenanceAnswer = {
    .flags = FlagRows(flag_rows::kProvenanceFlags), .make = AnswerProvenance, .tracks_origins = true, .of_parts = true};

}  // namespace relayopt
