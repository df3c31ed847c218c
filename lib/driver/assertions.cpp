// Conditions on the numbers of the summary.
#include "assertions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "relayopt/relay/analysis/summary.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

// A number of a summary, by the name that it has in `--summary=json`.
struct SummaryNumber {
  std::string_view name;
  auto(*of)(const ModelSummary& summary) -> uint64_t;
};

constexpr SummaryNumber kNumbers[] = {
    {"kernels", [](const ModelSummary& summary) { return summary.total.kernels; }},
    {"operators", [](const ModelSummary& summary) { return summary.total.operators; }},
    {"macs", [](const ModelSummary& summary) { return summary.total.macs; }},
    {"parameters", [](const ModelSummary& summary) { return summary.total.parameters; }},
    {"weight_bytes", [](const ModelSummary& summary) { return summary.total.weight_bytes; }},
    {"activation_bytes", [](const ModelSummary& summary) { return summary.total.activation_bytes; }},
    {"peak_bytes", [](const ModelSummary& summary) { return summary.peak_bytes; }},
};

constexpr std::string_view kComparisons[] = {"<=", ">=", "==", "!=", "<", ">"};

struct Assertion {
  const SummaryNumber* number;
  std::string_view comparison;
  uint64_t bound;
};

auto ParseAssertion(std::string_view text) -> std::optional<Assertion> {
  for (const std::string_view comparison : kComparisons) {
    const size_t at = text.find(comparison);
    if (at == std::string_view::npos) continue;
    const auto number = std::ranges::find(kNumbers, Trimmed(text.substr(0, at)), &SummaryNumber::name);
    const auto bound = ParseNumber<uint64_t>(Trimmed(text.substr(at + comparison.size())));
    if (number == std::ranges::end(kNumbers) || !bound) return std::nullopt;
    return Assertion{number, comparison, *bound};
  }
  return std::nullopt;
}

auto Holds(uint64_t value, const Assertion& assertion) -> bool {
  if (assertion.comparison == "<=") return value <= assertion.bound;
  if (assertion.comparison == ">=") return value >= assertion.bound;
  if (assertion.comparison == "==") return value == assertion.bound;
  if (assertion.comparison == "!=") return value != assertion.bound;
  return assertion.comparison == "<" ? value < assertion.bound : value > assertion.bound;
}

}  // namespace

auto CheckAssertion(std::string_view text) -> std::string {
  if (ParseAssertion(text)) return "";
  const auto names = MapToVector<std::string_view>(kNumbers, &SummaryNumber::name);
  const std::string_view name = Trimmed(text.substr(0, text.find_first_of("<>=!")));
  return fmt::format("'{}' is not a condition such as 'kernels <= 31'; the numbers are {}{}", Printable(text),
                     fmt::join(names, ", "), DidYouMean(name, names));
}

auto MeetsAssertions(const Module& module, const ToolOptions& options, Reporter& reporter) -> bool {
  if (options.assertions.empty()) return true;
  const ModelSummary summary = Summarize(module);
  bool meets_all = true;
  for (const std::string& text : options.assertions) {
    const std::optional<Assertion> assertion = ParseAssertion(text);
    const uint64_t value = assertion ? assertion->number->of(summary) : 0;
    if (assertion && Holds(value, *assertion)) continue;
    reporter.Error(
        fmt::format("--assert='{}' does not hold: {} is {}", text, assertion ? assertion->number->name : "it", value));
    meets_all = false;
  }
  return meets_all;
}

}  // namespace relayopt
