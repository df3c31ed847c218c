// Targets as values: attributes, their text, what help says of them.
#include "relayopt/target/target.h"
#include "relayopt/support/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "relayopt/support/diagnostic.h"
#include "relayopt/support/map_to_vector.h"
#include "target_kinds.h"

namespace relayopt {

namespace {

using Json = OrderedJson;

auto Joined(const std::vector<std::string>& items) -> std::string {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
  return text;
}

auto Joined(const std::vector<int64_t>& items) -> std::string { return fmt::format("{}", fmt::join(items, ",")); }

auto PlainText(const TargetValue& value) -> std::string {
  struct Visitor {
    auto operator()(int64_t number) const -> std::string { return fmt::format("{}", number); }
    auto operator()(bool on) const -> std::string { return on ? "1" : "0"; }
    auto operator()(const std::string& text) const -> std::string { return text; }
    auto operator()(const std::vector<int64_t>& items) const -> std::string { return Joined(items); }
    auto operator()(const std::vector<std::string>& items) const -> std::string { return Joined(items); }
    auto operator()(const TargetRef& target) const -> std::string { return target->ToString(); }
    auto operator()(const std::vector<TargetRef>& targets) const -> std::string {
      const auto texts = MapToVector<std::string>(targets, [&](const TargetRef& target) { return target->ToString(); });
      return Joined(texts);
    }
  };
  return std::visit(Visitor(), value);
}

// As an option's value: quoted where there is a blank.
auto OptionText(const TargetValue& value) -> std::string {
  std::string text;
  bool blank = false;
  for (const char c : PlainText(value)) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
    blank = blank || c == ' ';
  }
  return blank ? fmt::format("'{}'", text) : text;
}

auto JsonOf(const TargetConfig& config) -> Json;

auto JsonOf(const TargetValue& value) -> Json {
  struct Visitor {
    auto operator()(int64_t number) const -> Json { return number; }
    auto operator()(bool on) const -> Json { return on; }
    auto operator()(const std::string& text) const -> Json { return text; }
    auto operator()(const std::vector<int64_t>& items) const -> Json { return items; }
    auto operator()(const std::vector<std::string>& items) const -> Json { return items; }
    auto operator()(const TargetRef& target) const -> Json { return JsonOf(target->Export()); }
    auto operator()(const std::vector<TargetRef>& targets) const -> Json {
      Json list = Json::array();
      for (const TargetRef& target : targets) list.push_back(JsonOf(target->Export()));
      return list;
    }
  };
  return std::visit(Visitor(), value);
}

// Hosts nest a few deep at most: the reader sees to that.
auto JsonOf(const TargetConfig& config) -> Json {
  Json object = Json::object();
  for (const auto& [name, value] : config) object[name] = JsonOf(value);
  return object;
}

auto TypeName(TargetType type) -> std::string_view {
  switch (type) {
    case TargetType::kInt: return "an integer";
    case TargetType::kBool: return "true or false";
    case TargetType::kString: return "text";
    case TargetType::kInts: return "a list of integers";
    case TargetType::kStrings: return "a list of words";
    case TargetType::kTarget: return "a target";
    case TargetType::kTargets: return "a list of targets";
  }
  return "";
}

// Returns the type key of the object that TVM keeps such a value in.
auto TypeKey(TargetType type) -> std::string_view {
  switch (type) {
    case TargetType::kInt:
    case TargetType::kBool: return "IntImm";
    case TargetType::kString: return "runtime.String";
    case TargetType::kInts:
    case TargetType::kStrings:
    case TargetType::kTargets: return "Array";
    case TargetType::kTarget: return "Target";
  }
  return "";
}

auto OptionLine(const TargetOption& option) -> std::string {
  return fmt::format("  -{:40} {}{}\n", option.name, TypeName(option.type),
                     option.value.empty() ? "" : fmt::format("; default {}", option.value));
}

}  // namespace

auto Target::HasKey(std::string_view key) const -> bool { return std::ranges::find(keys_, key) != keys_.end(); }

auto Target::WithHost(TargetRef host) const -> Target {
  Target made = *this;
  made.host_ = std::move(host);
  return made;
}

auto Target::device_type() const -> int {
  return static_cast<int>(GetInt("target_device_type").value_or(FindTargetKind(kind_)->device_type));
}

auto Target::Get(std::string_view attr) const -> std::string {
  const auto found = attrs_.find(attr);
  return found == attrs_.end() ? std::string() : PlainText(found->second);
}

auto Target::GetInt(std::string_view attr) const -> std::optional<int64_t> {
  const auto found = attrs_.find(attr);
  if (found == attrs_.end()) return std::nullopt;
  if (const bool* on = std::get_if<bool>(&found->second)) return int64_t{*on};
  const auto* number = std::get_if<int64_t>(&found->second);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

auto Target::ToString() const -> std::string {
  std::string text = kind_;
  if (!keys_.empty()) text += " -keys=" + Joined(keys_);
  text += ' ';
  bool first = true;
  for (const auto& [name, value] : attrs_) {
    const std::string written = OptionText(value);
    if (written.empty()) continue;
    text += fmt::format("{}-{}={}", first ? "" : " ", name, written);
    first = false;
  }
  return text;
}

auto Target::Export() const -> TargetConfig {
  TargetConfig config = attrs_;
  config["kind"] = kind_;
  config["tag"] = tag_;
  config["keys"] = keys_;
  if (host_ != nullptr) config["host"] = host_;
  return config;
}

auto Target::ToJson() const -> std::string { return JsonOf(Export()).dump(); }

auto DeviceTypeOfKind(std::string_view kind) -> std::optional<int> {
  const TargetKind* row = FindTargetKind(kind);
  return row == nullptr ? std::nullopt : std::optional(row->device_type);
}

auto InfoOfTargetKind(std::string_view name) -> Result<TargetKindInfo> {
  const TargetKind* kind = FindTargetKind(name);
  if (kind == nullptr) return UnknownTargetKind(name);
  TargetKindInfo info = {std::string(kind->name), std::string(kind->doc), kind->device_type, SplitList(kind->keys), {},
                         kind->is_external};
  for (const std::span<const TargetOption> options : {kind->options, CommonTargetOptions()}) {
    for (const TargetOption& option : options) info.options.emplace(option.name, TypeKey(option.type));
  }
  return info;
}

auto TargetKindNames() -> std::vector<std::string> {
  return MapToVector<std::string>(TargetKinds(), [&](const TargetKind& kind) { return std::string(kind.name); });
}

auto TargetListText() -> std::string {
  std::string out = "Kinds:\n";
  for (const TargetKind& kind : TargetKinds()) out += fmt::format("{:36} {}\n", kind.name, kind.doc);
  out += "\nTags:\n";
  for (const std::string& tag : TargetTags()) out += tag + '\n';
  return out;
}

auto TargetHelp(std::string_view name) -> std::optional<std::string> {
  if (const TargetKind* kind = FindTargetKind(name)) {
    std::string out = fmt::format("{}: {}\n\nDevice type {}; keys: {}.\n", kind->name, kind->doc, kind->device_type,
                                  kind->keys.empty() ? "none" : kind->keys);
    if (!kind->options.empty()) out += "\nAttributes:\n";
    for (const TargetOption& option : kind->options) out += OptionLine(option);
    out += "\nAttributes of every kind:\n";
    for (const TargetOption& option : CommonTargetOptions()) out += OptionLine(option);
    const Result<Target> plain = Target::Parse(kind->name);
    return plain ? out + fmt::format("\n`{}` is `{}`.\n", kind->name, plain->ToString()) : out;
  }
  const std::string tagged = TargetOfTag(name);
  if (tagged.empty()) return std::nullopt;
  return fmt::format("{}: {}\n", name, tagged);
}

auto DidYouMeanTarget(std::string_view name) -> std::string {
  const std::vector<std::string> tags = TargetTags();
  std::vector<std::string_view> names(tags.begin(), tags.end());
  for (const TargetKind& kind : TargetKinds()) names.push_back(kind.name);
  return DidYouMean(name, names);
}

}  // namespace relayopt
