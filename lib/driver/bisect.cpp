// The report of --bisect.
#include "bisect.h"

#include "answers.h"
#include "compare.h"
#include "driver.h"
#include "flags.h"
#include "output.h"
#include "progress.h"
#include "property.h"
#include "relayopt/check/bisect.h"
#include "relayopt/module/print.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/plural.h"
#include "reports.h"
#include "run.h"

namespace relayopt {

namespace {

struct BisectFlags {
  std::string fault = "";
  std::string before = "";
  std::string after = "";
};

class BisectReport {
 public:
  BisectReport(const BisectResult& result, const ToolOptions& options, const Setup& setup, const PropertyText& property)
      : result_(result), options_(options), setup_(setup), property_(property) {}

  auto ToText() const -> std::string {
    const PassRun& guilty = result_.guilty;
    std::string text = fmt::format("bisect: #{} {} {}\n", guilty.number, guilty.name, TroubleOf(property_));
    if (!result_.what.empty()) text += "  " + result_.what + "\n";
    if (result_.first_suspect < guilty.number) {
      text += fmt::format("  or one from #{} on: the modules in between cannot be judged\n", result_.first_suspect);
    }
    for (const std::string& name : result_.functions) text += fmt::format("  in @{}\n", name);
    text += RewriteText();
    if (result_.others_too) {
      text += *result_.others_too
                  ? fmt::format("  there is another fault: it is there without #{}, too\n", guilty.number)
                  : fmt::format("  without #{} all is well\n", guilty.number);
    }
    return text + "  again: " + Command() + "\n";
  }

 private:
  auto RewriteText() const -> std::string {
    if (!result_.rewrite) return "";
    const GuiltyRewrite& rewrite = *result_.rewrite;
    std::string text = fmt::format("  by rewrite {} of {}{}\n", rewrite.number, rewrite.counter,
                                   rewrite.alone ? "" : ", together with those before it");
    for (const Remark& remark : rewrite.remarks) text += fmt::format("    {}{}\n", PlaceOf(remark), remark.message());
    if (rewrite.others_too) text += "  its other rewrites do the same\n";
    return text;
  }

  auto PlaceOf(const Remark& remark) const -> std::string {
    const auto& source = result_.guilty.before.source();
    if (!remark.range.valid() || source == nullptr) return "";
    const LineColumn at = source->Position(remark.range.begin);
    return fmt::format("{}:{}:{}: ", source->name(), at.line, at.column);
  }

  // Returns the passes up to the guilty one; of its rewrites only those that matter.
  auto Command() const -> std::string {
    std::string command = CommandWith(options_, property_) + ReadingArguments(options_, property_);
    command +=
        fmt::format(" --passes={} --opt-bisect-limit={}", Quoted(ToString(setup_.pipeline)), result_.guilty.number);
    if (result_.rewrite) command += " " + Counter(*result_.rewrite);
    command += " " + Quoted(options_.input);
    if (property_.is_program) {
      return fmt::format("{0} -o bisect.out && {1} bisect.out {2}", command, Quoted(property_.argument),
                         Quoted(result_.guilty.name));
    }
    if (property_.kind == Property::Kind::kResult && !property_.is_outputs) {
      return fmt::format("{} | grep -E -e {}", command, Quoted(property_.argument));
    }
    return property_.is_outputs ? command : command + " --disable-output";
  }

  // Runs of the pass before the guilty one make all of their rewrites.
  static auto Counter(const GuiltyRewrite& rewrite) -> std::string {
    const uint64_t last = rewrite.earlier + rewrite.number;
    std::string allowed = last == 1 ? "1" : fmt::format("1-{}", last);
    if (rewrite.alone && rewrite.number != 1) {
      allowed = rewrite.earlier == 0 ? std::to_string(last) : fmt::format("1-{},{}", rewrite.earlier, last);
    }
    return fmt::format("--debug-counter={}={}", rewrite.counter, allowed);
  }

  const BisectResult& result_;
  const ToolOptions& options_;
  const Setup& setup_;
  const PropertyText& property_;
};

// The two modules, if they are requested.
auto WriteModules(const BisectResult& result, const ToolOptions& options, Reporter& reporter) -> bool {
  const auto& own = options.of_owners.Get<BisectFlags>();
  const std::pair<const std::string&, const Module&> files[] = {{own.before, result.guilty.before},
                                                                {own.after, result.guilty.after}};
  for (const auto& [path, module] : files) {
    if (path.empty()) continue;
    if (const auto error = WriteFile(path, PrintModule(module))) {
      reporter.Error(fmt::format("cannot write '{}': {}", path, *error));
      return false;
    }
  }
  return true;
}

// Writes a report of the guilty run of a pass alone, with the remarks of its guilty rewrite.
void ReportGuilty(const BisectResult& result, const std::string& text, const ToolOptions& options, const Setup& setup,
                  Reporter& reporter) {
  std::vector<Remark> remarks = result.rewrite ? result.rewrite->remarks : std::vector<Remark>();
  for (Remark& remark : remarks) remark.run = 0;
  const std::vector<ReportStep> steps = {
      {.pass = result.guilty.name, .number = result.guilty.number, .changed = true, .after = result.guilty.after}};
  WriteReport(options, setup, result.guilty.before, steps, std::move(remarks), text, std::nullopt, reporter);
}

// Writes and prints what was found. Returns the exit status.
auto TellGuilty(const BisectResult& result, const ToolOptions& options, const Setup& setup,
                const PropertyText& property, Reporter& reporter) -> int {
  if (!WriteModules(result, options, reporter)) return kFailure;
  const std::string text = BisectReport(result, options, setup, property).ToText();
  if (!options.report.empty()) ReportGuilty(result, text, options, setup, reporter);
  if (reporter.failed()) return kFailure;
  return PrintText(text);
}

// The faults that --bisect looks for unless one is given, the cheapest to recognize first.
constexpr std::string_view kAnyFault[] = {"crash", "verify", "validate"};

// Returns the faults to look for, one after the other.
auto WantedFaults(const ToolOptions& options) -> std::vector<PropertyText> {
  const std::string& fault = options.of_owners.Get<BisectFlags>().fault;
  const std::string& recorded = options.of_owners.Get<RecordedOptions>().file;
  if (fault != "any") return {*ParseProperty(fault)};
  if (!recorded.empty()) return {*ParseProperty("outputs:" + recorded)};
  return MapToVector<PropertyText>(kAnyFault, [&](std::string_view any) { return *ParseProperty(any); });
}

// The checks that found no fault.
auto Tried(const std::vector<std::string>& troubles, const ToolOptions& options) -> std::string {
  std::string text = troubles.front();
  for (size_t i = 1; i < troubles.size(); ++i) text += (i + 1 == troubles.size() ? " or " : ", ") + troubles[i];
  const bool is_asked = options.of_owners.Get<BisectFlags>().fault != "any";
  if (is_asked || !options.of_owners.Get<RecordedOptions>().file.empty()) return text;
  const auto& evaluation = EvaluationOf(options);
  return fmt::format("{} ({} of arguments, rtol {}, atol {}; --sets=N tries more)", text,
                     Counted(evaluation.sets, "set"), evaluation.rtol.value_or(1e-4), evaluation.atol.value_or(1e-5));
}

}  // namespace

auto CrashesInstead(const char* flag, const PropertyText& property, const Module& module, const ToolOptions& options,
                    const Setup& setup, const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> bool {
  if (property.kind == Property::Kind::kCrash || setup.pass == nullptr) return false;
  const JudgeOptions judge =
      MakeJudgeOptions({.kind = Property::Kind::kCrash}, options, setup, known_extents, reporter);
  const auto result = Bisect(*setup.pass, module, judge);
  if (!result || result->verdict != BisectResult::Verdict::kFound) return false;
  reporter.Error(fmt::format("{}: #{} {} crashes before anything else can be looked for; {}=crash is about that", flag,
                             result->guilty.number, result->guilty.name, flag));
  return true;
}

auto RunBisect(const Module& module, const ToolOptions& options, const Setup& setup,
               const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> int {
  if (setup.pass == nullptr) {
    reporter.Error("--bisect needs passes: it finds the faulty one");
    return kFailure;
  }
  SearchProgress progress;
  std::vector<std::string> troubles;
  for (const PropertyText& property : WantedFaults(options)) {
    progress.Set("bisect: is there a pass that " + TroubleOf(property));
    const bool is_first = troubles.empty();
    if (is_first && CrashesInstead("--bisect", property, module, options, setup, known_extents, reporter)) {
      return kFailure;
    }
    JudgeOptions judge = MakeJudgeOptions(property, options, setup, known_extents, reporter);
    if (reporter.failed()) return kFailure;
    judge.trial.begins = [&, trials = 0](const PassRun& run) mutable {
      if (run.number == 1) ++trials;
      progress.Set(
          fmt::format("bisect: which pass {}: trial {}, #{} {}", TroubleOf(property), trials, run.number, run.name));
    };
    const auto result = Bisect(*setup.pass, module, judge);
    if (!result) {
      reporter.Report(result.error(), nullptr);
      return kFailure;
    }
    switch (result->verdict) {
      case BisectResult::Verdict::kFound: return TellGuilty(*result, options, setup, property, reporter);
      case BisectResult::Verdict::kNoFault: troubles.push_back(TroubleOf(property)); break;
      case BisectResult::Verdict::kFaultyInput:
        reporter.Error("--bisect: the module is bad before any pass runs");
        return kFailure;
      case BisectResult::Verdict::kUnknown: reporter.Error("--bisect: " + result->what); return kFailure;
    }
  }
  reporter.Error("--bisect: there is nothing to find: no pass " + Tried(troubles, options));
  return kFailure;
}

namespace flag_rows {

auto CheckFault(std::string_view text) -> std::string { return text == "any" ? "" : CheckProperty(text); }

constexpr FlagDef kBisectFlags[] = {
    {RELAYOPT_FIELD(BisectFlags::fault), .name = "bisect", .group = kDebugging, .value = "FAULT",
     .help = "find the pass, and the rewrite in it, that is at fault", .words = "any crash verify validate",
     .bare = "any", .check = CheckFault, .excludes = "output disable-output", .role = kSearch, .effect = kNone},
    {RELAYOPT_FIELD(BisectFlags::before), .name = "bisect-before", .group = kDebugging, .value = "FILE",
     .kind = kOutFile, .help = "file for the input of the pass that --bisect found", .needs = "bisect", .rare = true,
     .effect = kNone},
    {RELAYOPT_FIELD(BisectFlags::after), .name = "bisect-after", .group = kDebugging, .value = "FILE", .kind = kOutFile,
     .help = "file for the output of that pass", .needs = "bisect", .rare = true, .effect = kNone},
};

}  // namespace flag_rows

constinit const AnswerDef kBisectAnswer = {.flags = FlagRows(flag_rows::kBisectFlags),
                                           .search = RunBisect,
                                           .evaluates = true,
                                           .compares = true,
                                           .judged_by = "compare-outputs"};

}  // namespace relayopt
