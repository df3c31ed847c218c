// Writes reports.
#include "reports.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>

#include "answers.h"
#include "flags.h"
#include "output.h"
#include "regex.h"
#include "relayopt/convert/format.h"
#include "relayopt/convert/onnx/interface.h"
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
  if (!ReportOptionsOf(options).info_output_file.empty())
    return Write(ReportOptionsOf(options).info_output_file, text, reporter);
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

auto RecordsRuns(const ToolOptions& options) -> bool {
  const AnswerDef* answer = WantedAnswer(options);
  return !options.report.empty() || (answer != nullptr && answer->records_runs);
}

auto WantsRemarks(const ToolOptions& options) -> bool {
  return !ReportOptionsOf(options).pass_remarks.empty() || !ReportOptionsOf(options).pass_remarks_missed.empty() ||
         !ReportOptionsOf(options).pass_remarks_analysis.empty() ||
         !ReportOptionsOf(options).pass_remarks_output.empty() || !ReportOptionsOf(options).offload_report.empty() ||
         RecordsRuns(options);
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
  SessionOptions options{.input_format = "onnx"};
  OnnxOptions& onnx = options.imports.formats.Edit<OnnxOptions>();
  onnx.exact = true;
  onnx.keep = true;
  // Only modules of one context are aligned. The context keeps the interface of the model that was read first; nodes of
  // this model may have the same names.
  options.imports.context = module.shared_context();
  auto& interface = module.context().Part<OnnxInterface>();
  OnnxInterface::State state = interface.Exchange({});
  Session session(std::move(options));
  std::optional<ImportedModule> written = session.Import(source, problems);
  interface.Exchange(std::move(state));
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
      {"--pass-remarks", &ReportOptionsOf(options).pass_remarks},
      {"--pass-remarks-missed", &ReportOptionsOf(options).pass_remarks_missed},
      {"--pass-remarks-analysis", &ReportOptionsOf(options).pass_remarks_analysis},
      {"--pass-remarks-filter", &ReportOptionsOf(options).pass_remarks_filter},
  };
  for (const auto& [flag, text] : given) {
    const std::string fault = text->empty() ? "" : Regex(*text).fault();
    if (!fault.empty()) reporter.Error(fmt::format("{}: '{}' {}", flag, *text, fault));
  }
}

void RemarkReport::Collect(RemarkLog& log, const SourceText* source, DiagnosticSink& sink) {
  // In the order of RemarkKind; an empty pattern shows nothing.
  const std::string* shown[] = {&ReportOptionsOf(*options_).pass_remarks,
                                &ReportOptionsOf(*options_).pass_remarks_missed,
                                &ReportOptionsOf(*options_).pass_remarks_analysis};
  const Regex patterns[] = {Regex(*shown[0]), Regex(*shown[1]), Regex(*shown[2])};
  const Regex filter(
      ReportOptionsOf(*options_).pass_remarks_filter.empty() ? "." : ReportOptionsOf(*options_).pass_remarks_filter);
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
    if (!ReportOptionsOf(*options_).pass_remarks_output.empty() && filter.Matches(remark.pass))
      yaml_ += ToYaml(remark, source);
  }
}

void RemarkReport::AddOffload(const Module& module) {
  if (ReportOptionsOf(*options_).offload_report.empty()) return;
  OffloadReport report = ReportOffload(module);
  report.reasons = std::exchange(reasons_, {});
  offload_ += ReportOptionsOf(*options_).offload_report == "json" ? ToJson(report) : ToText(report);
}

void WriteReports(const ToolOptions& options, const Setup& setup, const std::string& tables, const std::string& remarks,
                  Reporter& reporter) {
  std::string info;
  if (!ReportOptionsOf(options).time_passes.empty())
    info += setup.timing->RenderTable(TimingRows(ReportOptionsOf(options).time_passes));
  if (ReportOptionsOf(options).stats == "text") info += setup.statistics->Render();
  if (ReportOptionsOf(options).stats == "json") info += setup.statistics->RenderJson();
  info += tables;
  if (options.print_debug_counter) info += DebugCounterText(*setup.context);
  WriteInfo(options, info, reporter);
  if (!ReportOptionsOf(options).stats_json.empty())
    Write(ReportOptionsOf(options).stats_json, setup.statistics->RenderJson(), reporter);
  if (!ReportOptionsOf(options).time_passes_json.empty())
    Write(ReportOptionsOf(options).time_passes_json, setup.timing->RenderJson(), reporter);
  if (!ReportOptionsOf(options).time_trace.empty()) {
    const std::chrono::microseconds granularity(ReportOptionsOf(options).time_trace_granularity);
    Write(ReportOptionsOf(options).time_trace, setup.timing->RenderTrace(granularity), reporter);
  }
  if (!ReportOptionsOf(options).pass_remarks_output.empty())
    Write(ReportOptionsOf(options).pass_remarks_output, remarks, reporter);
}

namespace flag_rows {

constexpr FlagDef kReportFlags[] = {
    {RELAYOPT_FIELD(ReportOptions::time_passes), .name = "time-passes", .group = kReports, .value = "list|per-run",
     .help = "time and memory of passes: as a tree, as a list, or for each run", .words = "tree list per-run",
     .bare = "tree", .synonyms = "timing", .role = kOneRun, .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::time_passes_json), .name = "time-passes-json", .group = kReports, .value = "FILE",
     .kind = kOutFile, .help = "write the same as JSON, in nanoseconds", .role = kOneRun, .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::stats), .name = "stats", .group = kReports, .value = "json",
     .help = "show the statistics that passes collect", .words = "text json", .bare = "text",
     .synonyms = "pass-statistics", .role = kOneRun, .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::offload_report), .name = "offload-report", .group = kReports, .value = "json",
     .help = "show what runs on external compilers, and what does not and why", .words = "text json", .bare = "text",
     .rare = true, .role = kOneRun, .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::pass_remarks), .name = "pass-remarks", .group = kReports, .value = "REGEX",
     .help = "show what passes did, for passes that match REGEX", .bare = ".", .role = kOneRun, .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::pass_remarks_output), .name = "pass-remarks-output", .group = kReports,
     .value = "FILE", .kind = kOutFile, .help = "write all remarks as YAML", .role = kOneRun, .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::pass_remarks_missed), .name = "pass-remarks-missed", .group = kReports,
     .value = "REGEX", .help = "show what passes could not do", .bare = ".", .rare = true, .role = kOneRun,
     .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::pass_remarks_analysis), .name = "pass-remarks-analysis", .group = kReports,
     .value = "REGEX", .help = "show why passes acted or did not", .bare = ".", .rare = true, .role = kOneRun,
     .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::pass_remarks_filter), .name = "pass-remarks-filter", .group = kReports,
     .value = "REGEX", .help = "write only remarks of passes that match", .needs = "pass-remarks-output", .rare = true,
     .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::stats_json), .name = "stats-json", .group = kReports, .value = "FILE",
     .kind = kOutFile, .help = "write statistics as JSON", .rare = true, .role = kOneRun, .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::time_trace), .name = "time-trace", .group = kReports, .value = "FILE",
     .kind = kOutFile, .help = "write the times for chrome://tracing and Perfetto", .bare = "out.time-trace",
     .synonyms = "time-trace-file", .rare = true, .role = kOneRun, .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::time_trace_granularity), .name = "time-trace-granularity", .group = kReports,
     .value = "MICROSECONDS", .help = "leave out shorter events", .needs = "time-trace", .rare = true, .effect = kNone},
    {RELAYOPT_FIELD(ReportOptions::info_output_file), .name = "info-output-file", .group = kReports, .value = "FILE",
     .kind = kOutFile, .help = "file for --stats and --time-passes, instead of stderr",
     .needs = "stats time-passes mem-report print-debug-counter", .rare = true, .effect = kNone},
};

}  // namespace flag_rows

auto ReportFlags() -> std::span<const FlagDef> { return FlagRows(flag_rows::kReportFlags); }

}  // namespace relayopt
