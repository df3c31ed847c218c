// Diagnostics as data, for other programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/support/diagnostic.h"

namespace relayopt {

// A diagnostic with its notes, and with ranges resolved to lines and columns.
struct DiagnosticRecord {
  Severity severity;
  std::string id;
  std::string text;
  // Empty and zero if there is no position.
  std::string file;
  LineColumn begin = {0, 0};
  LineColumn end = {0, 0};
  std::vector<DiagnosticRecord> notes;
};

// Resolves the ranges of a diagnostic; its texts become Printable. `source` may be null.
auto MakeRecord(const Diagnostic& diagnostic, const SourceText* source) -> DiagnosticRecord;

// Returns the text `file:line:column: severity: text [id]`, followed by its notes in the same form.
auto ToText(const DiagnosticRecord& record) -> std::string;
// JSON: `{"version": 1, "diagnostics": [{"severity", "id", "text", "file", "line", "column", "end_line", "end_column",
// "notes"}]}`.
auto ToJson(const std::vector<DiagnosticRecord>& records) -> std::string;
// Returns the records of a text that ToJson wrote, or nullopt if it is another text.
auto ParseRecords(std::string_view json) -> std::optional<std::vector<DiagnosticRecord>>;
// Returns a SARIF 2.1.0 log with one run.
auto ToSarif(const std::vector<DiagnosticRecord>& records) -> std::string;

}  // namespace relayopt
