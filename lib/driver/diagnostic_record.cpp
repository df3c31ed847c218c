// Messages as JSON and as SARIF.
#include "relayopt/driver/diagnostic_record.h"

#include <fmt/format.h>

#include "relayopt/support/json.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/severity.h"

namespace relayopt {

namespace {

using Json = OrderedJson;

void SetPlace(DiagnosticRecord& record, SourceRange range, const SourceText* source) {
  if (source == nullptr) return;
  record.file = source->name();
  if (!range.valid()) return;
  record.begin = source->Position(range.begin);
  record.end = source->Position(std::max(range.begin, range.end));
}

auto RecordJson(const DiagnosticRecord& record) -> Json {
  Json json = {{"severity", Name(record.severity)}};
  if (!record.id.empty()) json["id"] = record.id;
  json["text"] = record.text;
  if (!record.file.empty()) json["file"] = record.file;
  if (record.begin.line != 0) {
    json["line"] = record.begin.line;
    json["column"] = record.begin.column;
    json["end_line"] = record.end.line;
    json["end_column"] = record.end.column;
  }
  return json;
}

auto ParseRecord(const Json& json) -> DiagnosticRecord {
  DiagnosticRecord record{
      Severity::kError, json.value("id", ""), json.value("text", ""), json.value("file", ""), {}, {}, {}};
  const std::string severity = json.value("severity", "");
  for (const Severity each : {Severity::kNote, Severity::kRemark, Severity::kWarning}) {
    if (severity == Name(each)) record.severity = each;
  }
  record.begin = {json.value("line", 0U), json.value("column", 0U)};
  record.end = {json.value("end_line", 0U), json.value("end_column", 0U)};
  for (const Json& note : json.value("notes", Json::array())) record.notes.push_back(ParseRecord(note));
  return record;
}

auto SarifLocation(const DiagnosticRecord& record) -> Json {
  Json physical = {{"artifactLocation", {{"uri", record.file}}}};
  if (record.begin.line != 0) {
    physical["region"] = {{"startLine", record.begin.line},
                          {"startColumn", record.begin.column},
                          {"endLine", record.end.line},
                          {"endColumn", record.end.column}};
  }
  return {{"physicalLocation", std::move(physical)}};
}

// Texts may contain arbitrary bytes of the input; bytes that are not UTF-8 are replaced.
auto Dump(const Json& json) -> std::string { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

auto MakeRecord(const Diagnostic& diagnostic, const SourceText* source) -> DiagnosticRecord {
  DiagnosticRecord record{
      diagnostic.kind->severity, std::string(diagnostic.kind->id), Printable(diagnostic.text), "", {}, {}, {}};
  record.begin = record.end = {0, 0};
  SetPlace(record, diagnostic.range, source);
  for (const DiagnosticNote& note : diagnostic.notes) {
    DiagnosticRecord below{Severity::kNote, "", Printable(note.text), "", {0, 0}, {0, 0}, {}};
    SetPlace(below, note.range, source);
    record.notes.push_back(std::move(below));
  }
  return record;
}

auto ToText(const DiagnosticRecord& record) -> std::string {
  std::string out;
  if (!record.file.empty()) out += fmt::format("{}:", Printable(record.file));
  if (record.begin.line != 0) out += fmt::format("{}:{}:", record.begin.line, record.begin.column);
  out += fmt::format("{}{}: {}", out.empty() ? "" : " ", Name(record.severity), record.text);
  if (!record.id.empty()) out += fmt::format(" [{}]", record.id);
  out += '\n';
  for (const DiagnosticRecord& note : record.notes) out += ToText(note);
  return out;
}

auto ToJson(const std::vector<DiagnosticRecord>& records) -> std::string {
  Json list = Json::array();
  for (const DiagnosticRecord& record : records) {
    Json json = RecordJson(record);
    json["notes"] = Json::array();
    for (const DiagnosticRecord& note : record.notes) json["notes"].push_back(RecordJson(note));
    list.push_back(std::move(json));
  }
  return Dump({{"version", 1}, {"diagnostics", std::move(list)}});
}

auto ParseRecords(std::string_view json) -> std::optional<std::vector<DiagnosticRecord>> {
  const Json document = ParseJson(json);
  if (!document.is_object() || !document.contains("diagnostics")) return std::nullopt;
  return MapToVector<DiagnosticRecord>(document["diagnostics"],
                                       [&](const Json& record) { return ParseRecord(record); });
}

auto ToSarif(const std::vector<DiagnosticRecord>& records) -> std::string {
  Json results = Json::array();
  for (const DiagnosticRecord& record : records) {
    // SARIF has no remarks.
    const bool is_level = record.severity == Severity::kError || record.severity == Severity::kWarning;
    Json result = Json::object();
    if (!record.id.empty()) result["ruleId"] = record.id;
    result["level"] = is_level ? Name(record.severity) : "note";
    result["message"] = {{"text", record.text}};
    if (!record.file.empty()) result["locations"] = Json::array({SarifLocation(record)});
    for (const DiagnosticRecord& note : record.notes) {
      Json related = note.file.empty() ? Json::object() : SarifLocation(note);
      related["message"] = {{"text", note.text}};
      result["relatedLocations"].push_back(std::move(related));
    }
    results.push_back(std::move(result));
  }
  const Json driver = {{"name", "relayopt"}, {"version", RELAYOPT_VERSION}};
  const Json run = {{"tool", {{"driver", driver}}}, {"results", std::move(results)}};
  return Dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", Json::array({run})}});
}

}  // namespace relayopt
