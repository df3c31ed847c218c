// Parses the table of an accelerator.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "accelerator.h"
#include "relayopt/core/context.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/pattern/pattern_text.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/json.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/source.h"

namespace relayopt {

namespace {

using Json = OrderedJson;

constexpr DiagnosticKind kCannotRead = {"accelerator-cannot-read", Severity::kError, "cannot read '{}': {}"};
constexpr DiagnosticKind kBadTable = {"accelerator-bad-table", Severity::kError, "{}: {}"};

// Returns a string as it is, anything else as attributes are written.
auto TextOf(const Json& json) -> std::string {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>() ? "True" : "False";
  if (json.is_null()) return "None";
  if (!json.is_array()) return json.dump();
  std::string text;
  for (const Json& item : json) text += (text.empty() ? "" : ", ") + TextOf(item);
  return "[" + text + "]";
}

auto NamesOf(const AttrsSchema& schema) -> std::vector<std::string_view> {
  return MapToVector<std::string_view>(schema.fields, &FieldInfo::name);
}

}  // namespace

class AcceleratorReader {
 public:
  auto Read(std::string_view text, std::string_view where) -> Result<Accelerator> {
    SyntaxError syntax;
    Json json;
    Json::sax_parse(text.begin(), text.end(), &syntax);
    if (syntax.at) {
      at_ = std::min(*syntax.at, text.size());
      Fail("{}", "this is not JSON: something is missing or superfluous here");
    } else {
      json = ParseJson(text);
      text_ = text;
      ReadAll(json);
    }
    if (!error_.empty()) return MakeDiagnostic(kBadTable, {}, Placed(text, where), error_);
    return std::move(table_);
  }

 private:
  // Finds where a text ceases to be JSON.
  struct SyntaxError : nlohmann::json_sax<Json> {
    std::optional<size_t> at;

    auto null() -> bool override { return true; }
    auto boolean(bool) -> bool override { return true; }
    auto number_integer(number_integer_t) -> bool override { return true; }
    auto number_unsigned(number_unsigned_t) -> bool override { return true; }
    auto number_float(number_float_t, const string_t&) -> bool override { return true; }
    auto string(string_t&) -> bool override { return true; }
    auto binary(binary_t&) -> bool override { return true; }
    auto start_object(size_t) -> bool override { return true; }
    auto key(string_t&) -> bool override { return true; }
    auto end_object() -> bool override { return true; }
    auto start_array(size_t) -> bool override { return true; }
    auto end_array() -> bool override { return true; }
    auto parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) -> bool override {
      at = position == 0 ? 0 : position - 1;
      return false;
    }
  };

  // Returns the file with the line and the column of the error, if they are known.
  auto Placed(std::string_view text, std::string_view where) const -> std::string {
    if (!at_) return std::string(where);
    const std::string_view before = text.substr(0, *at_);
    const auto line = std::ranges::count(before, '\n') + 1;
    const size_t begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return fmt::format("{}:{}:{}", where, line, *at_ - begin + 1);
  }

  // Returns where an element of a list under a key of the outermost object begins. The text is valid JSON.
  auto Find(std::string_view wanted, size_t element) const -> std::optional<size_t> {
    size_t depth = 0;
    size_t count = 0;
    bool is_value = false;
    bool in_list = false;
    std::string_view key;
    for (size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (IsSpace(c)) continue;
      const bool closes = c == ']' || c == '}';
      // The first character of an element is after the bracket or a comma.
      if (in_list && depth == 2 && is_value && c != ',' && !closes) {
        if (count++ == element) return i;
        is_value = false;
      }
      if (c == '"') {
        const size_t begin = i + 1;
        for (++i; i < text_.size() && text_[i] != '"'; ++i) i += text_[i] == '\\' ? 1 : 0;
        if (depth == 1) key = text_.substr(begin, i - begin);
      } else if (c == '[' || c == '{') {
        ++depth;
        if (depth == 2 && c == '[' && key == wanted) in_list = is_value = true;
      } else if (closes) {
        if (depth-- == 2) in_list = false;
      } else if (c == ',') {
        is_value = true;
      }
    }
    return std::nullopt;
  }

  // Keeps the first error.
  template <typename... Args>
  void Fail(fmt::format_string<Args...> format, Args&&... args) {
    if (error_.empty()) error_ = place_ + fmt::format(format, std::forward<Args>(args)...);
  }

  void ReadAll(const Json& json) {
    if (!json.is_object())
      return Fail("must be a JSON object {{\"name\": ..., \"operators\": [...], \"patterns\": [...]}}");
    static const std::vector<std::string_view> keys = {"name", "operators", "patterns"};
    for (const auto& [key, value] : json.items()) {
      if (std::ranges::find(keys, key) == keys.end()) return Fail("unknown key '{}'{}", key, DidYouMean(key, keys));
    }
    if (!json.contains("name") || !json["name"].is_string() || json["name"].get<std::string>().empty())
      return Fail("'name' must be the name of the compiler");
    table_.name_ = json["name"].get<std::string>();
    if (!json.contains("operators") && !json.contains("patterns"))
      return Fail("an accelerator needs operators or patterns");
    ReadEach(json, "operators", [this](const Json& row) { ReadRow(row); });
    ReadEach(json, "patterns", [this](const Json& row) { ReadPattern(row); });
  }

  template <typename Visit>
  void ReadEach(const Json& json, const char* key, Visit&& visit) {
    if (!json.contains(key)) return;
    if (!json[key].is_array()) return Fail("'{}' must be a list", key);
    for (size_t i = 0; i < json[key].size() && error_.empty(); ++i) {
      place_ = fmt::format("{}[{}]: ", key, i);
      visit(json[key][i]);
      if (!error_.empty()) at_ = Find(key, i);
      place_.clear();
    }
  }

  void ReadRow(const Json& json) {
    static const std::vector<std::string_view> keys = {"constants", "dtypes", "op", "ranks", "when"};
    Accelerator::Row row;
    // A name alone is a row without conditions.
    const Json op = json.is_object() && json.contains("op") ? json["op"] : json;
    if (!op.is_string()) return Fail("must be the name of an operator, or an object with 'op'");
    const std::string name = op.get<std::string>();
    row.op = FindOp(name);
    if (row.op == nullptr) return Fail("there is no operator '{}'{}", name, DidYouMeanOp(name));
    if (json.is_object()) {
      for (const auto& [key, value] : json.items()) {
        if (key == "op") continue;
        if (key == "dtypes")
          row.dtypes = ReadTypes(value);
        else if (key == "ranks")
          row.ranks = ReadNumbers(key, value);
        else if (key == "constants")
          row.constants = ReadNumbers(key, value);
        else if (key == "when")
          ReadConditions(value, row);
        else
          return Fail("unknown key '{}'{}", key, DidYouMean(key, keys));
      }
    }
    table_.rows_.push_back(std::move(row));
  }

  static auto DidYouMeanOp(std::string_view name) -> std::string {
    const auto names = MapToVector<std::string_view>(AllOps(), &OpDef::name);
    return DidYouMean(name, names);
  }

  auto ReadTypes(const Json& json) -> std::vector<std::string> {
    std::vector<std::string> types;
    const bool is_list = json.is_array() && !json.empty();
    for (const Json& item : is_list ? json : Json::array()) {
      if (!item.is_string() || !ParseDataType(item.get<std::string>())) break;
      types.push_back(item.get<std::string>());
    }
    if (!is_list || types.size() != json.size()) Fail("'dtypes' must be a list of element types");
    return types;
  }

  auto ReadNumbers(const std::string& key, const Json& json) -> std::vector<int64_t> {
    std::vector<int64_t> numbers;
    const bool is_list = json.is_array() && !json.empty();
    for (const Json& item : is_list ? json : Json::array()) {
      if (!item.is_number_unsigned()) break;
      numbers.push_back(item.get<int64_t>());
    }
    if (!is_list || numbers.size() != json.size()) Fail("'{}' must be a list of numbers", key);
    return numbers;
  }

  void ReadConditions(const Json& json, Accelerator::Row& row) {
    if (!json.is_object()) return Fail("'when' must be an object");
    for (const auto& [name, value] : json.items()) {
      if (row.op->attrs == nullptr || row.op->attrs->Find(name) == nullptr) {
        const auto names = row.op->attrs == nullptr ? std::vector<std::string_view>() : NamesOf(*row.op->attrs);
        return Fail("{} has no attribute '{}'{}", row.op->name, name, DidYouMean(name, names));
      }
      Accelerator::AttrCondition condition{.attribute = name};
      if (value.is_object())
        ReadCondition(value, condition);
      else
        condition.any_of.push_back(TextOf(value));
      row.when.push_back(std::move(condition));
    }
  }

  void ReadCondition(const Json& json, Accelerator::AttrCondition& condition) {
    for (const auto& [key, value] : json.items()) {
      if (key == "any_of" && value.is_array() && !value.empty()) {
        for (const Json& item : value) condition.any_of.push_back(TextOf(item));
      } else if (key == "at_least" && value.is_number_integer()) {
        condition.range.at_least = value.get<int64_t>();
      } else if (key == "at_most" && value.is_number_integer()) {
        condition.range.at_most = value.get<int64_t>();
      } else {
        return Fail(
            "the condition on '{}' must be a value, {{\"any_of\": [...]}}, or {{\"at_least\": n, \"at_most\": n}}",
            condition.attribute);
      }
    }
  }

  void ReadPattern(const Json& json) {
    if (!json.is_object() || json.size() != 2 || !json.contains("name") || !json.contains("pattern") ||
        !json["name"].is_string() || !json["pattern"].is_string()) {
      return Fail("must be an object with 'name' and 'pattern'");
    }
    const auto text = json["pattern"].get<std::string>();
    Context context;
    PatternTable patterns;
    if (const auto pattern = ParsePattern(context, patterns, text); !pattern) return Fail("{}", pattern.error().text);
    table_.patterns_.push_back({table_.name_ + "." + json["name"].get<std::string>(), text});
  }

  std::string_view text_;
  Accelerator table_;
  // The position of the error in the text, if it is known.
  std::optional<size_t> at_;
  // The beginning of error messages: the file and the row.
  std::string place_;
  std::string error_;
};

auto Accelerator::Parse(std::string_view json, std::string_view where) -> Result<Accelerator> {
  return AcceleratorReader().Read(json, where);
}

auto Accelerator::ReadFile(std::string_view path) -> Result<Accelerator> {
  if (path.starts_with('@')) path.remove_prefix(1);
  std::string error;
  const auto source = SourceText::Open(std::string(path), error);
  if (source == nullptr) return MakeDiagnostic(kCannotRead, {}, path, error);
  return Parse(source->text(), path);
}

}  // namespace relayopt
