// Checks around the passes.
#include "checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "relayopt/check/round_trip.h"
#include "relayopt/convert/module_text.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoRoundTrip = {"no-round-trip", Severity::kError,
                                         "the module {} does not read back as itself: line {} "
                                         "'{}' becomes '{}'"};
constexpr DiagnosticKind kNoFunctionsOfKind = {
    "no-functions-of-kind", Severity::kWarning,
    "the pipeline works on functions of kind {}, and the module has none: those it has are of kind {}{}"};
constexpr DiagnosticKind kUnknownFunction = {"unknown-function", Severity::kError, "{}: there is no function '{}'{}"};

// The first line in which two texts differ.
struct Difference {
  size_t line;
  std::string_view before;
  std::string_view after;
};

auto FindDifference(std::string_view before, std::string_view after) -> Difference {
  for (size_t line = 1;; ++line) {
    const std::string_view a = before.substr(0, before.find('\n'));
    const std::string_view b = after.substr(0, after.find('\n'));
    if (a != b) return {line, a, b};
    before.remove_prefix(std::min(a.size() + 1, before.size()));
    after.remove_prefix(std::min(b.size() + 1, after.size()));
  }
}

auto NamesOf(const Module& module) -> std::vector<std::string_view> {
  return MapToVector<std::string_view>(module.SortedFunctions(), [&](GlobalId id) { return module.name(id); });
}

// The kinds of functions that the function passes of a pipeline are over.
void AddKinds(const Pipeline& pipeline, std::vector<const FunctionKind*>& kinds) {
  for (const PipelineElement& element : pipeline) {
    const FunctionKind* kind = element.def != nullptr ? element.def->functions : nullptr;
    if (kind != nullptr && std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    AddKinds(element.children, kinds);
    if (element.named == nullptr) continue;
    if (const Result<Pipeline> expanded = ParsePipeline(Expansion(element))) AddKinds(*expanded, kinds);
  }
}

// Returns the kinds by name, as people list them.
auto KindNames(std::span<const FunctionKind* const> kinds) -> std::string {
  auto names = MapToVector<std::string_view>(kinds, &FunctionKind::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

auto CheckRoundTrip(const Module& module, const ToolOptions& options, const char* when, Reporter& reporter) -> bool {
  const PrintOptions print = {.spans = true};
  ReadOptions read;
  read.allow_unregistered_ops = options.allow_unregistered_ops;
  const bool has_programs = module.Has(tir::PrimFunc::kFunctionKind);
  const auto context = has_programs ? module.shared_context() : nullptr;
  Module printed = module;
  std::string text = PrintModule(printed, print);
  for (int round = 0; round < (has_programs ? kRoundTrips : 1); ++round) {
    const auto source = SourceText::FromString(fmt::format("(the module {})", when), text);
    DiagnosticSink sink;
    std::optional<Module> again = ReadModuleText(source, sink, read, context);
    if (!again || !InferTypes(*again, sink)) {
      reporter.Report(sink, source.get());
      return false;
    }
    std::string second = PrintModule(*again, print);
    if (second == text || (has_programs && AreSameFunctions(printed, *again))) return true;
    printed = *std::move(again);
    std::swap(text, second);
    if (round + 1 < (has_programs ? kRoundTrips : 1)) continue;
    const Difference difference = FindDifference(second, text);
    reporter.Report(MakeDiagnostic(kNoRoundTrip, {}, when, difference.line, difference.before, difference.after),
                    nullptr);
  }
  return false;
}

void CheckFunctionNames(const char* flag, const std::vector<std::string>& names, const Module& before,
                        const Module& after, DiagnosticSink& sink) {
  if (names.empty()) return;
  std::vector<std::string_view> known = NamesOf(before);
  const std::vector<std::string_view> made = NamesOf(after);
  known.insert(known.end(), made.begin(), made.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const std::string& name : names) {
    if (std::binary_search(known.begin(), known.end(), name)) continue;
    sink.Report(kUnknownFunction, {}, flag, name, DidYouMean(name, known));
  }
}

void CheckKindsOfFunctions(const Pipeline& pipeline, const Module& module, DiagnosticSink& sink) {
  std::vector<const FunctionKind*> wanted;
  AddKinds(pipeline, wanted);
  std::vector<const FunctionKind*> present;
  for (const FunctionKindDef* def : FunctionKinds()) {
    if (module.Has(*def->kind)) present.push_back(def->kind);
  }
  const auto is_present = [&](const FunctionKind* kind) {
    return std::find(present.begin(), present.end(), kind) != present.end();
  };
  if (wanted.empty() || present.empty() || std::any_of(wanted.begin(), wanted.end(), is_present)) return;
  const bool is_tir = present.size() == 1 && present.front() == &tir::PrimFunc::kFunctionKind;
  sink.Report(kNoFunctionsOfKind, {}, KindNames(wanted), KindNames(present),
              is_tir ? " (default<tir> is a pipeline for them)" : "");
}

void CheckRange(const PassRangeInstrument& range, Reporter& reporter) {
  for (const PassRangeInstrument::Point& point : range.Missing()) {
    reporter.Error(
        fmt::format("--start-before or --stop-after: the pipeline has no run {} of {}", point.run, point.name));
  }
}

auto CheckLinesOfText(std::string_view text, std::string_view prefix, std::string_view comment) -> std::string {
  std::string out;
  bool is_first = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      // Text that begins with an empty line cannot be checked.
      if (!is_first) out += fmt::format("{}{}-EMPTY:\n", comment, prefix);
      continue;
    }
    out += fmt::format("{}{}{}: ", comment, prefix, std::exchange(is_first, false) ? "" : "-NEXT");
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string_view pair = line.substr(i, 2);
      // Brackets in pairs mean something to FileCheck.
      const bool is_special = pair == "[[" || pair == "{{";
      out += !is_special ? std::string(1, line[i]) : pair == "[[" ? "{{\\[\\[}}" : "{{\\{\\{}}";
      if (is_special) ++i;
    }
    out += '\n';
  }
  return out;
}

}  // namespace relayopt
