// What --reduce writes.
#include "reduce.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "answers.h"
#include "bisect.h"
#include "driver.h"
#include "flags.h"
#include "hooks.h"
#include "log.h"
#include "output.h"
#include "progress.h"
#include "property.h"
#include "relayopt/check/reduce.h"
#include "relayopt/convert/module_text.h"
#include "relayopt/module/print.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/support/plural.h"

namespace relayopt {

namespace {

struct ReduceFlags {
  std::string fault = "";
  double timeout = 600;
};

class Reducer {
 public:
  Reducer(const ToolOptions& options, const Setup& setup, const PropertyText& property, Reporter& reporter)
      : options_(options), setup_(setup), property_(property), reporter_(reporter) {}

  auto Run(const Module& module, const std::vector<BoundExtent>& known_extents) -> int {
    JudgeOptions judge = MakeJudgeOptions(property_, options_, setup_, known_extents, reporter_);
    if (reporter_.failed()) return kFailure;
    ReduceOptions reduce;
    reduce.limit = std::chrono::duration<double>(options_.of_owners.Get<ReduceFlags>().timeout);
    SearchProgress progress;
    std::string size = SizeOf({module, setup_.pipeline});
    reduce.is_interesting = property_.is_program
                                ? [this](const FaultyCase& candidate) { return AsksProgram(candidate); }
                                : InterestOf(std::move(judge));
    reduce.is_interesting = [&, steps = 0,
                             judges = std::move(reduce.is_interesting)](const FaultyCase& candidate) mutable {
      progress.Set(fmt::format("reduce: step {}, {}", ++steps, size));
      return judges(candidate);
    };
    reduce.keep = [&](const FaultyCase& best) {
      size = SizeOf(best);
      return Keep(best);
    };
    const Result<ReduceResult> result = Reduce({module, setup_.pipeline}, reduce);
    if (!result) {
      reporter_.Report(result.error(), nullptr);
      return kFailure;
    }
    if (!result->was_interesting) {
      reporter_.Error(fmt::format("--reduce: there is nothing to start from: {}", NothingShown()));
      return kFailure;
    }
    Tell(module, *result);
    return options_.output == "-" ? PrintText(TestOf(result->best)) : kSuccess;
  }

 private:
  // 0: the module is interesting. The remaining passes are in the environment.
  auto AsksProgram(const FaultyCase& candidate) const -> Result<bool> {
    ::setenv("RELAYOPT_PASSES", ToString(candidate.pipeline).c_str(), 1);
    PrintOptions print;
    RELAYOPT_TRY(const int status, RunProgramOn(candidate.module, print, property_.argument, "input", 0));
    return status == 0;
  }

  auto NothingShown() const -> std::string {
    return property_.is_program ? fmt::format("'{}' does not end with 0 on the module", property_.argument)
                                : fmt::format("no pass {}", TroubleOf(property_));
  }

  static auto SizeOf(const FaultyCase& best) -> std::string {
    return fmt::format("{} calls and statements, {}", CallsAndStatements(best.module),
                       Counted(CountPasses(best.pipeline), "pass"));
  }

  auto Keep(const FaultyCase& best) const -> std::optional<Diagnostic> {
    static constexpr DiagnosticKind kCannotWrite = {"cannot-write", Severity::kError, "cannot write '{}': {}"};
    if (options_.verbose) Log("left: " + SizeOf(best));
    if (options_.output == "-") return std::nullopt;
    if (const auto error = WriteFile(options_.output, TestOf(best))) {
      return MakeDiagnostic(kCannotWrite, {}, options_.output, *error);
    }
    return std::nullopt;
  }

  // A test of lit, which fails as long as the fault is there.
  auto TestOf(const FaultyCase& best) const -> std::string {
    const std::string passes = best.pipeline.empty() ? "" : Quoted(ToString(best.pipeline));
    std::string run;
    if (property_.is_program) {
      run = fmt::format("{}not {} %s", passes.empty() ? "" : fmt::format("env RELAYOPT_PASSES={} ", passes),
                        Quoted(std::filesystem::absolute(property_.argument).string()));
    } else {
      // The name of the tool in lit, here and with the configuration in the package.
      run = "%" + CommandWith(options_, property_);
      if (!passes.empty()) run += " --passes=" + passes;
      run += " %s";
      run += property_.kind == Property::Kind::kResult ? " | not grep -E -e " + Quoted(property_.argument)
                                                       : " --disable-output";
    }
    return fmt::format("{}RUN: {}\n{}", TextKindOf(best.module).comment, run, PrintModule(best.module, setup_.print));
  }

  void Tell(const Module& before, const ReduceResult& result) const {
    FdSink sink(STDERR_FILENO);
    sink.Write(fmt::format("reduce: from {} to {} calls and statements, from {} to {} passes, in {} of {} steps{}\n",
                           CallsAndStatements(before), CallsAndStatements(result.best.module),
                           CountPasses(setup_.pipeline), CountPasses(result.best.pipeline), result.kept, result.tried,
                           result.out_of_time ? "; time is up (--reduce-timeout)" : ""));
    sink.Flush();
  }

  const ToolOptions& options_;
  const Setup& setup_;
  const PropertyText& property_;
  Reporter& reporter_;
};

}  // namespace

auto RunReduce(const Module& module, const ToolOptions& options, const Setup& setup,
               const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> int {
  if (IsRead(options, options.output)) {
    reporter.Error(fmt::format("-o {} is an input; what --reduce makes of it needs another place", options.output));
    return kFailure;
  }
  const PropertyText property = *ParseProperty(options.of_owners.Get<ReduceFlags>().fault);
  if (!property.is_program && CrashesInstead("--reduce", property, module, options, setup, known_extents, reporter)) {
    return kFailure;
  }
  return Reducer(options, setup, property, reporter).Run(module, known_extents);
}

auto ReduceCommand(const std::string& property, const std::string& arguments, const std::string& file) -> std::string {
  const std::string ending = std::filesystem::path(file).extension().string();
  return fmt::format("relayopt --reduce={} {} {} -o {}", property, arguments, file,
                     std::filesystem::path(file).stem().string() + "-reduced" + ending);
}

namespace flag_rows {

auto CheckReducible(std::string_view text) -> std::string {
  if (text.starts_with("outputs:")) return "a smaller module has other results: outputs:FILE is for --bisect";
  return CheckProperty(text);
}

constexpr FlagDef kReduceFlags[] = {
    {RELAYOPT_FIELD(ReduceFlags::fault), .name = "reduce", .group = kDebugging, .value = "FAULT",
     .help = "make the module and its pipeline smaller while the fault stays", .words = "validate crash verify",
     .bare = "validate", .check = CheckReducible, .excludes = "disable-output", .role = kSearch, .effect = kNone},
    {RELAYOPT_FIELD(ReduceFlags::timeout), .name = "reduce-timeout", .group = kDebugging, .value = "SECONDS",
     .help = "time after which --reduce returns its best result; 0: no limit", .min = 0, .needs = "reduce",
     .rare = true, .effect = kNone},
};

}  // namespace flag_rows

constinit const AnswerDef kReduceAnswer = {
    .flags = FlagRows(flag_rows::kReduceFlags), .search = RunReduce, .evaluates = true, .compares = true};

}  // namespace relayopt
