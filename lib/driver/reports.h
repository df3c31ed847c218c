// Reports about a run: time, memory, statistics, remarks.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flags.h"
#include "options.h"
#include "reporter.h"
#include "setup.h"

namespace relayopt {

// What to report about the passes of a run.
struct ReportOptions {
  std::string time_passes = "";
  std::string time_passes_json = "";
  std::string stats = "";
  std::string offload_report = "";
  std::string pass_remarks = "";
  std::string pass_remarks_output = "";
  std::string pass_remarks_missed = "";
  std::string pass_remarks_analysis = "";
  std::string pass_remarks_filter = "";
  std::string stats_json = "";
  std::string time_trace = "";
  uint64_t time_trace_granularity = 0;
  std::string info_output_file = "";
};
inline auto ReportOptionsOf(const ToolOptions& options) -> const ReportOptions& {
  return options.of_owners.Get<ReportOptions>();
}
auto ReportFlags() -> std::span<const FlagDef>;

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

// Adds the model that the module is written as, as the last step; none if the output is not ONNX, or the writer refuses
// the module, which the output itself reports. The writer joins what passes took apart, so that only this step has the
// nodes of the file. Returns their number.
auto AddWrittenModel(const Setup& setup, const Module& module, std::vector<ReportStep>& steps) -> std::optional<size_t>;

// Writes what --report asks for of a run: its input, the remarks of the passes, the conclusions about it, and the
// number of nodes of the resulting ONNX model.
void WriteReport(const ToolOptions& options, const Setup& setup, const Module& input,
                 const std::vector<ReportStep>& steps, std::vector<Remark> remarks, std::string finding,
                 std::optional<size_t> nodes, Reporter& reporter);

// Whether all modules between passes are recorded, for a page or an answer.
auto RecordsRuns(const ToolOptions& options) -> bool;

// Whether --pass-remarks* request remarks.
auto WantsRemarks(const ToolOptions& options) -> bool;
// Reports patterns that are not regular expressions.
void CheckRemarkPatterns(const ToolOptions& options, Reporter& reporter);

// Writes what the options ask for, each to its destination: `tables` are for people, `remarks` are YAML.
void WriteReports(const ToolOptions& options, const Setup& setup, const std::string& tables, const std::string& remarks,
                  Reporter& reporter);

}  // namespace relayopt
