#include "features.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/intrinsics.h"
#include "relayopt/driver/session.h"
#include "relayopt/module/print.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/text/module_diff.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/support/characters.h"

namespace relayopt {
namespace {

using Json = nlohmann::json;

constexpr DiagnosticKind kCannotRename = {"lsp-rename", Severity::kError, "{}"};
constexpr DiagnosticKind kCannotFormat = {"lsp-format", Severity::kError, "{}"};
constexpr DiagnosticKind kCannotRun = {"lsp-run", Severity::kError, "{}"};

auto IsWordChar(char c) -> bool { return IsNameCharacter(c) || c == '.'; }

// Returns the word with dots around an offset.
auto WordAt(std::string_view text, size_t offset) -> SourceRange {
  size_t begin = offset;
  size_t end = offset;
  while (begin > 0 && IsWordChar(text[begin - 1])) --begin;
  while (end < text.size() && IsWordChar(text[end])) ++end;
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

auto TextOf(const Document& document, SourceRange range) -> std::string_view {
  return document.text().substr(range.begin, range.end - range.begin);
}

auto Location(const Document& document, SourceRange range) -> Json {
  return {{"uri", document.uri()}, {"range", document.RangeOf(range)}};
}

auto CodeBlock(std::string_view code) -> std::string { return fmt::format("```relay\n{}\n```\n", code); }

// Returns the innermost typed expression of Relay at an offset, as (type, range); an invalid type if there is none.
auto TypeAt(const Document& document, size_t offset) -> std::pair<std::string, SourceRange> {
  std::pair<std::string, SourceRange> found;
  const Module* const module = document.module();
  if (module == nullptr) return found;
  for (const GlobalId id : module->SortedFunctions<Function>()) {
    const Function& function = *module->function<Function>(id);
    for (const ExprId expr : function.ids()) {
      const SourceRange range = function.range(expr);
      if (!range.valid() || offset < range.begin || offset > range.end || !function.type(expr)) continue;
      const bool is_smaller = !found.second.valid() || range.end - range.begin <= found.second.end - found.second.begin;
      if (is_smaller) found = {TypeToString(module->context(), function.type(expr)), range};
    }
  }
  return found;
}

auto OperatorHover(const OpDef& op) -> std::string {
  std::string text = CodeBlock(fmt::format("{}({})", op.name, op.inputs)) + std::string(op.doc) + "\n";
  if (op.attrs == nullptr) return text;
  for (const FieldInfo& field : op.attrs->fields) {
    text += fmt::format("\n- `{}`{}{}", field.name, field.required ? " (required)" : "",
                        field.doc.empty() ? "" : ": " + std::string(field.doc));
  }
  return text + "\n";
}

// Documentation of a word from relayopt's tables; empty if it is in none.
auto DocumentationOf(std::string_view word, bool is_script) -> std::string {
  if (is_script && word.starts_with("T.")) {
    if (const auto* const row = arith::FindPrintedIntrinsic(word.substr(2))) {
      return fmt::format("```python\nT.{}{}\n```\n{}\n", row->printed, row->arguments, row->doc);
    }
  }
  if (const OpDef* const op = FindOp(word)) return OperatorHover(*op);
  if (const PassDef* const pass = FindPass(word)) return fmt::format("**{}**: {}\n", pass->name, pass->summary);
  return {};
}

}  // namespace

auto DiagnosticsOf(const Document& document) -> Json {
  Json all = Json::array();
  for (const Diagnostic& each : document.diagnostics()) {
    std::string text = each.text;
    Json related = Json::array();
    for (const DiagnosticNote& note : each.notes) {
      if (note.range.valid())
        related.push_back({{"location", Location(document, note.range)}, {"message", note.text}});
      else
        text += "\n" + note.text;
    }
    constexpr int kError = 1;
    constexpr int kWarning = 2;
    constexpr int kInformation = 3;
    const Severity severity = each.kind->severity;
    all.push_back({{"range", document.RangeOf(each.range)},
                   {"severity", severity == Severity::kError     ? kError
                                : severity == Severity::kWarning ? kWarning
                                                                 : kInformation},
                   {"code", each.kind->id},
                   {"source", "relayopt"},
                   {"message", Printable(text)},
                   {"relatedInformation", related}});
  }
  return all;
}

auto Hover(const Document& document, size_t offset) -> Json {
  SourceRange range = WordAt(document.text(), offset);
  std::string text = DocumentationOf(TextOf(document, range), document.is_script());
  const NameUse* const use = document.names().At(offset);
  if (use != nullptr) range = use->range;
  const auto [type, place] = TypeAt(document, offset);
  if (!type.empty()) {
    if (use == nullptr && text.empty()) range = place;
    text = CodeBlock((use != nullptr ? std::string(TextOf(document, use->range)) + ": " : "") + type) + text;
  } else if (use != nullptr && use->definition != NameUse::kUndefined) {
    const SourceRange defined = document.names().definitions[use->definition].range;
    const LineColumn at = document.source()->Position(defined.begin);
    text +=
        fmt::format("```{}\n{}\n```\n", document.is_script() ? "python" : "relay", document.source()->Line(at.line));
  }
  if (text.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", text}}}, {"range", document.RangeOf(range)}};
}

auto Definition(const Document& document, size_t offset) -> Json {
  const NameUse* const use = document.names().At(offset);
  if (use == nullptr || use->definition == NameUse::kUndefined) return nullptr;
  return Location(document, document.names().definitions[use->definition].range);
}

auto References(const Document& document, size_t offset, bool with_definition) -> Json {
  Json all = Json::array();
  const NameUse* const at = document.names().At(offset);
  if (at == nullptr || at->definition == NameUse::kUndefined) return all;
  const SourceRange defined = document.names().definitions[at->definition].range;
  for (const NameUse& use : document.names().uses) {
    if (use.definition == at->definition && (with_definition || use.range != defined)) {
      all.push_back(Location(document, use.range));
    }
  }
  return all;
}

auto Rename(const Document& document, size_t offset, std::string_view name) -> Result<Json> {
  const NameUse* const at = document.names().At(offset);
  if (at == nullptr || at->definition == NameUse::kUndefined) {
    return MakeDiagnostic(kCannotRename, {}, "there is no name here that the text defines");
  }
  const NameDefinition& definition = document.names().definitions[at->definition];
  if (definition.kind == NameKind::kTemporary) {
    return MakeDiagnostic(kCannotRename, {}, "a temporary is numbered and has no name");
  }
  const std::string_view old = TextOf(document, definition.range);
  const bool has_sigil = old.starts_with('%') || old.starts_with('@');
  if (has_sigil && name.starts_with(old[0])) name.remove_prefix(1);
  const bool is_word = !name.empty() &&
                       std::ranges::all_of(name, [&](char c) { return IsWordChar(c) && (c != '.' || has_sigil); }) &&
                       (name[0] < '0' || name[0] > '9') && name[0] != '.';
  if (!is_word) return MakeDiagnostic(kCannotRename, {}, fmt::format("'{}' cannot be a name", name));
  const std::string text = (has_sigil ? std::string(1, old[0]) : std::string()) + std::string(name);
  const bool is_taken = std::ranges::any_of(
      document.names().definitions, [&](const NameDefinition& other) { return TextOf(document, other.range) == text; });
  if (is_taken && text != old) return MakeDiagnostic(kCannotRename, {}, fmt::format("{} is defined already", text));
  Json edits = Json::array();
  for (const NameUse& use : document.names().uses) {
    if (use.definition == at->definition) edits.push_back({{"range", document.RangeOf(use.range)}, {"newText", text}});
  }
  return Json{{"changes", {{document.uri(), edits}}}};
}

auto Symbols(const Document& document) -> Json {
  constexpr int kClass = 5;
  constexpr int kFunction = 12;
  Json all = Json::array();
  for (const NameDefinition& definition : document.names().definitions) {
    if (definition.kind != NameKind::kFunction && definition.kind != NameKind::kTypeName) continue;
    all.push_back({{"name", TextOf(document, definition.range)},
                   {"kind", definition.kind == NameKind::kFunction ? kFunction : kClass},
                   {"range", document.RangeOf(definition.body)},
                   {"selectionRange", document.RangeOf(definition.range)}});
  }
  return all;
}

namespace {

constexpr int kFunctionItem = 3;
constexpr int kVariableItem = 6;
constexpr int kPropertyItem = 10;

// Returns the operator of the innermost call that is open at an offset, or null.
auto OpenCall(std::string_view text, size_t offset) -> const OpDef* {
  int depth = 0;
  for (size_t at = offset; at > 0; --at) {
    const char c = text[at - 1];
    if (c == '{' || c == '}' || c == ';') return nullptr;
    if (c == ')') ++depth;
    if (c == '(' && --depth < 0) {
      const SourceRange word = WordAt(text, at - 1);
      return FindOp(text.substr(word.begin, word.end - word.begin));
    }
  }
  return nullptr;
}

void AddNames(const Document& document, size_t offset, Json& items) {
  absl::flat_hash_set<std::string_view> seen;
  for (const NameDefinition& definition : document.names().definitions) {
    const std::string_view name = TextOf(document, definition.range);
    const bool is_function = definition.kind == NameKind::kFunction;
    if ((!is_function && definition.range.begin >= offset) || !seen.insert(name).second) continue;
    items.push_back({{"label", name}, {"kind", is_function ? kFunctionItem : kVariableItem}});
  }
}

}  // namespace

auto Complete(const Document& document, size_t offset) -> Json {
  const std::string_view text = document.text();
  const SourceRange word = WordAt(text, offset);
  const std::string_view prefix = text.substr(word.begin, offset - word.begin);
  const char before = word.begin > 0 ? text[word.begin - 1] : ' ';
  Json items = Json::array();
  // Each item replaces the word that is being typed, whatever an editor takes for a word.
  const auto add = [&](std::string_view label, int kind, std::string_view detail, std::string_view doc, size_t from) {
    if (!label.starts_with(text.substr(from, offset - from))) return;
    const SourceRange range = {static_cast<uint32_t>(from), static_cast<uint32_t>(offset)};
    items.push_back({{"label", label},
                     {"kind", kind},
                     {"detail", detail},
                     {"documentation", doc},
                     {"textEdit", {{"range", document.RangeOf(range)}, {"newText", label}}}});
  };
  if (document.is_script()) {
    if (prefix.starts_with("T.")) {
      for (const arith::IntrinsicRow& row : arith::Intrinsics()) {
        if (!row.printed.empty())
          add(fmt::format("T.{}", row.printed), kFunctionItem, row.arguments, row.doc, word.begin);
      }
    } else {
      AddNames(document, offset, items);
    }
    return items;
  }
  if (before == '%' || before == '@') {
    Json names = Json::array();
    AddNames(document, offset, names);
    for (const Json& each : names) {
      if (const auto label = each.at("label").get<std::string>(); label[0] == before) {
        add(label, each.at("kind").get<int>(), "", "", word.begin - 1);
      }
    }
    return items;
  }
  if (const OpDef* const op = OpenCall(text, word.begin); op != nullptr && op->attrs != nullptr) {
    for (const FieldInfo& field : op->attrs->fields)
      add(std::string(field.name) + "=", kPropertyItem, op->name, field.doc, word.begin);
  }
  for (const OpDef* const op : AllOps())
    add(op->name, kFunctionItem, fmt::format("({})", op->inputs), op->doc, word.begin);
  return items;
}

namespace {

// Whether a text has comments that printing the module would lose.
auto HasComments(const Document& document) -> bool {
  const std::string_view text = document.text();
  if (document.is_script()) return text.find('#') != std::string_view::npos;
  if (text.find("//") != std::string_view::npos) return true;
  for (size_t at = text.find("/*"); at != std::string_view::npos; at = text.find("/*", at + 2)) {
    const std::string_view comment = text.substr(at, 8);
    if (!comment.starts_with("/* ty=") && comment != "/* span=") return true;
  }
  return false;
}

}  // namespace

auto Format(const Document& document) -> Result<Json> {
  if (document.untyped() == nullptr) return Json();
  if (HasComments(document))
    return MakeDiagnostic(kCannotFormat, {}, "the text has comments, which formatting would remove");
  const bool has_types = document.text().find("/* ty=") != std::string_view::npos;
  PrintOptions options;
  options.types = has_types ? TypePrinting::kAll : TypePrinting::kNone;
  options.spans = document.text().find("span=") != std::string_view::npos;
  const Module& module = has_types && document.module() != nullptr ? *document.module() : *document.untyped();
  return Json::array({{{"range", document.WholeRange()}, {"newText", PrintModule(module, options)}}});
}

auto InlayHints(const Document& document, size_t begin, size_t end) -> Json {
  Json hints = Json::array();
  const Module* const module = document.module();
  if (module == nullptr || document.is_script()) return hints;
  // The types of the values by where they begin: the longest expression there is the value as a whole.
  absl::flat_hash_map<uint32_t, std::pair<uint32_t, TypeId>> types;
  for (const GlobalId id : module->SortedFunctions<Function>()) {
    const Function& function = *module->function<Function>(id);
    for (const ExprId expr : function.ids()) {
      const SourceRange range = function.range(expr);
      if (!range.valid() || !function.type(expr)) continue;
      auto& [length, type] = types[range.begin];
      if (range.end - range.begin >= length)
        std::tie(length, type) = std::pair(range.end - range.begin, function.type(expr));
    }
  }
  for (const NameDefinition& definition : document.names().definitions) {
    const bool has_value = definition.kind == NameKind::kTemporary || definition.kind == NameKind::kVariable;
    if (!has_value || definition.range.begin < begin || definition.range.begin > end) continue;
    const size_t equals = document.text().find_first_not_of(' ', definition.range.end);
    if (equals == std::string_view::npos || document.text()[equals] != '=') continue;
    const size_t value = document.text().find_first_not_of(" \n", equals + 1);
    const auto found = types.find(static_cast<uint32_t>(value));
    if (found == types.end()) continue;
    constexpr int kTypeHint = 1;
    hints.push_back({{"position", document.PositionOf(definition.range.end)},
                     {"label", ": " + TypeToString(module->context(), found->second.second)},
                     {"kind", kTypeHint}});
  }
  return hints;
}

auto CodeActions(const Document& document) -> Json {
  std::vector<std::string> pipelines;
  // The author of a test wants to see what the test runs.
  static const std::regex run_line(R"(RUN:.*--passes=(?:'([^']*)'|(\S+)))");
  const std::string head(document.text().substr(0, 4096));
  std::smatch match;
  if (std::regex_search(head, match, run_line)) pipelines.push_back(match[1].matched ? match[1].str() : match[2].str());
  static constexpr const char* kScriptPipelines[] = {"tir.Simplify", "default<tir>"};
  static constexpr const char* kRelayPipelines[] = {"DeadCodeElimination,EliminateCommonSubexpr,FoldConstant",
                                                    "default<O3>"};
  for (const char* const each : document.is_script() ? kScriptPipelines : kRelayPipelines) pipelines.emplace_back(each);
  Json all = Json::array();
  for (const std::string& pipeline : pipelines) {
    const std::string title = "Run " + pipeline + " and show the difference";
    all.push_back(
        {{"title", title},
         {"kind", "source.relayopt"},
         {"command", {{"title", title}, {"command", kRunPipelineCommand}, {"arguments", {document.uri(), pipeline}}}}});
  }
  return all;
}

auto RunPipeline(const Document& document, const std::string& pipeline) -> Result<Json> {
  if (document.module() == nullptr) return MakeDiagnostic(kCannotRun, {}, "the text has errors");
  Session session;
  Module module = *document.module();
  if (!session.Run(module, pipeline)) {
    std::string why;
    for (const DiagnosticRecord& record : session.diagnostics()) why += (why.empty() ? "" : "\n") + record.text;
    return MakeDiagnostic(kCannotRun, {}, why);
  }
  return Json{{"text", session.Print(module)}, {"difference", ToText(DiffModules(*document.module(), module))}};
}

}  // namespace relayopt
