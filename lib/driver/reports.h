// Reports about a run: time, memory, statistics, remarks.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "options.h"
#include "reporter.h"
#include "setup.h"

namespace relayopt {

// Selects and prints the remarks that the user requested.
class RemarkReport {
 public:
  explicit RemarkReport(const ToolOptions& options) : options_(&options) {}

  // Takes the remarks made so far: those that --pass-remarks* name go to `sink`, those for a file are kept as YAML.
  void Collect(RemarkLog& log, const SourceText* source, DiagnosticSink& sink);
  // The remarks taken for --report since the last call.
  auto TakeForReport() -> std::vector<Remark> { return std::exchange(reported_, {}); }
  auto yaml() const -> const std::string& { return yaml_; }
  // Adds what --offload-report asks for, of a module after the passes. Reasons are those collected since the last time.
  void AddOffload(const Module& module);
  auto offload() const -> const std::string& { return offload_; }

 private:
  const ToolOptions* options_;
  std::string yaml_;
  std::string offload_;
  std::map<std::string, uint64_t> reasons_;
  std::vector<Remark> reported_;
};

// Writes what --report asks for of a run: its input, what the passes said, and what was found out about it.
void WriteReport(const ToolOptions& options, const Setup& setup, const Module& input,
                 const std::vector<ReportStep>& steps, std::vector<Remark> remarks, std::string finding,
                 Reporter& reporter);

// Whether --pass-remarks* request remarks.
auto WantsRemarks(const ToolOptions& options) -> bool;
// Reports patterns that are not regular expressions.
void CheckRemarkPatterns(const ToolOptions& options, Reporter& reporter);

// Writes what the options ask for, each to its destination: `tables` are for people, `remarks` are YAML.
void WriteReports(const ToolOptions& options, const Setup& setup, const std::string& tables, const std::string& remarks,
                  Reporter& reporter);

}  // namespace relayopt
