// Writes reports.
#include "reports.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>

#include "flags.h"
#include "output.h"
#include "regex.h"
#include "relayopt/convert/format.h"
#include "relayopt/driver/session.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/relay/transforms/offload_report.h"

namespace relayopt {

namespace {

// The arguments are the pass and its message.
auto DiagnosticOf(RemarkKind kind) -> KindFor<std::string, std::string> {
  switch (kind) {
    case RemarkKind::kPassed: return diag::kRemarkPassed;
    case RemarkKind::kMissed: return diag::kRemarkMissed;
    case RemarkKind::kAnalysis: return diag::kRemarkAnalysis;
  }
  return diag::kRemarkPassed;
}

void Write(const std::string& path, const std::string& text, Reporter& reporter) {
  if (const auto error = WriteFile(path, text)) reporter.Error("cannot write '" + path + "': " + *error);
}

// Remarks without a place in the text that say the same are shown once.
using RemarkKey = std::tuple<size_t, RemarkKind, std::string, std::string, std::string>;
using RemarkCounts = std::map<RemarkKey, size_t>;

auto KeyOf(const Remark& remark) -> RemarkKey {
  return {remark.run, remark.kind, remark.pass, remark.function, remark.message()};
}

auto CountWithoutPlace(const std::vector<Remark>& remarks) -> RemarkCounts {
  RemarkCounts counts;
  for (const Remark& remark : remarks) {
    if (!remark.range.valid()) ++counts[KeyOf(remark)];
  }
  return counts;
}

// To --info-output-file, or to standard error.
void WriteInfo(const ToolOptions& options, const std::string& text, Reporter& reporter) {
  if (text.empty()) return;
  if (!options.info_output_file.empty()) return Write(options.info_output_file, text, reporter);
  FdSink sink(STDERR_FILENO);
  sink.Write(text);
  sink.Flush();
  if (sink.error() != 0) reporter.Error(fmt::format("cannot write to standard error: {}", std::strerror(sink.error())));
}

auto TimingRows(const std::string& kind) -> PassTimingInstrument::Rows {
  using Rows = PassTimingInstrument::Rows;
  return kind == "list" ? Rows::kList : kind == "per-run" ? Rows::kRuns : Rows::kTree;
}

auto DebugCounterText(const PassContext& context) -> std::string {
  std::string out = "=== relayopt debug counters ===\n";
  for (size_t i = 0; i < context.debug_counts().size(); ++i) {
    const Statistic& statistic = *context.options().debug_counters[i].statistic;
    out += fmt::format("{:10} {}.{}\n", context.debug_counts()[i], statistic.pass, statistic.name);
  }
  return out;
}

// -O3 is a pass of --passes by then.
auto IsShownInReport(const FlagDef& flag) -> bool {
  return !IsWritten(flag) && flag.letter != 'O' && flag.name != "quiet";
}

}  // namespace

auto WantsRemarks(const ToolOptions& options) -> bool {
  return !options.pass_remarks.empty() || !options.pass_remarks_missed.empty() ||
         !options.pass_remarks_analysis.empty() || !options.pass_remarks_output.empty() ||
         !options.offload_report.empty() || !options.report.empty() || options.interactive;
}

auto AddWrittenModel(const Setup& setup, const Module& module, std::vector<ReportStep>& steps)
    -> std::optional<size_t> {
  if (setup.output->name != "onnx" && setup.output->name != "onnx-text") return std::nullopt;
  const auto start = std::chrono::steady_clock::now();
  StringSink model;
  DiagnosticSink problems;
  Export out{model, problems};
  FindFormat("onnx")->write(module, {}, out);
  if (problems.has_errors()) return std::nullopt;
  const auto time = std::chrono::steady_clock::now() - start;
  const auto source = SourceText::FromString("", std::string(model.text()));
  Session session({.imports = {.onnx = {.exact = true, .keep = true}}, .input_format = "onnx"});
  std::optional<ImportedModule> written = session.Import(source, problems);
  if (!written || !session.Prepare(written->module, problems)) return std::nullopt;
  steps.push_back({.pass = "(write ONNX)",
                   .number = steps.empty() ? 1 : steps.back().number + 1,
                   .changed = true,
                   .time = time,
                   .after = std::move(written->module),
                   .run = std::numeric_limits<size_t>::max()});
  const auto counts = CountOnnxNodes(*source);
  return counts ? std::optional(counts->nodes) : std::nullopt;
}

void WriteReport(const ToolOptions& options, const Setup& setup, const Module& input,
                 const std::vector<ReportStep>& steps, std::vector<Remark> remarks, std::string finding,
                 std::optional<size_t> nodes, Reporter& reporter) {
  const auto before = nodes && input.source() != nullptr ? CountOnnxNodes(*input.source()) : std::nullopt;
  const std::string json = MakeReport(
      {.command = "relayopt" + FlagArguments(options, IsShownInReport) + " " + Quoted(options.input),
       .input_name = options.input,
       .pipeline = ToString(setup.pipeline),
       .input = input,
       .steps = steps,
       .remarks = std::move(remarks),
       .verdicts = setup.validation == nullptr ? std::vector<ValidationVerdict>() : setup.validation->verdicts(),
       .finding = std::move(finding),
       .nodes = before ? std::optional(std::pair(before->nodes, *nodes)) : std::nullopt});
  Write(options.report, options.report.ends_with(".json") ? json : ReportPage(json), reporter);
}

void CheckRemarkPatterns(const ToolOptions& options, Reporter& reporter) {
  const std::pair<const char*, const std::string*> given[] = {
      {"--pass-remarks", &options.pass_remarks},
      {"--pass-remarks-missed", &options.pass_remarks_missed},
      {"--pass-remarks-analysis", &options.pass_remarks_analysis},
      {"--pass-remarks-filter", &options.pass_remarks_filter},
  };
  for (const auto& [flag, text] : given) {
    if (!text->empty() && !Regex(*text).valid()) {
      reporter.Error(fmt::format("{}: '{}' is not a regular expression", flag, *text));
    }
  }
}

void RemarkReport::Collect(RemarkLog& log, const SourceText* source, DiagnosticSink& sink) {
  // In the order of RemarkKind; an empty pattern shows nothing.
  const std::string* shown[] = {&options_->pass_remarks, &options_->pass_remarks_missed,
                                &options_->pass_remarks_analysis};
  const Regex patterns[] = {Regex(*shown[0]), Regex(*shown[1]), Regex(*shown[2])};
  const Regex filter(options_->pass_remarks_filter.empty() ? "." : options_->pass_remarks_filter);
  const std::vector<Remark> remarks = log.Take();
  RemarkCounts counts = CountWithoutPlace(remarks);
  for (const Remark& remark : remarks) {
    const auto kind = static_cast<size_t>(remark.kind);
    if (!shown[kind]->empty() && patterns[kind].Matches(remark.pass)) {
      if (remark.range.valid()) {
        sink.Report(DiagnosticOf(remark.kind), remark.range, remark.pass, remark.message());
      } else if (const size_t times = std::exchange(counts[KeyOf(remark)], 0); times != 0) {
        const std::string often = times == 1 ? "" : fmt::format("{} times: ", times);
        sink.Report(DiagnosticOf(remark.kind), remark.range, remark.pass, often + remark.message());
      }
    }
    if (remark.pass == "AnnotateTarget" && remark.kind == RemarkKind::kMissed) ++reasons_[remark.message()];
    if (!options_->report.empty()) reported_.push_back(remark);
    if (!options_->pass_remarks_output.empty() && filter.Matches(remark.pass)) yaml_ += ToYaml(remark, source);
  }
}

void RemarkReport::AddOffload(const Module& module) {
  if (options_->offload_report.empty()) return;
  OffloadReport report = ReportOffload(module);
  report.reasons = std::exchange(reasons_, {});
  offload_ += options_->offload_report == "json" ? ToJson(report) : ToText(report);
}

void WriteReports(const ToolOptions& options, const Setup& setup, const std::string& tables, const std::string& remarks,
                  Reporter& reporter) {
  std::string info;
  if (!options.time_passes.empty()) info += setup.timing->RenderTable(TimingRows(options.time_passes));
  if (options.stats == "text") info += setup.statistics->Render();
  if (options.stats == "json") info += setup.statistics->RenderJson();
  info += tables;
  if (options.print_debug_counter) info += DebugCounterText(*setup.context);
  WriteInfo(options, info, reporter);
  if (!options.stats_json.empty()) Write(options.stats_json, setup.statistics->RenderJson(), reporter);
  if (!options.time_passes_json.empty()) Write(options.time_passes_json, setup.timing->RenderJson(), reporter);
  if (!options.time_trace.empty()) {
    const std::chrono::microseconds granularity(options.time_trace_granularity);
    Write(options.time_trace, setup.timing->RenderTrace(granularity), reporter);
  }
  if (!options.pass_remarks_output.empty()) Write(options.pass_remarks_output, remarks, reporter);
}

}  // namespace relayopt
