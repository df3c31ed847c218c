// Parses target tables, and creates the built-in one.
#include <fmt/core.h>

#include <algorithm>

#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/target_table.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/json.h"

namespace relayopt {

namespace {

// In the order in which they were written.
using Json = OrderedJson;

constexpr DiagnosticKind kTableSyntax = {"target-table-syntax", Severity::kError, "the target table {}"};
constexpr DiagnosticKind kBadTableRow = {"bad-target-table-row", Severity::kError, "row {} of the target table: {}"};

// TVM's choices without tuning records. Channels are packed by what divides them and fits a vector: output
// channels by at most a vector, input channels by at most as many; columns of dense by at most two vectors.
constexpr std::string_view kX86 = R"json({"alter": [
  {"op": "nn.conv2d", "features": ["sse4.2"], "dtypes": ["uint8", "int8"], "ranks": [4, 4],
   "extents": {"O": [1, 0], "C": [0, 1]},
   "when": {"groups": 1, "data_layout": "NCHW", "kernel_layout": "OIHW"},
   "tiles": {"oc": {"divides": "O", "at_most": 16, "at_least": 16},
             "ic": {"divides": "C", "at_most": 16, "at_least": 4, "step": 4}},
   "becomes": "nn.contrib_conv2d_NCHWc",
   "attrs": {"channels": "{O}", "data_layout": "NCHW{ic}c", "kernel_layout": "OIHW{ic/4}i{oc}o4i",
             "out_layout": "NCHW{oc}c"}},
  {"op": "nn.conv2d", "ranks": [4, 4],
   "extents": {"O": [1, 0], "C": [0, 1]},
   "when": {"groups": 1, "data_layout": "NCHW", "kernel_layout": "OIHW"},
   "tiles": {"oc": {"divides": "O", "at_most": "lanes"}, "ic": {"divides": "C", "at_most": "oc"}},
   "becomes": "nn.contrib_conv2d_NCHWc",
   "attrs": {"channels": "{O}", "data_layout": "NCHW{ic}c", "kernel_layout": "OIHW{ic}i{oc}o",
             "out_layout": "NCHW{oc}c"}},
  {"op": "nn.conv2d", "ranks": [4, 4],
   "extents": {"O": [1, 0], "multiplier": [1, 1], "C": [0, 1]},
   "when": {"O": "{C}", "multiplier": 1, "groups": "{C}", "dilation": "[1, 1]", "data_layout": "NCHW",
            "kernel_layout": "OIHW"},
   "tiles": {"oc": {"divides": "O", "at_most": "lanes"}, "ic": {"divides": "C", "at_most": "oc"}},
   "becomes": "nn.contrib_depthwise_conv2d_NCHWc",
   "attrs": {"channels": "{O}", "data_layout": "NCHW{ic}c", "kernel_layout": "OIHW1i{oc}o",
             "out_layout": "NCHW{oc}c"}},
  {"op": "nn.conv2d",
   "when": {"data_layout": "NCHW#c", "kernel_layout": "OIHW#i#o"},
   "becomes": "nn.contrib_conv2d_NCHWc"},
  {"op": "nn.dense", "features": ["avx512f", "avx512bw"], "dtypes": ["uint8", "int8"], "ranks": [2, 2],
   "extents": {"N": [1, 0], "K": [1, 1]},
   "tiles": {"n": {"divides": "N", "at_most": 16, "at_least": 16}, "k": {"divides": "K", "at_most": 4, "at_least": 4}},
   "becomes": "nn.contrib_dense_pack",
   "attrs": {"units": "None", "out_dtype": "{result_dtype}", "weight_layout": "NC16n4c"}},
  {"op": "nn.dense", "dynamic": true,
   "extents": {"M": [0, 0]},
   "when": {"M": 1}},
  {"op": "nn.dense", "ranks": [2, 2],
   "extents": {"N": [1, 0]},
   "tiles": {"n": {"divides": "N", "at_most": "2*lanes"}},
   "becomes": "nn.contrib_dense_pack",
   "attrs": {"units": "None", "out_dtype": "{result_dtype}", "weight_layout": "NC{n}n"}}
]})json";

}  // namespace

class TableReader {
 public:
  auto Read(std::string_view text) -> Result<TargetTable> {
    const Json json = ParseJson(text);
    if (!json.is_object() || !json.contains("alter") || json.size() != 1 || !json["alter"].is_array()) {
      return MakeDiagnostic(kTableSyntax, {}, "must be a JSON object {\"alter\": [...]}");
    }
    TargetTable table;
    for (const Json& item : json["alter"]) {
      TargetTable::Row row;
      error_.clear();
      ReadRow(item, row);
      if (!error_.empty()) return MakeDiagnostic(kBadTableRow, {}, table.rows_.size() + 1, error_);
      table.rows_.push_back(std::move(row));
    }
    return table;
  }

 private:
  // Keeps the first error.
  template <typename... Args>
  void Fail(fmt::format_string<Args...> format, Args&&... args) {
    if (error_.empty()) error_ = fmt::format(format, std::forward<Args>(args)...);
  }

  void ReadRow(const Json& json, TargetTable::Row& row) {
    if (!json.is_object()) return Fail("a row must be an object");
    for (const auto& [key, value] : json.items()) {
      if (key == "op")
        row.op = ReadOp(value);
      else if (key == "becomes")
        row.becomes = ReadOp(value);
      else if (key == "features")
        row.features = ReadList<std::string>(key, value);
      else if (key == "dtypes")
        row.dtypes = ReadList<std::string>(key, value);
      else if (key == "ranks")
        row.ranks = ReadList<int64_t>(key, value);
      else if (key == "dynamic")
        row.dynamic = ReadBool(key, value);
      else if (key == "extents")
        ReadExtents(value, row);
      else if (key == "tiles")
        ReadTiles(value, row);
      else if (key == "when")
        row.when = ReadTexts(key, value);
      else if (key == "attrs")
        row.attrs = ReadTexts(key, value);
      else
        Fail("unknown field '{}'", key);
    }
    if (row.op == nullptr) return Fail("'op' is missing");
    if (row.becomes == nullptr && !row.attrs.empty()) return Fail("'attrs' needs 'becomes'");
    CheckNames(row);
  }

  // Conditions are about extents of the row and attributes of the operator, attributes about the new one.
  void CheckNames(const TargetTable::Row& row) {
    const auto is_extent = [&](const std::string& name) {
      return std::any_of(row.extents.begin(), row.extents.end(), [&](const auto& e) { return e.name == name; });
    };
    const auto has = [](const OpDef& op, const std::string& name) {
      return op.attrs != nullptr && op.attrs->Find(name) != nullptr;
    };
    for (const auto& [name, text] : row.when) {
      if (!is_extent(name) && !has(*row.op, name)) Fail("{} has no attribute '{}'", row.op->name, name);
    }
    for (const auto& [name, text] : row.attrs) {
      if (!has(*row.becomes, name)) Fail("{} has no attribute '{}'", row.becomes->name, name);
    }
    for (const auto& tile : row.tiles) {
      if (!is_extent(tile.divides)) Fail("tile '{}' divides '{}', which is not an extent", tile.name, tile.divides);
    }
  }

  auto ReadOp(const Json& json) -> const OpDef* {
    const std::string name = json.is_string() ? json.get<std::string>() : std::string();
    const OpDef* op = FindOp(name);
    if (op == nullptr) Fail("unknown operator '{}'", name);
    return op;
  }

  auto ReadBool(const std::string& key, const Json& json) -> bool {
    if (!json.is_boolean()) Fail("'{}' must be true or false", key);
    return json.is_boolean() && json.get<bool>();
  }

  template <typename T>
  auto ReadList(const std::string& key, const Json& json) -> std::vector<T> {
    std::vector<T> list;
    const auto fits = [](const Json& item) {
      return std::is_same_v<T, std::string> ? item.is_string() : item.is_number_integer();
    };
    if (!json.is_array() || !std::all_of(json.begin(), json.end(), fits)) {
      Fail("'{}' must be a list of {}", key, std::is_same_v<T, std::string> ? "strings" : "numbers");
      return list;
    }
    for (const Json& item : json) list.push_back(item.get<T>());
    return list;
  }

  void ReadExtents(const Json& json, TargetTable::Row& row) {
    if (!json.is_object()) return Fail("'extents' must be an object");
    for (const auto& [name, place] : json.items()) {
      const auto numbers = ReadList<int64_t>("extents", place);
      if (numbers.size() != 2 || numbers[0] < 0 || numbers[1] < 0)
        return Fail("extent '{}' must be [operand, axis]", name);
      row.extents.push_back({name, static_cast<size_t>(numbers[0]), static_cast<size_t>(numbers[1])});
    }
  }

  void ReadTiles(const Json& json, TargetTable::Row& row) {
    if (!json.is_object()) return Fail("'tiles' must be an object");
    for (const auto& [name, fields] : json.items()) {
      TargetTable::Tile tile{.name = name};
      if (!fields.is_object()) return Fail("tile '{}' must be an object", name);
      for (const auto& [key, value] : fields.items()) {
        if (key == "divides" && value.is_string())
          tile.divides = value.get<std::string>();
        else if (key == "at_most")
          tile.at_most = Text(value);
        else if (key == "at_least" && value.is_number_integer())
          tile.at_least = value.get<int64_t>();
        else if (key == "step" && value.is_number_integer())
          tile.step = value.get<int64_t>();
        else
          return Fail("tile '{}' has a bad field '{}'", name, key);
      }
      if (tile.divides.empty() || tile.at_most.empty()) return Fail("tile '{}' needs 'divides' and 'at_most'", name);
      if (tile.step < 1 || tile.at_least < 1) return Fail("tile '{}': 'step' and 'at_least' must be positive", name);
      row.tiles.push_back(std::move(tile));
    }
  }

  auto ReadTexts(const std::string& key, const Json& json) -> TargetTable::Texts {
    TargetTable::Texts texts;
    if (!json.is_object())
      Fail("'{}' must be an object", key);
    else
      for (const auto& [name, value] : json.items()) texts.emplace_back(name, Text(value));
    return texts;
  }

  // Returns a string unchanged, and anything else as JSON.
  auto Text(const Json& json) -> std::string { return json.is_string() ? json.get<std::string>() : json.dump(); }

  std::string error_;
};

auto TargetTable::Parse(std::string_view json) -> Result<TargetTable> { return TableReader().Read(json); }

auto TargetTable::BuiltIn(const Target& target) -> const TargetTable* {
  if (!target.is_x86()) return nullptr;
  static const TargetTable table = [] {
    auto read = Parse(kX86);
    RELAYOPT_CHECK(read.has_value(), "the built-in target table is well-formed");
    return *std::move(read);
  }();
  return &table;
}

}  // namespace relayopt
