// Parses the table of an accelerator.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "accelerator.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"

namespace relayopt {

namespace {

using Json = nlohmann::ordered_json;

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
  std::vector<std::string_view> names;
  for (const FieldInfo& field : schema.fields) names.push_back(field.name);
  return names;
}

}  // namespace

class AcceleratorReader {
 public:
  auto Read(std::string_view text, std::string_view where) -> Result<Accelerator> {
    const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
    ReadAll(json);
    if (!error_.empty()) return MakeDiagnostic(kBadTable, {}, where, error_);
    return std::move(table_);
  }

 private:
  // Keeps the first error.
  template <typename... Args>
  void Fail(fmt::format_string<Args...> format, Args&&... args) {
    if (error_.empty()) error_ = place_ + fmt::format(format, std::forward<Args>(args)...);
  }

  void ReadAll(const Json& json) {
    if (!json.is_object())
      return Fail("must be a JSON object {{\"name\": ..., \"operators\": [...], \"patterns\": [...]}}");
    static const std::vector<std::string_view> kKeys = {"name", "operators", "patterns"};
    for (const auto& [key, value] : json.items()) {
      if (std::ranges::find(kKeys, key) == kKeys.end()) return Fail("unknown key '{}'{}", key, DidYouMean(key, kKeys));
    }
    if (!json.contains("name") || !json["name"].is_string() || json["name"].get<std::string>().empty())
      return Fail("'name' must be the name of the compiler");
    table_.name_ = json["name"].get<std::string>();
    if (!json.contains("operators") && !json.contains("patterns"))
      return Fail("there are no operators and no patterns");
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
      place_.clear();
    }
  }

  void ReadRow(const Json& json) {
    static const std::vector<std::string_view> kKeys = {"constants", "dtypes", "op", "ranks", "when"};
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
          return Fail("unknown key '{}'{}", key, DidYouMean(key, kKeys));
      }
    }
    table_.rows_.push_back(std::move(row));
  }

  static auto DidYouMeanOp(std::string_view name) -> std::string {
    std::vector<std::string_view> names;
    for (const OpDef* op : AllOps()) names.push_back(op->name);
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
    table_.patterns_.push_back(
        {table_.name_ + "." + json["name"].get<std::string>(), json["pattern"].get<std::string>()});
  }

  Accelerator table_;
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
