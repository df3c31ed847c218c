// Observes a run of the pipeline: which passes ran, and how often loops iterated.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "options.h"
#include "relayopt/pass/instruments.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Records the names of the passes, whether they were allowed to run or not, and counts the numbered ones. With
// --verbose it reports the iterations of `fixpoint` and `repeat`.
class RunWatch final : public PassInstrument {
 public:
  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

  auto names() const -> const std::set<std::string>& { return names_; }
  auto count() const -> uint64_t { return numbers_.number(); }

 private:
  // A pass that is running, and the number of passes in it that have ended.
  struct Open {
    std::string name;
    uint64_t runs = 0;
  };

  std::set<std::string> names_;
  PassNumbers numbers_;
  std::vector<Open> open_;
};

// Whether an option names passes or numbers of passes that a run may not have.
auto NamesRuns(const ToolOptions& options) -> bool;

// Warns of names and numbers of passes that did not come.
void WarnOfAbsentRuns(const ToolOptions& options, const RunWatch& watch, DiagnosticSink& sink);

}  // namespace relayopt
