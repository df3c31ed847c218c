// What the tool still does when it crashes: it says where, and saves the input of the pass that was running.
#pragma once

#include <string>
#include <vector>

#include "relayopt/pass/pipeline.h"

namespace relayopt {

// Remembers the module before the pass that is running. Copies of modules share their functions, so this costs no
// memory as long as the pass has its input too.
class CrashReporter final : public PassInstrument {
 public:
  // `file` is where the input goes; empty: a file in $TMPDIR. `flags` are those that a run needs besides the pass.
  CrashReporter(const Pipeline& pipeline, std::string file, std::string flags);
  ~CrashReporter() override;

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  // Forgets passes that ended without RunAfterPass: those that failed.
  void Reset() { running_.clear(); }

  // Called by the signal handler.
  void Report(int signal);

 private:
  struct Running {
    std::string name;
    // Null for sequences: what matters is the pass inside.
    std::optional<Module> input;
  };

  void WriteReproducer(const Running& pass, const std::string& failure);
  auto PassText(const std::string& name) const -> std::string;

  const Pipeline* pipeline_;
  std::string file_;
  std::string flags_;
  std::vector<Running> running_;
};

// Makes crashes of this process call the reporter, which must outlive it; null to stop. The signal is raised again
// afterwards, so the exit status stays that of a crash.
void ReportCrashesTo(CrashReporter* reporter);

}  // namespace relayopt
