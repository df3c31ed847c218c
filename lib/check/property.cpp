// Asking for faults of passes.
#include "relayopt/check/property.h"

namespace relayopt {

// `validate: #3 FastMath: output 0 ...` without the parts that the caller adds.
static auto WithoutPass(const std::string& message, const std::string& name) -> std::string {
  const size_t at = message.find(name + ": ");
  return at == std::string::npos ? message : message.substr(at + name.size() + 2);
}

namespace {

// Validates completed runs, and does not report its findings.
class QuietValidation {
 public:
  QuietValidation(ValidationInstrument::Options options, ValidationInstrument::Mode mode)
      : validation_(Quiet(std::move(options), mode), unread_) {}

  void See(const PassRun& run) {
    const PassInfo info{0, run.name, {}};
    static_cast<void>(validation_.RunBeforePass(run.before, info));
    static_cast<void>(validation_.RunAfterPass(run.after, info, run.changed));
  }
  auto validation() -> ValidationInstrument& { return validation_; }
  // Returns the first mismatch, without the pass.
  auto What(const std::string& name) const -> std::string { return WithoutPass(message_, name); }

 private:
  auto Quiet(ValidationInstrument::Options options, ValidationInstrument::Mode mode) -> ValidationInstrument::Options {
    options.mode = mode;
    options.folder.clear();
    options.report = [this](const Diagnostic& mismatch) { message_ = mismatch.text; };
    return options;
  }

  std::string message_;
  StringSink unread_;
  ValidationInstrument validation_;
};

}  // namespace

auto PropertyJudge::ComparesWell(std::span<const PassRun> runs, std::string* what) const -> Answer {
  if (runs.empty()) return Answer::kGood;
  QuietValidation quiet(options_.validation, ValidationInstrument::Mode::kFinal);
  // The required exactness of the whole follows from the passes.
  for (const PassRun& run : runs) quiet.See(run);
  quiet.validation().Finish(runs.front().before, runs.back().after);
  if (quiet.validation().has_mismatch()) {
    if (what != nullptr) *what = quiet.What("all passes");
    return Answer::kBad;
  }
  return quiet.validation().validated() != 0 ? Answer::kGood : Answer::kUnknown;
}

auto PropertyJudge::FirstMismatch(std::span<const PassRun> runs, std::string* what, std::string* tally) const
    -> const PassRun* {
  QuietValidation quiet(options_.validation, ValidationInstrument::Mode::kChanged);
  const PassRun* first = nullptr;
  for (const PassRun& run : runs) {
    quiet.See(run);
    if (!quiet.validation().has_mismatch()) continue;
    first = &run;
    break;
  }
  if (what != nullptr && first != nullptr) *what = quiet.What(first->name);
  if (tally != nullptr) *tally = quiet.validation().Tally();
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
