// Messages to the user, on standard error.
#pragma once

#include <string>

#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Shows diagnostics as they come: the first errors in full, the rest as a count at the end.
class Reporter {
 public:
  // `color` is auto, always or never; auto asks NO_COLOR, CLICOLOR_FORCE and the terminal.
  explicit Reporter(const std::string& color);
  ~Reporter();
  Reporter(const Reporter&) = delete;
  auto operator=(const Reporter&) -> Reporter& = delete;

  // `source` may be null.
  void Report(const Diagnostic& diagnostic, const SourceText* source);
  void Report(const DiagnosticSink& sink, const SourceText* source);
  // An error that has no place in a text.
  void Error(const std::string& message);

  auto failed() const -> bool { return errors_ != 0; }

 private:
  static constexpr size_t kMaxShown = 20;

  RenderOptions options_;
  size_t errors_ = 0;
};

}  // namespace relayopt
