// Asking for faults of passes.
#include "relayopt/check/property.h"

namespace relayopt {

auto PropertyJudge::ComparesWell(std::span<const PassRun> runs, std::string* what) const -> Answer {
  if (runs.empty()) return Answer::kGood;
  ValidationInstrument::Options options = options_.validation;
  options.mode = ValidationInstrument::Mode::kFinal;
  options.folder.clear();
  std::string message;
  options.report = [&message](const Diagnostic& mismatch) { message = mismatch.text; };
  StringSink unread;
  ValidationInstrument validation(std::move(options), unread);
  // How exact the whole must be follows from the passes.
  for (const PassRun& run : runs) {
    const PassInfo info{0, run.name, {}};
    static_cast<void>(validation.RunBeforePass(run.before, info));
    static_cast<void>(validation.RunAfterPass(run.after, info, run.changed));
  }
  validation.Finish(runs.front().before, runs.back().after);
  if (validation.has_mismatch()) {
    // `validate: #3 all passes: output 0 ...`: who it was the caller knows.
    if (what != nullptr) *what = message.substr(std::min(message.find("all passes: ") + 12, message.size()));
    return Answer::kBad;
  }
  return validation.validated() != 0 ? Answer::kGood : Answer::kUnknown;
}

auto PropertyJudge::FailsSo(const Trial& trial, std::string* what) const -> bool {
  if (!trial.failed) return false;
  const bool is_verify = property().kind == Property::Kind::kVerify;
  if (is_verify && !IsFaultOfPass(trial)) return false;
  for (const Diagnostic& error : trial.errors) {
    if (!is_verify && !property().matches(error.text)) continue;
    if (what != nullptr) *what = error.text;
    return true;
  }
  return false;
}

}  // namespace relayopt
