// The table of options, and how the value of each type is written.
#include "flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "answers.h"
#include "assertions.h"
#include "relayopt/convert/format.h"
#include "relayopt/pass/option_checks.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace flag_rows {

auto CheckReport(std::string_view path) -> std::string {
  if (path.ends_with(".html") || path.ends_with(".htm") || path.ends_with(".json")) return "";
  return fmt::format("'{}' does not end with .html (a page) or .json (its data)", Printable(path));
}

auto CheckValidate(std::string_view text) -> std::string {
  if (ParseNumber<uint64_t>(text).value_or(0) > 0) return "";
  return fmt::format("'{}' is none of changed, each, final, strict, nor a number of sets of arguments{}",
                     Printable(text), DidYouMean(text, {"changed", "each", "final", "strict"}));
}

auto CheckLevel(std::string_view text) -> std::string {
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '4') return "";
  const bool is_size = text == "s" || text == "z";
  return fmt::format("'{}' is not a level: -O0 to -O4 are TVM's{}", Printable(text),
                     is_size ? ", and none is for size" : "");
}

auto CheckTargetText(std::string_view text) -> std::string {
  const auto fault = CheckTarget(std::string(text));
  return fault ? fmt::format("'{}' is not a target{}", Printable(text), fault->more) : "";
}

auto CheckAssertion(std::string_view text) -> std::string { return relayopt::CheckAssertion(text); }

constexpr FlagDef kFlags[] = {
#define RELAYOPT_FLAG(type, field, initial, ...) {RELAYOPT_FIELD(ToolOptions::field), __VA_ARGS__},
#include "flags.def"
};
constexpr std::span<const FlagDef> kCoreFlags = FlagRows(kFlags);

constexpr FlagGroupDef kGroups[] = {
    {kInput, "input", "Input and output"},  {kPipeline, "pipeline", "Pipeline"},
    {kPrinting, "printing", "Printing"},    {kMessages, "messages", "Messages"},
    {kChecks, "checks", "Checks"},          {kReports, "reports", "Reports"},
    {kDebugging, "debugging", "Debugging"}, {kEvaluation, "evaluation", "Evaluation"},
    {kOnnx, "onnx", "ONNX models"},         {kHelp, "help", "Help and lists"},
};

}  // namespace flag_rows

namespace {

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {
  using Number = T;
};

auto ValuesOf(const FlagDef& flag, const std::vector<std::string>& list) -> std::vector<std::string> {
  if (flag.separator == 0 || list.empty()) return list;
  return {fmt::format("{}", fmt::join(list, std::string(1, flag.separator)))};
}
auto ValuesOf(const FlagDef&, const std::string& text) -> std::vector<std::string> { return {text}; }
auto ValuesOf(const FlagDef&, bool is_on) -> std::vector<std::string> { return {is_on ? "1" : "0"}; }
template <typename T>
auto ValuesOf(const FlagDef&, const T& number) -> std::vector<std::string> {
  if constexpr (IsOptional<T>::value) {
    return number ? std::vector{fmt::format("{}", *number)} : std::vector<std::string>();
  } else {
    return {fmt::format("{}", number)};
  }
}

auto Defaults() -> const ToolOptions& {
  static const ToolOptions defaults;
  return defaults;
}

auto HasSynonym(const FlagDef& flag, std::string_view name) -> bool {
  const std::vector<std::string_view> synonyms = SplitText(flag.synonyms, ' ');
  return std::find(synonyms.begin(), synonyms.end(), name) != synonyms.end();
}

}  // namespace

auto Quoted(std::string_view word) -> std::string {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,/:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

auto FlagPointers() -> std::span<const FlagDef* const> {
  static const std::vector<const FlagDef*> all = [] {
    std::vector<const FlagDef*> rows;
    for (const AnswerDef* answer : Answers()) {
      for (const FlagDef& flag : answer->flags) rows.push_back(&flag);
    }
    for (const FlagDef& flag : flag_rows::kCoreFlags) rows.push_back(&flag);
    for (const std::span<const FlagDef> table : FlagTables()) {
      for (const FlagDef& flag : table) rows.push_back(&flag);
    }
    std::ranges::stable_sort(rows, {}, &FlagDef::group);
    return rows;
  }();
  return all;
}

auto FlagGroups() -> std::span<const FlagGroupDef> { return flag_rows::kGroups; }

auto TitleOf(FlagGroup group) -> std::string_view {
  return std::ranges::find(flag_rows::kGroups, group, &FlagGroupDef::group)->title;
}

auto FindFlag(std::string_view name) -> const FlagDef* {
  // mlir-opt's options carry a prefix.
  if (name.starts_with("mlir-")) name.remove_prefix(5);
  if (name.empty()) return nullptr;
  if (name.size() == 1) return FindFlag(name.front());
  for (const FlagDef& flag : AllFlags()) {
    if (flag.name == name) return &flag;
  }
  for (const FlagDef& flag : AllFlags()) {
    if (HasSynonym(flag, name)) return &flag;
  }
  return nullptr;
}

auto FindFlag(char letter) -> const FlagDef* {
  for (const FlagDef& flag : AllFlags()) {
    if (flag.letter == letter) return &flag;
  }
  return nullptr;
}

auto IsTyped(const FlagDef& flag, const ToolOptions& options) -> bool {
  return std::ranges::find(options.typed, &flag) != options.typed.end();
}

auto IsSwitch(const FlagDef& flag) -> bool { return std::holds_alternative<const bool*>(flag.read(Defaults())); }

auto IsWritten(const FlagDef& flag) -> bool {
  return flag.kind == FlagKind::kOutFile || flag.kind == FlagKind::kOutFolder || flag.kind == FlagKind::kResultFile;
}

auto NeedsAttachedValue(const FlagDef& flag) -> bool {
  return IsSwitch(flag) || !flag.bare.empty() || flag.kind == FlagKind::kOutFile || flag.kind == FlagKind::kOutFolder;
}

auto ShownName(const FlagDef& flag) -> std::string {
  return flag.name.empty() ? fmt::format("-{}", flag.letter) : fmt::format("--{}", flag.name);
}

auto FlagValues(const FlagDef& flag, const ToolOptions& options) -> std::vector<std::string> {
  return std::visit(
      [&]<typename T>(const T* value) {
        const T& initial = *std::get<const T*>(flag.read(Defaults()));
        return *value == initial ? std::vector<std::string>() : ValuesOf(flag, *value);
      },
      flag.read(options));
}

auto DefaultText(const FlagDef& flag) -> std::string {
  if (IsSwitch(flag)) return "";
  const auto values = std::visit([&](const auto* value) { return ValuesOf(flag, *value); }, flag.read(Defaults()));
  const bool says_something = values.size() == 1 && values.front() != "0" && values.front() != "-";
  return says_something ? values.front() : "";
}

auto FlagArguments(const ToolOptions& options, bool (*keeps)(const FlagDef&)) -> std::string {
  std::string words;
  for (const FlagDef& flag : AllFlags()) {
    if (!keeps(flag)) continue;
    for (const std::string& value : FlagValues(flag, options)) {
      const bool is_on = IsSwitch(flag) && value == "1";
      words += " " + (is_on ? ShownName(flag)
                            : fmt::format("{}{}{}", ShownName(flag), flag.name.empty() ? "" : "=", Quoted(value)));
    }
  }
  return words;
}

auto NeedsOf(const FlagDef& flag) -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  for (const std::string_view name : SplitText(flag.needs, ' ')) {
    const bool is_comparison = name == "comparison";
    if (name != "evaluation" && !is_comparison) {
      names.push_back(name);
      continue;
    }
    names.emplace_back("validate");
    for (const AnswerDef* answer : Answers()) {
      if (is_comparison ? answer->compares : answer->evaluates) names.push_back(answer->flag().name);
    }
  }
  return names;
}

auto WordsOf(const FlagDef& flag) -> std::vector<std::string_view> {
  return flag.choices != nullptr ? flag.choices() : SplitText(flag.words, ' ');
}

}  // namespace relayopt
