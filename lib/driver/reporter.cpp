// Renders diagnostics and counts errors.
#include "reporter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "output.h"
#include "relayopt/convert/compression.h"
#include "relayopt/support/process.h"
#include "relayopt/support/terminal.h"

namespace relayopt {

namespace {

auto IsSet(const char* variable) -> bool {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

auto WantsColor(const std::string& color) -> bool {
  if (color != "auto") return color == "always";
  if (IsSet("NO_COLOR")) return false;
  if (IsSet("CLICOLOR_FORCE")) return true;
  const char* terminal = std::getenv("TERM");
  return IsTerminal(STDERR_FILENO) && (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

void ShowRest(const char* what, size_t count, size_t limit) {
  if (count <= limit) return;
  const size_t rest = count - limit;
  std::fputs(fmt::format("relayopt: {} more {}{} not shown\n", rest, what, rest == 1 ? " is" : "s are").c_str(),
             stderr);
}

}  // namespace

Reporter::Reporter(const ToolOptions& options)
    : render_{.color = WantsColor(options.color)},
      width_(TerminalWidth(STDERR_FILENO)),
      format_(options.diagnostics_format),
      file_(options.diagnostics_file),
      no_warnings_(options.no_warnings),
      warnings_are_errors_(options.warnings_are_errors),
      limit_(options.error_limit == 0 ? SIZE_MAX : options.error_limit) {}

Reporter::~Reporter() { Finish(); }

auto Reporter::Finish(bool as_data) -> bool {
  if (is_finished_) return true;
  is_finished_ = true;
  if (format_ != "text") return !as_data || WriteRecords();
  ShowRest("error", errors_, limit_);
  ShowRest("warning", warnings_, limit_);
  return true;
}

void Reporter::Report(const Diagnostic& diagnostic, const SourceText* source) {
  const DiagnosticKind& kind = *diagnostic.kind;
  // The same message with the severity of an error.
  const DiagnosticKind as_error = {kind.id, Severity::kError, kind.text};
  if (kind.severity == Severity::kWarning && warnings_are_errors_) {
    Diagnostic error = diagnostic;
    error.kind = &as_error;
    Report(error, source);
    return;
  }
  if (kind.severity == Severity::kWarning && no_warnings_) return;
  warnings_ += kind.severity == Severity::kWarning ? 1 : 0;
  errors_ += kind.severity == Severity::kError ? 1 : 0;
  if (format_ != "text") {
    records_.push_back(MakeRecord(diagnostic, source));
    return;
  }
  if (kind.severity == Severity::kWarning && warnings_ > limit_) return;
  if (kind.severity == Severity::kError && errors_ > limit_) return;
  const std::string text =
      (source == nullptr ? "relayopt: " : "") +
      (width_ == 0 ? Render(diagnostic, source, render_) : RenderWithin(diagnostic, source, render_, width_));
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Reporter::Add(DiagnosticRecord record) {
  warnings_ += record.severity == Severity::kWarning ? 1 : 0;
  errors_ += record.severity == Severity::kError ? 1 : 0;
  records_.push_back(std::move(record));
}

auto Reporter::WriteRecords() const -> bool {
  const std::string text = format_ == "sarif" ? ToSarif(records_) : ToJson(records_);
  if (file_.empty()) {
    std::fwrite(text.data(), 1, text.size(), stderr);
  } else if (const auto error = WriteFile(file_, text)) {
    std::fprintf(stderr, "relayopt: error: cannot write '%s': %s\n", Printable(file_).c_str(), error->c_str());
    return false;
  }
  return true;
}

void Reporter::Report(const DiagnosticSink& sink, const SourceText* source) {
  for (const Diagnostic& diagnostic : sink.diagnostics()) Report(diagnostic, source);
}

void Reporter::Error(const std::string& message) {
  static constexpr DiagnosticKind kError = {"", Severity::kError, "{}"};
  Report(MakeDiagnostic(kError, {}, message), nullptr);
}

auto OpenFile(const std::string& path, std::string& error) -> std::shared_ptr<const SourceText> {
  // Standard input can be read once only; later calls return the same text.
  static std::shared_ptr<const SourceText> standard_input;
  if (path != "-") return SourceText::Open(path, error);
  if (standard_input == nullptr) standard_input = SourceText::Open(path, error);
  return standard_input;
}

auto OpenText(const std::string& path, Reporter& reporter) -> std::shared_ptr<const SourceText> {
  std::string error;
  const auto file = OpenFile(path, error);
  if (file == nullptr) {
    reporter.Error("cannot read '" + path + "': " + error);
    return nullptr;
  }
  DiagnosticSink damage;
  auto text = AsText(file, damage);
  reporter.Report(damage, file.get());
  return text;
}

}  // namespace relayopt
