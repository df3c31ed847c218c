// --arith and --where.
#include "arith.h"

#include <fmt/format.h>

#include "relayopt/arith/text.h"

namespace relayopt {

namespace {

struct ArithOptions {
  std::vector<std::string> terms = {};
  std::vector<std::string> conditions = {};
};

}  // namespace

auto ArithText(const ToolOptions& options, Reporter& reporter) -> std::optional<std::string> {
  const auto& own = options.of_owners.Get<ArithOptions>();
  if (own.terms.empty()) {
    reporter.Error("--where needs --arith");
    return std::nullopt;
  }
  std::string where;
  for (const std::string& condition : own.conditions) {
    if (const auto fault = arith::CheckConditionText(condition)) {
      reporter.Report(*fault, SourceText::FromString("--where", condition).get());
      return std::nullopt;
    }
    where += own.conditions.size() == 1 ? condition : fmt::format("{}({})", where.empty() ? "" : " and ", condition);
  }
  std::string out;
  for (const std::string& term : own.terms) {
    const Result<arith::ArithAnswer> answer = arith::SimplifyText(term, where);
    if (!answer) {
      reporter.Report(answer.error(), SourceText::FromString("--arith", term).get());
      return std::nullopt;
    }
    out += fmt::format("{}\nrules: {}\n", answer->simplified,
                       answer->rules.empty() ? "none" : fmt::format("{}", fmt::join(answer->rules, " ")));
  }
  return out;
}

auto WantsArith(const ToolOptions& options) -> bool {
  const auto& own = options.of_owners.Get<ArithOptions>();
  return !own.terms.empty() || !own.conditions.empty();
}

namespace flag_rows {

constexpr FlagDef kArithFlags[] = {
    {RELAYOPT_FIELD(ArithOptions::terms), .name = "arith", .group = kHelp, .value = "TERM",
     .help = "simplify an integer term such as floordiv(i*8 + j, 8), and list the rules used", .rare = true,
     .role = kList, .effect = kNone},
    {RELAYOPT_FIELD(ArithOptions::conditions), .name = "where", .group = kHelp, .value = "CONDITION",
     .help = "condition that --arith may assume, such as 0 <= j < 8; repeated: all of them", .needs = "arith",
     .rare = true, .effect = kNone},
};

}  // namespace flag_rows

auto ArithFlags() -> std::span<const FlagDef> { return FlagRows(flag_rows::kArithFlags); }

}  // namespace relayopt
