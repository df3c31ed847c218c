// --arith and --where.
#include "arith.h"

#include <fmt/format.h>

#include "relayopt/arith/text.h"

namespace relayopt {

auto ArithText(const ToolOptions& options, Reporter& reporter) -> std::optional<std::string> {
  if (options.arith.empty()) {
    reporter.Error("--where needs --arith");
    return std::nullopt;
  }
  std::string where;
  for (const std::string& condition : options.where) {
    if (const auto fault = arith::CheckConditionText(condition)) {
      reporter.Report(*fault, SourceText::FromString("--where", condition).get());
      return std::nullopt;
    }
    where += options.where.size() == 1 ? condition : fmt::format("{}({})", where.empty() ? "" : " and ", condition);
  }
  std::string out;
  for (const std::string& term : options.arith) {
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

}  // namespace relayopt
