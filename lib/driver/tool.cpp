// The tool around a run: what the process does with signals, answers that need no input, several inputs.
#include "answers.h"
#include "batch.h"
#include "cleanup.h"
#include "depfile.h"
#include "driver.h"
#include "lists.h"
#include "log.h"
#include "options.h"
#include "output.h"
#include "relayopt/driver/session.h"
#include "relayopt/pass/plugin.h"
#include "relayopt/support/signals.h"
#include "reporter.h"
#include "update_checks.h"

namespace relayopt {

namespace {

auto LoadPlugins(const ToolOptions& options, Reporter& reporter) -> bool {
  for (const std::string& path : options.plugins) {
    const Result<std::string> plugin = LoadPassPlugin(path, RELAYOPT_VERSION);
    if (!plugin) {
      reporter.Report(plugin.error(), nullptr);
      return false;
    }
    Log("loaded plugin " + *plugin);
  }
  return true;
}

auto RunAll(const ToolOptions& options, Reporter& reporter) -> int {
  if (!LoadPlugins(options, reporter)) return kFailure;
  const std::optional<std::string> text = ListsAndHelp(options, reporter);
  if (!text) return kFailure;
  if (!text->empty()) return PrintText(*text);
  if (!options.update_checks.empty()) return UpdateChecks(options, reporter);
  if (const AnswerDef* answer = WantedAnswer(options); answer != nullptr && answer->alone != nullptr) {
    return answer->alone(options, reporter);
  }
  if (!options.out_dir.empty() || options.input_files.size() > 1) return RunBatch(options, reporter);
  const int status = RunInput(options, reporter);
  return status == kSuccess ? WriteDepfile(options, DependencyRule(options), reporter) : status;
}

}  // namespace

auto RunTool(int argc, char** argv) -> int {
  // The error of write ends the run quietly.
  IgnoreClosedPipes();
  RegisterBuiltins();
  ToolOptions options;
  if (const std::optional<int> status = ParseCommandLine(argc, argv, options)) return *status;
  if (options.verbose) EnableLog();
  Reporter reporter(options);
  const int status = EndPrinting(RunAll(options, reporter));
  return reporter.Finish() || status != kSuccess ? status : kFailure;
}

}  // namespace relayopt
