// Asking for faults of passes.
#include "relayopt/check/property.h"

namespace relayopt {

// `validate: #3 FastMath: output 0 ...` without what the caller knows.
static auto WithoutPass(const std::string& message, const std::string& name) -> std::string {
  const size_t at = message.find(name + ": ");
  return at == std::string::npos ? message : message.substr(at + name.size() + 2);
}

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
    if (what != nullptr) *what = WithoutPass(message, "all passes");
    return Answer::kBad;
  }
  return validation.validated() != 0 ? Answer::kGood : Answer::kUnknown;
}

auto PropertyJudge::FirstMismatch(std::span<const PassRun> runs, std::string* what, std::string* tally) const
    -> const PassRun* {
  ValidationInstrument::Options options = options_.validation;
  options.mode = ValidationInstrument::Mode::kChanged;
  options.folder.clear();
  std::string message;
  options.report = [&message](const Diagnostic& mismatch) { message = mismatch.text; };
  StringSink unread;
  ValidationInstrument validation(std::move(options), unread);
  const PassRun* first = nullptr;
  for (const PassRun& run : runs) {
    const PassInfo info{0, run.name, {}};
    static_cast<void>(validation.RunBeforePass(run.before, info));
    static_cast<void>(validation.RunAfterPass(run.after, info, run.changed));
    if (!validation.has_mismatch()) continue;
    first = &run;
    break;
  }
  if (what != nullptr && first != nullptr) *what = WithoutPass(message, first->name);
  if (tally != nullptr) *tally = validation.Tally();
  return first;
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
