// Values of options: from text, to text, into members.
#include "relayopt/pass/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "relayopt/pass/diagnostics.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/json.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

using Json = OrderedJson;

auto ParseBool(std::string_view text) -> std::optional<OptionValue> {
  if (text == "true" || text == "True" || text == "1") return OptionValue(true);
  if (text == "false" || text == "False" || text == "0") return OptionValue(false);
  return std::nullopt;
}

// Returns nothing if `text` is not JSON. Throws no exceptions.
auto JsonFrom(std::string_view text) -> std::optional<Json> {
  Json json = ParseJson(text);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

auto ParseString(std::string_view text) -> std::optional<OptionValue> {
  if (!text.starts_with('"')) return OptionValue(std::string(text));
  const auto json = JsonFrom(text);
  if (!json || !json->is_string()) return std::nullopt;
  return OptionValue(json->get<std::string>());
}

auto StringsOf(const Json& json) -> std::optional<std::vector<std::string>> {
  std::vector<std::string> out;
  if (!json.is_array()) return std::nullopt;
  for (const Json& item : json) {
    if (!item.is_string()) return std::nullopt;
    out.push_back(item.get<std::string>());
  }
  return out;
}

// Takes the text up to the next comma outside quotes off the front of `rest`, without the spaces around it.
auto TakeItem(std::string_view& rest) -> std::string_view {
  size_t end = 0;
  for (bool quoted = false; end < rest.size() && (quoted || rest[end] != ','); ++end) {
    if (rest[end] == '"') quoted = !quoted;
    if (quoted && rest[end] == '\\') ++end;
  }
  end = std::min(end, rest.size());
  std::string_view item = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  while (item.starts_with(' ')) item.remove_prefix(1);
  while (item.ends_with(' ')) item.remove_suffix(1);
  return item;
}

// `["a", "b"]`, `[a, b]` or `a`.
auto ParseStrings(std::string_view text) -> std::optional<OptionValue> {
  if (!text.starts_with('[')) {
    const auto single = ParseString(text);
    if (!single) return std::nullopt;
    return OptionValue(std::vector<std::string>{std::get<std::string>(*single)});
  }
  if (const auto json = JsonFrom(text)) {
    auto strings = StringsOf(*json);
    if (!strings) return std::nullopt;
    return OptionValue(std::move(*strings));
  }
  if (!text.ends_with(']')) return std::nullopt;
  std::vector<std::string> words;
  for (std::string_view rest = text.substr(1, text.size() - 2); !rest.empty();) {
    std::string_view item = TakeItem(rest);
    const auto word = ParseString(item);
    if (item.empty() || item.find_first_of("{}[]") != std::string_view::npos || !word) return std::nullopt;
    words.push_back(std::get<std::string>(*word));
  }
  return OptionValue(std::move(words));
}

auto ParseStringListMap(std::string_view text) -> std::optional<OptionValue> {
  const auto json = JsonFrom(text);
  if (!json || !json->is_object()) return std::nullopt;
  StringListMap map;
  for (const auto& [key, value] : json->items()) {
    auto strings = StringsOf(value);
    if (!strings) return std::nullopt;
    map.emplace_back(key, std::move(*strings));
  }
  return OptionValue(std::move(map));
}

auto Quoted(const std::string& text) -> std::string {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

auto QuotedList(const std::vector<std::string>& strings) -> std::string {
  std::string out = "[";
  for (const std::string& string : strings) {
    if (out.size() != 1) out += ", ";
    out += Quoted(string);
  }
  return out + "]";
}

// Whether a string reads back as itself without quotes in a pipeline.
auto IsPlainWord(std::string_view text) -> bool {
  if (text.empty()) return false;
  for (const char c : text) {
    const bool ok = IsNameCharacter(c) || c == '-' || c == '.' || c == '+' || c == '/' || c == ':';
    if (!ok) return false;
  }
  return true;
}

struct ValuePrinter {
  auto operator()(bool value) const -> std::string { return value ? "true" : "false"; }
  auto operator()(int64_t value) const -> std::string { return fmt::format("{}", value); }
  auto operator()(double value) const -> std::string { return fmt::format("{}", value); }
  auto operator()(const std::string& value) const -> std::string { return IsPlainWord(value) ? value : Quoted(value); }
  auto operator()(const std::vector<std::string>& value) const -> std::string { return QuotedList(value); }
  auto operator()(const StringListMap& value) const -> std::string {
    std::string out = "{";
    for (const auto& [key, strings] : value) {
      if (out.size() != 1) out += ", ";
      out += Quoted(key) + ": " + QuotedList(strings);
    }
    return out + "}";
  }
  auto operator()(const JsonText& value) const -> std::string { return value.text; }
};

// Converts `value` to the type of `kind`, if that is lossless.
auto Convert(OptionKind kind, OptionValue value) -> std::optional<OptionValue> {
  if (value.index() == static_cast<size_t>(kind)) return value;
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    if (kind == OptionKind::kDouble) return OptionValue(static_cast<double>(*integer));
    if (kind == OptionKind::kBool && (*integer == 0 || *integer == 1)) return OptionValue(*integer != 0);
  }
  if (const auto* boolean = std::get_if<bool>(&value); boolean != nullptr && kind == OptionKind::kInt) {
    return OptionValue(int64_t{*boolean});
  }
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr && kind == OptionKind::kJson) {
    return ParseOptionValue(kind, *text);
  }
  return std::nullopt;
}

// `a, b or c`.
auto Alternatives(const std::vector<std::string_view>& words) -> std::string {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    out += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

auto FaultOfWord(const std::vector<std::string_view>& words, const std::string& found) -> std::optional<OptionFault> {
  // A longer list would not help.
  constexpr size_t kShown = 12;
  if (std::find(words.begin(), words.end(), found) != words.end()) return std::nullopt;
  return OptionFault{words.size() <= kShown ? Alternatives(words) : "a name that is known", found,
                     DidYouMean(found, words)};
}

auto FaultOfNumber(const OptionValues& values, double number) -> std::optional<OptionFault> {
  if (number >= values.min && number <= values.max) return std::nullopt;
  std::string expected = "a number";
  if (values.min != std::numeric_limits<double>::lowest()) expected += fmt::format(" from {}", values.min);
  if (values.max != std::numeric_limits<double>::max()) expected += fmt::format(" to {}", values.max);
  return OptionFault{expected, fmt::format("{}", number)};
}

// Calls `visit` with the member as its own type.
template <typename Visit>
void WithMember(OptionKind kind, void* member, Visit&& visit) {
  switch (kind) {
    case OptionKind::kBool: return visit(*static_cast<bool*>(member));
    case OptionKind::kInt: return visit(*static_cast<int64_t*>(member));
    case OptionKind::kDouble: return visit(*static_cast<double*>(member));
    case OptionKind::kString: return visit(*static_cast<std::string*>(member));
    case OptionKind::kStringList: return visit(*static_cast<std::vector<std::string>*>(member));
    case OptionKind::kStringListMap: return visit(*static_cast<StringListMap*>(member));
    case OptionKind::kJson: return visit(*static_cast<JsonText*>(member));
  }
}

}  // namespace

auto OptionsSchema::Find(std::string_view name) const -> const OptionInfo* {
  for (const OptionInfo& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

auto PassOptions::Get(const OptionInfo& option) const -> OptionValue {
  OptionValue value;
  WithMember(option.kind, option.address(data_.get()), [&](const auto& member) { value = member; });
  return value;
}

auto PassOptions::IsDefault(const OptionInfo& option) const -> bool {
  return Get(option) == PassOptions(*schema_).Get(option);
}

auto PassOptions::Set(const OptionInfo& option, OptionValue value) -> std::optional<Diagnostic> {
  const std::string text = ToString(value);
  std::optional<OptionValue> converted = Convert(option.kind, std::move(value));
  if (!converted) return MakeDiagnostic(diag::kBadOptionValue, {}, option.name, KindName(option.kind), text, "");
  if (const std::optional<OptionFault> fault = FaultOf(option, *converted)) {
    return MakeDiagnostic(diag::kBadOptionValue, {}, option.name, fault->expected, fault->found, fault->more);
  }
  // Copies of these options share the struct, so the change goes into a struct of our own.
  data_ = schema_->create(data_.get());
  WithMember(option.kind, option.address(data_.get()),
             [&]<typename T>(T& member) { member = std::get<T>(std::move(*converted)); });
  return std::nullopt;
}

auto PassOptions::SetText(const OptionInfo& option, std::string_view text) -> std::optional<Diagnostic> {
  std::optional<OptionValue> value = ParseOptionValue(option.kind, text);
  if (!value) return MakeDiagnostic(diag::kBadOptionValue, {}, option.name, KindName(option.kind), text, "");
  return Set(option, std::move(*value));
}

auto WordsOf(const OptionInfo& option) -> std::vector<std::string_view> {
  return option.values.choices != nullptr ? option.values.choices() : SplitText(option.values.words, ' ');
}

auto FaultOf(const OptionInfo& option, const OptionValue& value) -> std::optional<OptionFault> {
  if (option.values.check != nullptr) return option.values.check(value);
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    return FaultOfNumber(option.values, static_cast<double>(*integer));
  }
  if (const auto* number = std::get_if<double>(&value)) return FaultOfNumber(option.values, *number);
  const std::vector<std::string_view> words = WordsOf(option);
  if (words.empty()) return std::nullopt;
  if (const auto* word = std::get_if<std::string>(&value)) return FaultOfWord(words, *word);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& word : *list) {
      if (auto fault = FaultOfWord(words, word)) return fault;
    }
  }
  return std::nullopt;
}

auto PassOptions::SetJson(std::string_view json) -> std::optional<Diagnostic> {
  const std::optional<Json> object = JsonFrom(json);
  if (!object || !object->is_object()) return MakeDiagnostic(diag::kOptionsNoObject, {}, json);
  for (const auto& [name, value] : object->items()) {
    const OptionInfo* option = schema_->Find(name);
    if (option == nullptr) {
      auto names = MapToVector<std::string_view>(schema_->fields, &OptionInfo::name);
      return MakeDiagnostic(diag::kUnknownOptionField, {}, name, DidYouMean(name, names));
    }
    if (std::optional<Diagnostic> error = SetText(*option, value.dump())) return error;
  }
  return std::nullopt;
}

auto PassOptions::CompletedBy(const PassOptions& others) const -> PassOptions {
  PassOptions all = others;
  for (const OptionInfo& option : schema_->fields) {
    if (!IsDefault(option)) static_cast<void>(all.Set(option, Get(option)));
  }
  return all;
}

auto ParseOptionValue(OptionKind kind, std::string_view text) -> std::optional<OptionValue> {
  switch (kind) {
    case OptionKind::kBool: return ParseBool(text);
    case OptionKind::kInt: return ParseNumber<int64_t>(text);
    case OptionKind::kDouble: return ParseNumber<double>(text);
    case OptionKind::kString: return ParseString(text);
    case OptionKind::kStringList: return ParseStrings(text);
    case OptionKind::kStringListMap: return ParseStringListMap(text);
    case OptionKind::kJson:
      if (!JsonFrom(text)) return std::nullopt;
      return OptionValue(JsonText{std::string(text)});
  }
  return std::nullopt;
}

auto ToString(const OptionValue& value) -> std::string { return std::visit(ValuePrinter(), value); }

auto KindName(OptionKind kind) -> std::string_view {
  switch (kind) {
    case OptionKind::kBool: return "true or false";
    case OptionKind::kInt: return "an integer";
    case OptionKind::kDouble: return "a number";
    case OptionKind::kString: return "a word or a quoted string";
    case OptionKind::kStringList: return "a list of strings";
    case OptionKind::kStringListMap: return "a JSON object of lists of strings";
    case OptionKind::kJson: return "JSON";
  }
  return "a value";
}

}  // namespace relayopt
