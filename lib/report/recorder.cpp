// Records runs of passes for a report.
#include "relayopt/report/report.h"

namespace relayopt {

auto RunRecorder::RunBeforePass(const Module&, const PassInfo& info) -> std::optional<Diagnostic> {
  ++run_;
  if (IsNumbered(info)) open_.push_back({std::chrono::steady_clock::now(), ++number_, run_});
  return std::nullopt;
}

auto RunRecorder::RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> {
  Record(module, info, changed, {});
  return std::nullopt;
}

void RunRecorder::PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) {
  Record(module, info, false, error.text);
}

void RunRecorder::Record(const Module& module, const PassInfo& info, bool changed, std::string error) {
  if (!IsNumbered(info) || open_.empty()) return;
  const auto time = std::chrono::steady_clock::now() - open_.back().start;
  steps_.push_back({info.name, open_.back().number, changed, time, module, std::move(error), open_.back().run});
  open_.pop_back();
}

}  // namespace relayopt
