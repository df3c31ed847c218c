// Messages to the user, on standard error.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "options.h"
#include "relayopt/driver/diagnostic_record.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"

namespace relayopt {

// Shows diagnostics as they come: the first errors and warnings in full, the rest as counts at the end. Or collects
// them all and writes them as data when it ends, as --diagnostics-format says.
class Reporter {
 public:
  // Colour `auto` depends on NO_COLOR, CLICOLOR_FORCE and the terminal.
  explicit Reporter(const ToolOptions& options);
  ~Reporter();
  Reporter(const Reporter&) = delete;
  auto operator=(const Reporter&) -> Reporter& = delete;

  // Writes the remaining messages, those in a format that is data unless not `as_data`. Returns false if that fails.
  // Nothing may be reported afterwards.
  auto Finish(bool as_data = true) -> bool;

  // `source` may be null.
  void Report(const Diagnostic& diagnostic, const SourceText* source);
  void Report(const DiagnosticSink& sink, const SourceText* source);
  // Reports an error without a position in a text.
  void Error(const std::string& message);

  // Adds what another reporter with the same options recorded.
  void Add(DiagnosticRecord record);
  // What was reported, for a format that is data.
  auto records() const -> const std::vector<DiagnosticRecord>& { return records_; }

  // Whether there was an error, or a warning where those count as errors.
  auto failed() const -> bool { return errors_ != 0; }
  auto uses_color() const -> bool { return render_.color; }

 private:
  auto WriteRecords() const -> bool;

  RenderOptions render_;
  // Of the terminal.
  size_t width_;
  std::string format_;
  std::string file_;
  std::vector<DiagnosticRecord> records_;
  bool no_warnings_;
  bool warnings_are_errors_;
  size_t limit_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
  bool is_finished_ = false;
};

// Opens a file as it is; `-` is standard input, which several calls may open. Null, with an error, if it cannot be
// read.
auto OpenFile(const std::string& path, std::string& error) -> std::shared_ptr<const SourceText>;

// Opens a file (`-`: standard input), which may be compressed; null, with an error, when that fails.
auto OpenText(const std::string& path, Reporter& reporter) -> std::shared_ptr<const SourceText>;

}  // namespace relayopt
