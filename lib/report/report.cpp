// Makes the data of a report.
#include "relayopt/report/report.h"

#include <map>

#include "relayopt/relay/analysis/summary.h"
#include "versions.h"

namespace relayopt {

namespace {

using Json = ReportVersions::Json;

auto RemarkWord(RemarkKind kind) -> std::string_view {
  switch (kind) {
    case RemarkKind::kPassed: return "passed";
    case RemarkKind::kMissed: return "missed";
    case RemarkKind::kAnalysis: return "analysis";
  }
  return "";
}

auto VerdictWord(ValidationVerdict::Kind kind) -> std::string_view {
  switch (kind) {
    case ValidationVerdict::Kind::kExact: return "exact";
    case ValidationVerdict::Kind::kClose: return "close";
    case ValidationVerdict::Kind::kMismatch: return "mismatch";
    case ValidationVerdict::Kind::kSkipped: return "skipped";
  }
  return "";
}

// {operator: how many more}, with `kernels` for launches.
auto Effect(const ModelSummary& before, const ModelSummary& after) -> Json {
  Json effect = Json::object();
  const auto kernels = static_cast<int64_t>(after.total.kernels) - static_cast<int64_t>(before.total.kernels);
  if (kernels != 0) effect["kernels"] = kernels;
  for (const auto& [name, count] : AddedOperators(before, after)) effect[name] = count;
  return effect;
}

// The first remarks of each run of a pass, by number of the run.
auto RemarksByRun(const std::vector<Remark>& remarks, const SourceText* source) -> std::map<size_t, Json> {
  constexpr size_t kMost = 500;
  std::map<size_t, Json> by_run;
  for (const Remark& remark : remarks) {
    Json& list = by_run.try_emplace(remark.run, Json::array()).first->second;
    if (list.size() >= kMost) continue;
    Json entry = {{"kind", RemarkWord(remark.kind)}, {"function", "@" + remark.function}, {"text", remark.message()}};
    if (remark.range.valid() && source != nullptr) entry["line"] = source->Position(remark.range.begin).line;
    list.push_back(std::move(entry));
  }
  return by_run;
}

}  // namespace

auto MakeReport(const ReportRun& run) -> std::string {
  Json report = {{"version", 1},
                 {"tool", "relayopt"},
                 {"command", run.command},
                 {"input", run.input_name},
                 {"pipeline", run.pipeline}};
  if (!run.finding.empty()) report["finding"] = run.finding;
  if (run.nodes) report["nodes"] = {run.nodes->first, run.nodes->second};
  const Module& last = run.steps.empty() ? run.input : run.steps.back().after;
  ModelSummary summary = Summarize(run.input);
  report["summary"] = Json::parse(ToJson(summary, Summarize(last)));
  ReportVersions versions;
  size_t version = versions.Add(run.input);
  std::map<size_t, Json> remarks = RemarksByRun(run.remarks, run.input.source().get());
  std::map<size_t, const ValidationVerdict*> verdicts;
  for (const ValidationVerdict& verdict : run.verdicts) verdicts[verdict.number] = &verdict;
  Json passes = Json::array();
  for (size_t i = 0; i < run.steps.size(); ++i) {
    const ReportStep& step = run.steps[i];
    Json entry = {{"name", step.pass},
                  {"number", step.number},
                  {"ms", static_cast<double>(step.time.count()) / 1e6},
                  {"before", version}};
    if (step.changed) {
      version = versions.Add(step.after);
      ModelSummary now = Summarize(step.after);
      if (Json effect = Effect(summary, now); !effect.empty()) entry["effect"] = std::move(effect);
      summary = std::move(now);
    }
    entry["after"] = version;
    if (!step.error.empty()) entry["error"] = step.error;
    // Verdicts count completed runs; a failed run is not completed.
    if (const auto verdict = verdicts.find(step.number); verdict != verdicts.end()) {
      entry["verdict"] = {{"kind", VerdictWord(verdict->second->kind)}, {"text", verdict->second->text}};
      if (const auto& parts = verdict->second->divergence) {
        const Module& before = i == 0 ? run.input : run.steps[i - 1].after;
        entry["verdict"]["parts"] = {{"text", ToText(*parts, before)},
                                     {"before", versions.PlaceOf(entry["before"], parts->function, parts->before)},
                                     {"after", versions.PlaceOf(version, parts->function, parts->after)}};
      }
    }
    if (const auto list = remarks.find(step.run); list != remarks.end()) entry["remarks"] = list->second;
    passes.push_back(std::move(entry));
  }
  report["passes"] = std::move(passes);
  versions.AddTo(report);
  return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace relayopt
