// Reports errors in a text, up to a limit.
#pragma once

#include "diagnostics.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Counts errors and warnings, and passes the first of each on to a sink.
class ParseReporter {
 public:
  static constexpr size_t kShown = 20;

  explicit ParseReporter(DiagnosticSink& sink) : sink_(&sink) {}

  // Returns the diagnostic, so that notes can be added before the next report, or null if it is not shown any more.
  template <typename... Args>
  auto Report(std::type_identity_t<KindFor<Args...>> kind, SourceRange range, const Args&... args) -> Diagnostic* {
    size_t& count = kind->severity == Severity::kError ? errors_ : warnings_;
    if (++count > kShown) return nullptr;
    return &sink_->Report(kind, range, args...);
  }

  // Whether the next error is still shown: searching similar names takes time.
  auto shows_errors() const -> bool { return errors_ < kShown; }
  auto errors() const -> size_t { return errors_; }
  auto sink() const -> DiagnosticSink& { return *sink_; }

  // Must be called once at the end.
  void Finish() {
    if (errors_ > kShown)
      sink_->Report(diag::kTooManyErrors, SourceRange(), errors_ - kShown,
                    errors_ - kShown == 1 ? "error is" : "errors are");
    if (warnings_ > kShown)
      sink_->Report(diag::kTooManyWarnings, SourceRange(), warnings_ - kShown,
                    warnings_ - kShown == 1 ? "warning is" : "warnings are");
  }

 private:
  DiagnosticSink* sink_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
};

}  // namespace relayopt
