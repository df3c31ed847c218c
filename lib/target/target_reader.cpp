// Reads targets: strings and JSON become dictionaries, dictionaries become targets.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "relayopt/support/diagnostic.h"
#include "relayopt/support/json.h"
#include "relayopt/support/text_pieces.h"
#include "relayopt/target/target.h"
#include "target_kinds.h"

namespace relayopt {

// NOLINTBEGIN(misc-no-recursion): hosts nest up to kMaxHosts, and tags name no tags.

namespace {

constexpr DiagnosticKind kEmptyTarget = {"empty-target", Severity::kError, "the target is empty"};
constexpr DiagnosticKind kUnknownTargetKind = {"unknown-target-kind", Severity::kError,
                                               "unknown target kind or tag '{}'{}"};
constexpr DiagnosticKind kUnknownTargetOption = {"unknown-target-option", Severity::kError,
                                                 "target kind {} has no option '{}'{}"};
constexpr DiagnosticKind kRepeatedTargetOption = {"repeated-target-option", Severity::kError,
                                                  "target option '{}' is given twice"};
constexpr DiagnosticKind kBadTargetOption = {"bad-target-option", Severity::kError,
                                             "target option '{}' expects {}, not {}"};
constexpr DiagnosticKind kTargetSyntax = {"target-syntax", Severity::kError, "the target {}"};

// A host may have a host, and so on.
constexpr int kMaxHosts = 8;

using Words = std::vector<std::string>;

// The words of a target string: blanks separate, single quotes group, a backslash takes the next character as it is.
auto SplitWords(std::string_view text) -> Result<Words> {
  Words words;
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

auto OptionNumber(std::string_view text) -> std::optional<int64_t> {
  if (const auto number = ParseNumber<int64_t>(text)) return number;
  if (text == "true" || text == "True") return 1;
  if (text == "false" || text == "False") return 0;
  return std::nullopt;
}

// Returns the description of a value in messages.
auto Shown(const TargetValue& value) -> std::string {
  if (const auto* number = std::get_if<int64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* on = std::get_if<bool>(&value)) return *on ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format("'{}'", *text);
  if (std::holds_alternative<TargetRef>(value)) return "a target";
  return "a list";
}

// An empty list could be one of anything; it is read as one of words.
auto IsEmptyList(const TargetValue& value) -> bool {
  const auto* words = std::get_if<Words>(&value);
  return words != nullptr && words->empty();
}

auto StringOf(TargetConfig& config, std::string_view name) -> std::string {
  const auto found = config.find(name);
  const auto* text = found == config.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? std::string() : *text;
}

auto WordsOf(TargetConfig& config, std::string_view name) -> Words {
  const auto found = config.find(name);
  const auto* words = found == config.end() ? nullptr : std::get_if<Words>(&found->second);
  return words == nullptr ? Words() : *words;
}

auto Contains(const Words& words, std::string_view part) -> bool {
  return std::ranges::any_of(words, [&](const std::string& word) { return word.find(part) != std::string::npos; });
}

auto StartsWithAny(std::string_view text, std::span<const std::string_view> prefixes) -> bool {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// Returns the numbers of a list, or nothing if a word is not a number.
auto NumbersOf(const Words& words) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> numbers;
  for (const std::string& word : words) {
    const std::optional<int64_t> number = OptionNumber(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// Returns the default of an attribute. As TVM: that of a switch is a boolean, although strings give integers.
auto DefaultOf(const TargetOption& option) -> TargetValue {
  switch (option.type) {
    case TargetType::kBool: return option.value == "true";
    case TargetType::kInts: return NumbersOf(SplitList(option.value)).value_or(std::vector<int64_t>());
    case TargetType::kString: return std::string(option.value);
    default: return OptionNumber(option.value).value_or(0);
  }
}

}  // namespace

auto UnknownTargetKind(std::string_view name) -> Diagnostic {
  return MakeDiagnostic(kUnknownTargetKind, {}, name, DidYouMeanTarget(name));
}

// Makes one target.
class TargetReader {
 public:
  explicit TargetReader(int depth) : depth_(depth) {}

  auto FromString(std::string_view text) -> Result<Target> {
    if (depth_ > kMaxHosts) return MakeDiagnostic(kTargetSyntax, {}, "has hosts of hosts without end");
    if (Trimmed(text).starts_with('{')) return FromJson(text);
    RELAYOPT_TRY(const Words words, SplitWords(text));
    if (words.empty()) return MakeDiagnostic(kEmptyTarget, {});
    // The text of a tag contains no tags.
    const std::string tagged = words.size() == 1 ? TargetOfTag(words[0]) : "";
    if (!tagged.empty()) return FromString(tagged);
    const TargetKind* kind = FindTargetKind(words[0]);
    if (kind == nullptr) return UnknownTargetKind(words[0]);
    TargetConfig config;
    config["kind"] = words[0];
    for (size_t i = 1; i < words.size(); ++i) {
      std::string_view word = words[i];
      if (!word.starts_with('-')) {
        return MakeDiagnostic(kTargetSyntax, {}, fmt::format("has '{}' where an option is expected", word));
      }
      word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
      const size_t equals = word.find('=');
      const std::string_view name = word.substr(0, equals);
      std::string_view value = "1";
      if (equals != std::string_view::npos) {
        value = word.substr(equals + 1);
      } else if (i + 1 < words.size() && !words[i + 1].starts_with('-')) {
        value = words[++i];
      }
      if (name.empty() || value.empty()) {
        return MakeDiagnostic(kTargetSyntax, {}, fmt::format("has '{}', without a name or a value", words[i]));
      }
      const TargetOption* option = FindTargetOption(*kind, name);
      if (option == nullptr) return UnknownOption(*kind, name);
      RELAYOPT_TRY(TargetValue typed, FromText(*option, Trimmed(value)));
      if (!config.emplace(name, std::move(typed)).second) return MakeDiagnostic(kRepeatedTargetOption, {}, name);
    }
    return FromConfig(std::move(config));
  }

  auto FromConfig(TargetConfig config) -> Result<Target> {
    const std::string name = StringOf(config, "kind");
    if (name.empty()) return MakeDiagnostic(kTargetSyntax, {}, "has no kind");
    const TargetKind* kind = FindTargetKind(name);
    if (kind == nullptr) return UnknownTargetKind(name);
    config.erase("kind");
    Target target;
    target.kind_ = name;
    for (auto& [key, value] : config) {
      const TargetOption* option = FindTargetOption(*kind, key);
      if (option == nullptr) return UnknownOption(*kind, key);
      RELAYOPT_TRY(value, Typed(*option, std::move(value)));
    }
    if (auto fault = ApplyKind(*kind, config, target)) return *std::move(fault);
    SetKeys(*kind, config, target);
    target.tag_ = StringOf(config, "tag");
    if (const auto host = config.find("host"); host != config.end()) target.host_ = std::get<TargetRef>(host->second);
    // Handled above; `from_device` would query a device of this machine, and is ignored.
    for (const std::string_view handled : {"keys", "tag", "host", "from_device"}) config.erase(std::string(handled));
    for (const TargetOption& option : kind->options) {
      if (option.value.empty() || config.contains(option.name)) continue;
      config[std::string(option.name)] = DefaultOf(option);
    }
    target.attrs_ = std::move(config);
    return target;
  }

 private:
  auto FromJson(std::string_view text) -> Result<Target> {
    const auto json = ParseJson<nlohmann::json>(text);
    if (!json.is_object()) return MakeDiagnostic(kTargetSyntax, {}, "is not a well-formed JSON object");
    return FromJson(json);
  }

  auto FromJson(const nlohmann::json& json) -> Result<Target> {
    TargetConfig config;
    for (const auto& [key, value] : json.items()) {
      if (key == "features") return MakeDiagnostic(kTargetSyntax, {}, "gives features, which its kind derives");
      RELAYOPT_TRY(TargetValue made, FromJsonValue(key, value));
      config.emplace(key, std::move(made));
    }
    return FromConfig(std::move(config));
  }

  auto FromJsonValue(const std::string& key, const nlohmann::json& value) -> Result<TargetValue> {
    if (value.is_string()) return TargetValue(value.get<std::string>());
    if (value.is_boolean()) return TargetValue(value.get<bool>());
    if (value.is_number_integer()) return TargetValue(value.get<int64_t>());
    if (value.is_object()) {
      if (depth_ == kMaxHosts) return MakeDiagnostic(kTargetSyntax, {}, "has hosts of hosts without end");
      RELAYOPT_TRY(Target nested, TargetReader(depth_ + 1).FromJson(value));
      return TargetValue(std::make_shared<const Target>(std::move(nested)));
    }
    if (value.is_array() && std::ranges::all_of(value, [](const auto& item) { return item.is_string(); })) {
      return TargetValue(value.get<Words>());
    }
    if (value.is_array() && std::ranges::all_of(value, [](const auto& item) { return item.is_number_integer(); })) {
      return TargetValue(value.get<std::vector<int64_t>>());
    }
    // Targets, some of them as strings.
    const auto is_target = [](const auto& item) { return item.is_object() || item.is_string(); };
    if (value.is_array() && std::ranges::all_of(value, is_target)) {
      std::vector<TargetRef> targets;
      for (const auto& item : value) {
        if (item.is_string()) {
          RELAYOPT_TRY(Target parsed, TargetReader(depth_ + 1).FromString(item.get<std::string>()));
          targets.push_back(std::make_shared<const Target>(std::move(parsed)));
          continue;
        }
        RELAYOPT_TRY(TargetValue nested, FromJsonValue(key, item));
        targets.push_back(std::get<TargetRef>(std::move(nested)));
      }
      return TargetValue(std::move(targets));
    }
    return MakeDiagnostic(kBadTargetOption, {}, key, "text, an integer, a switch, a list or a target", value.dump());
  }

  // Returns an option of a string.
  auto FromText(const TargetOption& option, std::string_view text) -> Result<TargetValue> {
    switch (option.type) {
      case TargetType::kInt:
      case TargetType::kBool: {
        const std::optional<int64_t> number = OptionNumber(text);
        const bool is_bool = option.type == TargetType::kBool;
        if (!number || (is_bool && *number != 0 && *number != 1)) {
          return MakeDiagnostic(kBadTargetOption, {}, option.name, is_bool ? "true or false" : "an integer",
                                fmt::format("'{}'", text));
        }
        return TargetValue(*number);
      }
      case TargetType::kInts: {
        auto numbers = NumbersOf(SplitList(text));
        if (numbers) return TargetValue(*std::move(numbers));
        return MakeDiagnostic(kBadTargetOption, {}, option.name, "a list of integers", fmt::format("'{}'", text));
      }
      case TargetType::kStrings:
      case TargetType::kTargets: return TargetValue(SplitList(text));
      case TargetType::kString:
      case TargetType::kTarget: break;
    }
    return TargetValue(std::string(text));
  }

  // Returns the value converted to the attribute's type; strings are accepted for targets.
  auto Typed(const TargetOption& option, TargetValue value) -> Result<TargetValue> {
    const auto expects = [&](std::string_view what) {
      return MakeDiagnostic(kBadTargetOption, {}, option.name, what, Shown(value));
    };
    switch (option.type) {
      case TargetType::kInt:
      case TargetType::kBool:
        if (std::holds_alternative<int64_t>(value) || std::holds_alternative<bool>(value)) return value;
        return expects(option.type == TargetType::kBool ? "true or false" : "an integer");
      case TargetType::kString:
        if (std::holds_alternative<std::string>(value)) return value;
        return expects("text");
      case TargetType::kInts:
        if (std::holds_alternative<std::vector<int64_t>>(value)) return value;
        if (IsEmptyList(value)) return TargetValue(std::vector<int64_t>());
        return expects("a list of integers");
      case TargetType::kStrings:
        if (std::holds_alternative<Words>(value)) return value;
        return expects("a list of words");
      case TargetType::kTarget: {
        if (std::holds_alternative<TargetRef>(value)) return value;
        const auto* text = std::get_if<std::string>(&value);
        if (text == nullptr) return expects("a target");
        RELAYOPT_TRY(Target nested, TargetReader(depth_ + 1).FromString(*text));
        return TargetValue(std::make_shared<const Target>(std::move(nested)));
      }
      case TargetType::kTargets: {
        if (std::holds_alternative<std::vector<TargetRef>>(value)) return value;
        const auto* texts = std::get_if<Words>(&value);
        if (texts == nullptr) return expects("a list of targets");
        std::vector<TargetRef> targets;
        for (const std::string& text : *texts) {
          RELAYOPT_TRY(Target nested, TargetReader(depth_ + 1).FromString(text));
          targets.push_back(std::make_shared<const Target>(std::move(nested)));
        }
        return TargetValue(std::move(targets));
      }
    }
    return value;
  }

  // Adds to a dictionary what the kind implies, and checks what it requires.
  static auto ApplyKind(const TargetKind& kind, TargetConfig& config, Target& target) -> std::optional<Diagnostic> {
    if (kind.name == "cuda") return Architecture(config, "arch");
    if (kind.name == "nvptx") {
      if (auto fault = Triple(config, "nvptx64-nvidia-cuda")) return fault;
      return Architecture(config, "mcpu");
    }
    if (kind.name == "rocm") {
      if (auto fault = Triple(config, "amdgcn-amd-amdhsa-hcc")) return fault;
      const std::string cpu = StringOf(config, "mcpu");
      if (cpu.empty()) config["mcpu"] = std::string("gfx900");
      if (!cpu.empty() && !cpu.starts_with("gfx")) {
        return MakeDiagnostic(kBadTargetOption, {}, "mcpu", "gfx and a number", fmt::format("'{}'", cpu));
      }
    }
    if (kind.name == "test") target.features_["is_test"] = true;
    if (kind.name == "llvm" || kind.name == "c" || kind.name == "cmsis-nn") ArmFeatures(config, target);
    return std::nullopt;
  }

  // Returns an architecture of NVIDIA; the oldest that is common where none is given and no device can be asked.
  static auto Architecture(TargetConfig& config, const std::string& name) -> std::optional<Diagnostic> {
    const std::string given = StringOf(config, name);
    if (given.empty()) {
      config[name] = std::string("sm_50");
      return std::nullopt;
    }
    const bool well_formed =
        given.starts_with("sm_") && given.size() > 3 && given.find_first_not_of("0123456789", 3) == std::string::npos;
    if (well_formed) return std::nullopt;
    return MakeDiagnostic(kBadTargetOption, {}, name, "sm_ and a number", fmt::format("'{}'", given));
  }

  static auto Triple(TargetConfig& config, std::string_view triple) -> std::optional<Diagnostic> {
    const std::string given = StringOf(config, "mtriple");
    config["mtriple"] = std::string(triple);
    if (given.empty() || given == triple) return std::nullopt;
    return MakeDiagnostic(kBadTargetOption, {}, "mtriple", fmt::format("'{}'", triple), fmt::format("'{}'", given));
  }

  // CPUs of ARM have the keys arm_cpu and cpu, and features by name, extensions and version.
  static void ArmFeatures(TargetConfig& config, Target& target) {
    static constexpr std::string_view kBaseCores[] = {"cortex-m0", "cortex-m3"};
    static constexpr std::string_view kDspCores[] = {"cortex-m55", "cortex-m4",   "cortex-m7",
                                                     "cortex-m33", "cortex-m35p", "cortex-m85"};
    static constexpr std::string_view kMveCores[] = {"cortex-m55", "cortex-m85"};
    const std::string cpu = StringOf(config, "mcpu");
    const std::string triple = StringOf(config, "mtriple");
    const Words attrs = WordsOf(config, "mattr");
    const bool is_aarch64 = triple.starts_with("aarch64");
    if (StartsWithAny(cpu, kBaseCores) || StartsWithAny(cpu, kDspCores)) {
      Words everything = attrs;
      everything.push_back(cpu);
      const bool no_dsp = Contains(everything, "+nodsp");
      target.features_["has_mve"] = StartsWithAny(cpu, kMveCores) && !no_dsp && !Contains(everything, "+nomve");
      target.features_["has_dsp"] = StartsWithAny(cpu, kDspCores) && !no_dsp;
    } else if (is_aarch64 || (triple.starts_with("arm") && !cpu.starts_with("cortex-m"))) {
      const double version = ArmVersion(attrs);
      const auto since = [&](double always, std::string_view name) {
        if (version >= always) return !Contains(attrs, fmt::format("+no{}", name));
        return version >= 8.2 && Contains(attrs, fmt::format("+{}", name));
      };
      target.features_["is_aarch64"] = is_aarch64;
      target.features_["has_asimd"] = is_aarch64 || Contains(attrs, "+neon") || Contains(attrs, "+simd");
      target.features_["has_sve"] = Contains(attrs, "+sve");
      target.features_["has_dotprod"] = since(8.4, "dotprod");
      target.features_["has_matmul_i8"] = since(8.6, "i8mm");
    } else {
      return;
    }
    Words keys = WordsOf(config, "keys");
    keys.insert(keys.end(), {"arm_cpu", "cpu"});
    config["keys"] = std::move(keys);
  }

  // 8.2 for an extension `+v8.2a`; 0 when there is none.
  static auto ArmVersion(const Words& attrs) -> double {
    for (const std::string_view attr : attrs) {
      if (!attr.starts_with("+v") || !attr.ends_with('a')) continue;
      if (const auto version = ParseNumber<double>(attr.substr(2, attr.size() - 3))) return *version;
    }
    return 0;
  }

  static void SetKeys(const TargetKind& kind, TargetConfig& config, Target& target) {
    const auto add = [&](const std::string& key) {
      if (!key.empty() && !target.HasKey(key)) target.keys_.push_back(key);
    };
    for (const std::string& key : WordsOf(config, "keys")) add(key);
    add(StringOf(config, "device"));
    if (config.contains("keys")) return;
    for (const std::string& key : SplitList(kind.keys)) add(key);
  }

  static auto UnknownOption(const TargetKind& kind, std::string_view name) -> Diagnostic {
    std::vector<std::string_view> names;
    for (const auto options : {kind.options, CommonTargetOptions()}) {
      for (const TargetOption& option : options) names.push_back(option.name);
    }
    return MakeDiagnostic(kUnknownTargetOption, {}, kind.name, name, DidYouMean(name, names));
  }

  // The number of targets around this one.
  int depth_;
};

auto Target::Parse(std::string_view text) -> Result<Target> { return TargetReader(0).FromString(text); }

auto Target::FromConfig(TargetConfig config) -> Result<Target> { return TargetReader(0).FromConfig(std::move(config)); }

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt
