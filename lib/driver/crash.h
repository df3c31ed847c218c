// Crash handling of the tool: prints where it crashed, and saves the input of the running pass.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/pass/instruments.h"
#include "relayopt/pass/pipeline.h"

namespace relayopt {

// At this level of a context every pass runs.
inline constexpr int kHighestLevel = 5;

// Remembers the module before the pass that is running. Copies of modules share their functions, so this costs no
// memory while the pass holds its input.
class CrashReporter final : public PassInstrument {
 public:
  struct Options {
    // The file for the input; empty: a file in $TMPDIR; `none`: no file.
    std::string file;
    // The arguments that a run needs besides the pass.
    std::string args;
    // The values of --debug-counter, in the order of the context's counters.
    std::vector<std::string> debug_counters;
    // Print the input too.
    bool print = false;
  };

  CrashReporter(const Pipeline& pipeline, Options options);
  ~CrashReporter() override;

  // The context of the run, which counts the rewrites before the pass; it must outlive the run.
  void SetContext(const PassContext* context) { context_ = context; }

  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;
  // Forgets the run before.
  void Reset();

  struct Running {
    std::string name;
    // Does nothing for sequences, because the pass inside matters.
    std::optional<Module> input;
  };
  // The state of the module at a failure.
  struct Latest {
    std::string name;
    Module module;
    // Whether it is the result of the pass, or its input.
    bool is_result;
  };
  auto latest() const -> const std::optional<Latest>& { return latest_; }

  // Returns the pass that is running, or that failed, which has an input, or null if there is none.
  auto running() const -> const Running*;

  // Called by the signal handler, in the thread that crashed.
  void Report(int signal);
  // Saves the input of the running pass because of a failure of another kind, and prints where it is. For any thread.
  void Save(const std::string& failure);

 private:
  void Write(const Running& pass, const std::string& failure);
  auto PassText(const std::string& name) const -> std::string;

  auto Arguments() const -> std::string;

  const Pipeline* pipeline_;
  const PassContext* context_ = nullptr;
  Options options_;
  // Guards the members below, which another thread may save.
  std::mutex mutex_;
  std::vector<Running> running_;
  std::optional<Latest> latest_;
  PassNumbers numbers_;
  // The state of the context when the pass began: its level (raised to that of the pass), and the counts of debug
  // counters.
  int level_ = kHighestLevel;
  std::vector<uint64_t> counts_;
};

// Makes crashes of this process, in any thread, print where they are and call the reporter, which must outlive it; null
// if there is none. The signal is raised again afterwards, so the exit status stays that of a crash. An input that
// becomes shorter while it is read is an error and not a crash.
void ReportCrashesTo(CrashReporter* reporter);

}  // namespace relayopt
