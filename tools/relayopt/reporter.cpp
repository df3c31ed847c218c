// Renders diagnostics and counts errors.
#include "reporter.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace relayopt {

namespace {

auto IsSet(const char* variable) -> bool {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

auto WantsColor(const std::string& color) -> bool {
  if (color != "auto") return color == "always";
  if (IsSet("NO_COLOR")) return false;
  return IsSet("CLICOLOR_FORCE") || ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

Reporter::Reporter(const std::string& color) { options_.color = WantsColor(color); }

Reporter::~Reporter() {
  if (errors_ > kMaxShown) std::fprintf(stderr, "relayopt: %zu more errors are not shown\n", errors_ - kMaxShown);
}

void Reporter::Report(const Diagnostic& diagnostic, const SourceText* source) {
  if (diagnostic.kind->severity == Severity::kError && ++errors_ > kMaxShown) return;
  const std::string text = (source == nullptr ? "relayopt: " : "") + Render(diagnostic, source, options_);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Reporter::Report(const DiagnosticSink& sink, const SourceText* source) {
  for (const Diagnostic& diagnostic : sink.diagnostics()) Report(diagnostic, source);
}

void Reporter::Error(const std::string& message) {
  static constexpr DiagnosticKind kError = {"", Severity::kError, "{}"};
  Report(MakeDiagnostic(kError, {}, message), nullptr);
}

}  // namespace relayopt
