// Observes a run of the pipeline.
#include "watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "flags.h"
#include "log.h"
#include "relayopt/pass/registry.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNeverCame = {"pass-never-came", Severity::kWarning,
                                       "{}: {} was not among the passes that ran"};
constexpr DiagnosticKind kNumberNeverCame = {"pass-number-never-came", Severity::kWarning,
                                             "{}: there is no pass {}: {}"};

// Flags whose values are names of passes that are watched.
constexpr std::string_view kNameFlags[] = {"print-ir-before", "print-ir-after", "filter-passes"};
// Flags whose values are numbers of passes.
constexpr std::string_view kNumberFlags[] = {"print-before-pass-number", "print-after-pass-number", "opt-bisect",
                                             "opt-bisect-limit"};

auto IsLoop(std::string_view name) -> bool { return name == "fixpoint" || name == "repeat"; }

// Returns the last number of a set of numbers, such as 12 of `1-10,12` and 9 of `9-`.
auto LastNumber(std::string_view text) -> uint64_t {
  while (!text.empty() && (text.back() < '0' || text.back() > '9')) text.remove_suffix(1);
  const std::string_view digits = text.substr(text.find_last_not_of("0123456789") + 1);
  uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

auto RunWatch::ShouldRun(const Module&, const PassInfo& info) -> Result<bool> {
  numbers_.Asks(info);
  names_.insert(info.name);
  return true;
}

auto RunWatch::RunBeforePass(const Module&, const PassInfo& info) -> std::optional<Diagnostic> {
  if (IsNumbered(info)) numbers_.Begins();
  names_.insert(info.name);
  open_.push_back({info.name});
  return std::nullopt;
}

auto RunWatch::RunAfterPass(const Module&, const PassInfo&, bool changed) -> std::optional<Diagnostic> {
  open_.pop_back();
  if (open_.empty() || !IsLoop(open_.back().name)) return std::nullopt;
  Open& loop = open_.back();
  Log(fmt::format("{}: run {} {}", loop.name, ++loop.runs, changed ? "changed the module" : "changed nothing"));
  return std::nullopt;
}

void RunWatch::PassFailed(const Module&, const PassInfo&, const Diagnostic&) { open_.pop_back(); }

auto NamesRuns(const ToolOptions& options) -> bool {
  const auto is_given = [&](std::string_view name) { return !FlagValues(*FindFlag(name), options).empty(); };
  return std::ranges::any_of(kNameFlags, is_given) || std::ranges::any_of(kNumberFlags, is_given);
}

void WarnOfAbsentRuns(const ToolOptions& options, const RunWatch& watch, DiagnosticSink& sink) {
  for (const std::string_view flag : kNameFlags) {
    const auto* list = std::get<const std::vector<std::string>*>(FindFlag(flag)->read(options));
    for (const std::string& name : *list) {
      const PassDef* def = FindPass(name);
      const std::string shown = def == nullptr ? name : InfoOf(*def).name;
      if (!watch.names().contains(shown)) sink.Report(kNeverCame, {}, ShownName(*FindFlag(flag)), shown);
    }
  }
  const std::string ran = watch.count() == 1 ? "one pass ran" : fmt::format("{} passes ran", watch.count());
  for (const std::string_view flag : kNumberFlags) {
    for (const std::string& numbers : FlagValues(*FindFlag(flag), options)) {
      const uint64_t last = numbers.starts_with('-') ? 0 : LastNumber(numbers);
      if (last > watch.count()) sink.Report(kNumberNeverCame, {}, ShownName(*FindFlag(flag)), last, ran);
    }
  }
}

}  // namespace relayopt
