// Runs of passes whose details are kept for inspection.
#include "relayopt/check/trial.h"

#include <algorithm>

#include "relayopt/pass/diagnostics.h"
#include "relayopt/pass/instruments.h"
#include "relayopt/pass/remarks.h"

namespace relayopt {

namespace {

// Keeps the inputs and results of passes.
class Recorder final : public PassInstrument {
 public:
  Recorder(const TrialOptions& options, Trial& trial) : options_(options), trial_(trial) {}

  void SetContext(const PassContext* context) { context_ = context; }

  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override {
    numbers_.Asks(info);
    if (!options_.numbers || !IsNumbered(info) || options_.numbers->Contains(numbers_.number())) return true;
    if (!trial_.left_out) trial_.left_out = Opened(module, info);
    return false;
  }

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override {
    if (!IsNumbered(info)) return std::nullopt;
    numbers_.Begins();
    open_.push_back(Opened(module, info));
    if (options_.begins) options_.begins(open_.back());
    return std::nullopt;
  }

  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override {
    if (!IsNumbered(info)) return std::nullopt;
    PassRun run = Close();
    run.after = module;
    run.changed = changed;
    trial_.runs.push_back(std::move(run));
    return std::nullopt;
  }

  // A pass inside of another fails first: the outer one is the one in the pipeline.
  void PassFailed(const Module&, const PassInfo& info, const Diagnostic&) override {
    if (IsNumbered(info) && !open_.empty()) trial_.failed = Close();
  }

 private:
  // Returns the run of the pass that is about to begin.
  auto Opened(const Module& module, const PassInfo& info) const -> PassRun {
    const Pass* pass = context_->applied();
    return {.number = numbers_.number(),
            .name = info.name,
            .pass = pass == nullptr ? nullptr : pass->weak_from_this().lock(),
            .level = std::max(context_->opt_level(), info.opt_level),
            .before = module,
            .after = module};
  }

  auto Close() -> PassRun {
    PassRun run = std::move(open_.back());
    open_.pop_back();
    return run;
  }

  const TrialOptions& options_;
  Trial& trial_;
  const PassContext* context_ = nullptr;
  PassNumbers numbers_;
  // Outermost first.
  std::vector<PassRun> open_;
};

}  // namespace

auto RunTrial(const Pass& pass, const Module& module, const TrialOptions& options) -> Trial {
  Trial trial;
  trial.result = module;
  const auto recorder = std::make_shared<Recorder>(options, trial);
  PassContextOptions settings = options.context;
  settings.threads = 1;
  settings.statistics = nullptr;
  settings.remarks = options.remarks;
  settings.warn_about_skipped_passes = false;
  // An error of the verifier is a failure of the pass, not of the run.
  settings.instruments.clear();
  if (options.verifies) settings.instruments.push_back(std::make_shared<VerifyInstrument>());
  if (options.remarks != nullptr) settings.instruments.push_back(options.remarks);
  settings.instruments.push_back(recorder);
  const Result<PassContextRef> context = PassContext::Create(std::move(settings));
  if (!context) {
    trial.errors.push_back(context.error());
    return trial;
  }
  recorder->SetContext(context->get());
  const Result<bool> changed = pass.Apply(trial.result, **context);
  for (const Diagnostic& diagnostic : (*context)->diagnostics().diagnostics()) {
    if (diagnostic.kind->severity == Severity::kError) trial.errors.push_back(diagnostic);
  }
  if (!changed) trial.errors.push_back(changed.error());
  if (changed) trial.failed.reset();
  trial.counts = (*context)->debug_counts();
  return trial;
}

auto IsFaultOfPass(const Trial& trial) -> bool {
  return std::ranges::any_of(trial.errors, [](const Diagnostic& error) {
    return error.kind->id == diag::kBrokenByPass.id || std::ranges::any_of(error.notes, [](const DiagnosticNote& note) {
             return note.text == "while running InferType";
           });
  });
}

}  // namespace relayopt
