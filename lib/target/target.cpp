// Parsing of target strings.
#include "relayopt/target/target.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "relayopt/support/diagnostic.h"
#include "target_kinds.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kEmptyTarget = {"empty-target", Severity::kError, "the target is empty"};
constexpr DiagnosticKind kUnknownTargetKind = {"unknown-target-kind", Severity::kError,
                                               "unknown target kind or tag '{}'{}"};
constexpr DiagnosticKind kUnknownTargetOption = {"unknown-target-option", Severity::kError,
                                                 "target kind {} has no option '{}'{}"};
constexpr DiagnosticKind kRepeatedTargetOption = {"repeated-target-option", Severity::kError,
                                                  "target option '{}' is given twice"};
constexpr DiagnosticKind kBadTargetOption = {"bad-target-option", Severity::kError,
                                             "target option '{}' expects {}, not '{}'"};
constexpr DiagnosticKind kTargetSyntax = {"target-syntax", Severity::kError, "the target {}"};

using Options = std::vector<std::pair<std::string, std::string>>;

// The words of a target string: blanks separate, single quotes group, a backslash takes the next character as it is.
auto SplitWords(std::string_view text) -> Result<std::vector<std::string>> {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (c == '\'') {
      quoted = !quoted;
      in_word = true;
    } else if (blank && !quoted) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quoted) return MakeDiagnostic(kTargetSyntax, {}, "has a quote that is never closed");
  if (in_word) words.push_back(std::move(word));
  return words;
}

auto SplitList(std::string_view text) -> std::vector<std::string> {
  std::vector<std::string> items;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma != 0) items.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

// `-key=value`, `-key value` and `-key`.
auto ReadOptions(const std::vector<std::string>& words) -> Result<Options> {
  Options options;
  for (size_t i = 1; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (!word.starts_with('-')) {
      return MakeDiagnostic(kTargetSyntax, {}, fmt::format("has '{}' where an option is expected", word));
    }
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    const size_t equals = word.find('=');
    if (equals != std::string_view::npos) {
      options.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    } else if (i + 1 < words.size() && !words[i + 1].starts_with('-')) {
      options.emplace_back(word, words[++i]);
    } else {
      options.emplace_back(word, "1");
    }
  }
  return options;
}

// The same from JSON: a string is a string, a list has commas, a nested target is its own text.
auto ReadJson(std::string_view text) -> Result<std::pair<std::string, Options>> {
  const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object()) return MakeDiagnostic(kTargetSyntax, {}, "is no well-formed JSON object");
  std::string kind;
  Options options;
  for (const auto& [key, value] : json.items()) {
    std::string written;
    if (value.is_string()) {
      written = value.get<std::string>();
    } else if (value.is_boolean()) {
      written = value.get<bool>() ? "1" : "0";
    } else if (value.is_array()) {
      for (const auto& item : value) {
        written += (written.empty() ? "" : ",") + (item.is_string() ? item.get<std::string>() : item.dump());
      }
    } else {
      written = value.dump();
    }
    if (key == "kind")
      kind = written;
    else
      options.emplace_back(key, written);
  }
  if (kind.empty()) return MakeDiagnostic(kTargetSyntax, {}, "has no kind");
  return std::pair(std::move(kind), std::move(options));
}

auto FindKind(std::string_view name) -> const TargetKind* {
  const auto kinds = TargetKinds();
  const auto row = std::find_if(kinds.begin(), kinds.end(), [&](const TargetKind& kind) { return kind.name == name; });
  return row == kinds.end() ? nullptr : &*row;
}

auto FindOption(const TargetKind& kind, std::string_view name) -> const TargetOption* {
  for (const auto options : {kind.options, CommonTargetOptions()}) {
    const auto row =
        std::find_if(options.begin(), options.end(), [&](const auto& option) { return option.name == name; });
    if (row != options.end()) return &*row;
  }
  return nullptr;
}

// What an option expects, when `value` is not that.
auto Misfit(TargetValue kind, std::string_view value) -> std::optional<std::string_view> {
  if (kind == TargetValue::kBool && value != "0" && value != "1" && value != "true" && value != "false") {
    return "true or false";
  }
  if (kind == TargetValue::kInt) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) return "an integer";
  }
  return std::nullopt;
}

auto UnknownOption(const TargetKind& kind, const std::string& name) -> Diagnostic {
  std::vector<std::string_view> names;
  for (const auto options : {kind.options, CommonTargetOptions()}) {
    for (const TargetOption& option : options) names.push_back(option.name);
  }
  return MakeDiagnostic(kUnknownTargetOption, {}, kind.name, name, DidYouMean(name, names));
}

}  // namespace

auto Target::Parse(std::string_view text) -> Result<Target> {
  std::string kind_name;
  Options options;
  const size_t first = text.find_first_not_of(" \t\n");
  if (first != std::string_view::npos && text[first] == '{') {
    RELAYOPT_TRY(auto parts, ReadJson(text));
    std::tie(kind_name, options) = std::move(parts);
  } else {
    RELAYOPT_TRY(const std::vector<std::string> words, SplitWords(text));
    if (words.empty()) return MakeDiagnostic(kEmptyTarget, {});
    // Tags stand for texts without tags.
    const std::string_view tagged = TargetOfTag(words[0]);
    if (!tagged.empty() && words.size() == 1) return Parse(tagged);
    kind_name = words[0];
    RELAYOPT_TRY(options, ReadOptions(words));
  }
  const TargetKind* kind = FindKind(kind_name);
  if (kind == nullptr) {
    std::vector<std::string_view> names;
    for (const TargetKind& row : TargetKinds()) names.push_back(row.name);
    return MakeDiagnostic(kUnknownTargetKind, {}, kind_name, DidYouMean(kind_name, names));
  }
  Target target;
  target.kind_ = kind_name;
  for (auto& [name, value] : options) {
    const TargetOption* option = FindOption(*kind, name);
    if (option == nullptr) return UnknownOption(*kind, name);
    if (const auto wanted = Misfit(option->value, value)) {
      return MakeDiagnostic(kBadTargetOption, {}, name, *wanted, value);
    }
    if (option->value == TargetValue::kTarget) {
      RELAYOPT_TRY(const Target host, Parse(value));
      static_cast<void>(host);
    }
    if (!target.options_.emplace(name, std::move(value)).second) {
      return MakeDiagnostic(kRepeatedTargetOption, {}, name);
    }
  }
  const auto add = [&](const std::string& key) {
    if (!key.empty() && !target.HasKey(key)) target.keys_.push_back(key);
  };
  for (const std::string& key : SplitList(target.Get("keys"))) add(key);
  add(std::string(target.Get("device")));
  const std::string_view triple = target.Get("mtriple");
  if (kind_name == "llvm" && (triple.starts_with("aarch64") || triple.starts_with("arm"))) add("arm_cpu");
  if (target.Get("keys").empty()) {
    for (const std::string& key : SplitList(kind->keys)) add(key);
  }
  return target;
}

auto DeviceTypeOfKind(std::string_view kind) -> std::optional<int> {
  const TargetKind* row = FindKind(kind);
  return row == nullptr ? std::nullopt : std::optional(row->device_type);
}

auto Target::HasKey(std::string_view key) const -> bool {
  return std::find(keys_.begin(), keys_.end(), key) != keys_.end();
}

auto Target::Get(std::string_view option) const -> std::string_view {
  const auto found = options_.find(option);
  return found == options_.end() ? std::string_view() : std::string_view(found->second);
}

auto Target::ToString() const -> std::string {
  std::string text = kind_;
  for (size_t i = 0; i < keys_.size(); ++i) text += (i == 0 ? " -keys=" : ",") + keys_[i];
  for (const auto& [name, value] : options_) {
    if (name == "keys" || name == "host" || name == "tag") continue;
    const bool grouped = value.find(' ') != std::string::npos;
    text += fmt::format(" -{}={}{}{}", name, grouped ? "'" : "", value, grouped ? "'" : "");
  }
  return text;
}

auto Target::is_x86() const -> bool {
  if (kind_ != "llvm" || HasKey("arm_cpu") || !HasKey("cpu")) return false;
  const std::string_view triple = Get("mtriple");
  // Without a triple LLVM takes the host's, for which this is the usual one.
  return triple.empty() || triple.starts_with("x86") || triple.starts_with("i386") || triple.starts_with("i686") ||
         triple.starts_with("amd64");
}

auto Target::HasFeature(std::string_view feature) const -> bool {
  if (!is_x86()) return false;
  bool has = static_cast<uint8_t>(LevelOfCpu(Get("mcpu"))) >= LevelOfFeature(feature);
  // The last word on an extension counts; one that is switched on brings those below it along.
  for (const std::string_view attr : SplitList(Get("mattr"))) {
    const std::string_view name = attr.substr(1);
    const uint8_t level = LevelOfFeature(name);
    const bool known = level != UINT8_MAX;
    if (attr.starts_with('+') && (name == feature || (known && level >= LevelOfFeature(feature)))) has = true;
    if (attr.starts_with('-') && (name == feature || (known && level <= LevelOfFeature(feature)))) has = false;
  }
  return has;
}

auto Target::simd_lanes() const -> int64_t {
  if (HasFeature("avx512f") && HasFeature("avx512bw")) return 16;
  return HasFeature("avx2") ? 8 : 4;
}

}  // namespace relayopt
