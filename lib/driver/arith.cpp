// --arith and --where.
#include "arith.h"

#include "relayopt/arith/text.h"

namespace relayopt {

auto ArithText(const ToolOptions& options, Reporter& reporter) -> std::optional<std::string> {
  if (options.arith.empty()) {
    reporter.Error("--where needs --arith");
    return std::nullopt;
  }
  if (!options.where.empty()) {
    if (const auto fault = arith::CheckConditionText(options.where)) {
      reporter.Report(*fault, SourceText::FromString("--where", options.where).get());
      return std::nullopt;
    }
  }
  const Result<arith::ArithAnswer> answer = arith::SimplifyText(options.arith, options.where);
  if (!answer) {
    reporter.Report(answer.error(), SourceText::FromString("--arith", options.arith).get());
    return std::nullopt;
  }
  std::string out = answer->simplified + "\nrules:";
  for (const std::string_view rule : answer->rules) out += " " + std::string(rule);
  return out + (answer->rules.empty() ? " none\n" : "\n");
}

}  // namespace relayopt
