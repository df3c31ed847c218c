// The report of a run: what each pass did to a module, as data (JSON) and as a page that shows it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/check/validation.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/pass/remarks.h"

namespace relayopt {

// One run of a pass.
struct ReportStep {
  std::string pass;
  // The number by which instruments and options know it.
  uint64_t number = 0;
  bool changed = false;
  std::chrono::nanoseconds time{};
  // The module after the pass; before it when the pass failed.
  Module after;
  // Why it failed; empty when it did not.
  std::string error = {};
  // The number that remarks of the run have (Remark::run).
  size_t run = 0;
};

// Records the runs of passes. Modules are values, so that keeping them costs only what changed.
class RunRecorder final : public PassInstrument {
 public:
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

  // In the order in which the runs ended.
  auto steps() const -> const std::vector<ReportStep>& { return steps_; }

 private:
  struct Open {
    std::chrono::steady_clock::time_point start;
    uint64_t number;
    size_t run;
  };

  void Record(const Module& module, const PassInfo& info, bool changed, std::string error);

  std::vector<Open> open_;
  uint64_t number_ = 0;
  size_t run_ = 0;
  std::vector<ReportStep> steps_;
};

// The input of a report. References must outlive the call.
struct ReportRun {
  // How the tool was called, the name of the input, and the pipeline.
  std::string command;
  std::string input_name;
  std::string pipeline;
  const Module& input;
  const std::vector<ReportStep>& steps;
  std::vector<Remark> remarks = {};
  // Of the runs that were validated.
  std::vector<ValidationVerdict> verdicts = {};
  // What was found out about the run as a whole, such as the guilty rewrite; may have several lines.
  std::string finding = {};
  // The nodes of the ONNX models before and after, if both are.
  std::optional<std::pair<size_t, size_t>> nodes = {};
};

// The report as JSON; docs/report.md describes it.
auto MakeReport(const ReportRun& run) -> std::string;

// A page without references to anything outside that shows a report.
auto ReportPage(std::string_view json) -> std::string;

}  // namespace relayopt
