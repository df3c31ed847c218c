// Prints summaries of models as tables and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "relayopt/relay/analysis/summary.h"
#include "relayopt/support/json.h"

namespace relayopt {

namespace {

using Json = OrderedJson;

auto Scaled(uint64_t number, uint64_t base, std::initializer_list<std::string_view> units) -> std::string {
  double scaled = static_cast<double>(number);
  const std::string_view* unit = units.begin();
  // Numbers that would be rounded up to the next unit are shown in that unit.
  while (scaled >= static_cast<double>(base) - 0.05 && unit + 1 != units.end()) {
    scaled /= static_cast<double>(base);
    ++unit;
  }
  if (unit == units.begin()) return fmt::format("{}{}{}", number, unit->empty() ? "" : " ", *unit);
  return fmt::format("{:.1f} {}", scaled, *unit);
}

// A row of the table of totals, in order.
struct Total {
  std::string_view name;
  std::string_view key;
  uint64_t (*value)(const ModelSummary& summary);
  std::string (*text)(uint64_t value);
  // Whether the number is one of the model, not of its operators in Relay, of which another system needs more or fewer.
  bool of_model = false;
  // Whether it lacks the part that depends on unknown extents.
  bool of_extents = false;
};
constexpr Total kTotals[] = {
    {"kernels to launch", "kernels", [](const ModelSummary& s) { return s.total.kernels; }, CountText},
    {"operators", "operators", [](const ModelSummary& s) { return s.total.operators; }, CountText},
    {"multiply-accumulates", "macs", [](const ModelSummary& s) { return s.total.macs; }, CountText, true, true},
    {"parameters", "parameters", [](const ModelSummary& s) { return s.total.parameters; }, CountText, true},
    {"bytes of weights", "weight_bytes", [](const ModelSummary& s) { return s.total.weight_bytes; }, BytesText, true},
    {"bytes of activations", "activation_bytes", [](const ModelSummary& s) { return s.total.activation_bytes; },
     BytesText, false, true},
    {"peak of activations", "peak_activation_bytes", [](const ModelSummary& s) { return s.peak_bytes; }, BytesText,
     false, true},
    {"layers of unknown size", "unknown", [](const ModelSummary& s) { return s.unknown; }, CountText},
};
// Said only when there are any.
constexpr std::string_view kUnknownKey = "unknown";
constexpr std::string_view kMacsKey = "macs";

// The number as text; of a model with unknown extents it is a part of the whole, if anything.
auto TotalText(const Total& row, const ModelSummary& summary) -> std::string {
  const uint64_t value = row.value(summary);
  if (row.key == kMacsKey && !summary.symbolic_macs.empty()) return summary.symbolic_macs;
  if (!row.of_extents || summary.unknown == 0) return row.text(value);
  return value == 0 ? "?" : row.text(value) + " + ?";
}

auto ToObject(const SummaryCounts& counts) -> Json {
  return {{"kernels", counts.kernels},
          {"operators", counts.operators},
          {"macs", counts.macs},
          {"parameters", counts.parameters},
          {"weight_bytes", counts.weight_bytes},
          {"activation_bytes", counts.activation_bytes}};
}

auto ToObject(const ModelSummary& summary) -> Json {
  Json total = Json::object();
  for (const Total& row : kTotals) total[std::string(row.key)] = row.value(summary);
  if (!summary.symbolic_macs.empty()) total["symbolic_macs"] = summary.symbolic_macs;
  Json layers = Json::array();
  for (const SummaryLayer& layer : summary.layers) {
    Json entry = {{"name", layer.name}, {"function", layer.function}, {"output", layer.output}};
    if (!layer.source.empty()) entry["source"] = layer.source;
    entry.update(ToObject(layer));
    layers.push_back(std::move(entry));
  }
  return {{"total", std::move(total)}, {"operators", summary.operators}, {"layers", std::move(layers)}};
}

using TableRow = std::array<std::string, 3>;

// Adds a row for each kind of nodes whose number has changed, the largest changes first.
void AddKinds(const GraphCounts& before, const GraphCounts& after, std::vector<TableRow>& rows) {
  struct Kind {
    std::string name;
    int64_t before = 0;
    int64_t after = 0;
    auto change() const -> int64_t { return after > before ? after - before : before - after; }
  };
  std::map<std::string, Kind> kinds;
  for (const auto& [name, count] : before.kinds) kinds[name] = {name, static_cast<int64_t>(count), 0};
  for (const auto& [name, count] : after.kinds) {
    kinds[name].name = name;
    kinds[name].after = static_cast<int64_t>(count);
  }
  std::vector<Kind> changed;
  for (const auto& [name, kind] : kinds) {
    if (kind.change() != 0) changed.push_back(kind);
  }
  std::ranges::stable_sort(changed, std::greater<>(), &Kind::change);
  // A single remaining row takes as much space as the line that would count it.
  constexpr size_t kMost = 6;
  const size_t shown = changed.size() <= kMost + 1 ? changed.size() : kMost;
  for (size_t i = 0; i < shown; ++i) {
    rows.push_back({"  " + changed[i].name, fmt::to_string(changed[i].before), fmt::to_string(changed[i].after)});
  }
  if (changed.size() > shown) rows.push_back({fmt::format("  and {} more kinds", changed.size() - shown), "", ""});
}

auto Dump(const Json& json) -> std::string { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// Cut in the middle where it is longer than `width`.
auto Fitted(const std::string& text, size_t width) -> std::string {
  if (text.size() <= width) return text;
  return text.substr(0, width - 3) + "...";
}

// The longest text of a column of a table with two; longer ones are polynomials.
constexpr size_t kWidestColumn = 24;

// Breaks a polynomial into lines below each other.
auto Broken(const std::string& polynomial, size_t indent) -> std::string {
  constexpr size_t kWidth = 100;
  std::string text;
  size_t column = indent;
  for (size_t begin = 0; begin < polynomial.size();) {
    const size_t plus = polynomial.find(" + ", begin);
    const size_t end = plus == std::string::npos ? polynomial.size() : plus + 2;
    if (begin != 0 && column + (end - begin) > kWidth) {
      text += '\n';
      text.append(indent, ' ');
      column = indent;
      if (polynomial[begin] == ' ') ++begin;
    }
    text += polynomial.substr(begin, end - begin);
    column += end - begin;
    begin = end;
  }
  return text;
}

// Returns a row whose values are too long to stand beside each other.
auto LongRow(std::string_view name, const std::string& before, const std::string& after) -> std::string {
  constexpr size_t kIndent = 24;
  std::string text = fmt::format("{:<24}{}\n", name, Broken(before, kIndent));
  if (after != before) text += fmt::format("{:>22}  {}\n", "after", Broken(after, kIndent));
  return text;
}

}  // namespace

auto CountText(uint64_t count) -> std::string { return Scaled(count, 1000, {"", "k", "M", "G", "T"}); }
auto BytesText(uint64_t bytes) -> std::string { return Scaled(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"}); }

auto ToTable(const ModelSummary& summary) -> std::string {
  constexpr size_t kNameWidth = 40;
  constexpr size_t kOutputWidth = 34;
  constexpr auto kRow = "{:>4}  {:<40}  {:<34}  {:>8}  {:>8}  {:>10}  {:>11}{}\n";
  // Models without names have no column for them.
  const bool has_sources = std::ranges::any_of(summary.layers, [](const auto& layer) { return !layer.source.empty(); });
  std::string text = fmt::format(fmt::runtime(kRow), "#", "layer", "output", "MACs", "params", "weights", "activations",
                                 has_sources ? "  in the model" : "");
  size_t number = 0;
  for (const SummaryLayer& layer : summary.layers) {
    const std::string name = layer.function == "main" ? layer.name : "@" + layer.function + ": " + layer.name;
    const auto or_dash = [](uint64_t value, std::string (*print)(uint64_t)) { return value == 0 ? "-" : print(value); };
    text += fmt::format(fmt::runtime(kRow), ++number, Fitted(name, kNameWidth), Fitted(layer.output, kOutputWidth),
                        layer.has_unknown_macs ? "?" : or_dash(layer.macs, CountText),
                        or_dash(layer.parameters, CountText), or_dash(layer.weight_bytes, BytesText),
                        layer.has_unknown_result ? "?" : or_dash(layer.activation_bytes, BytesText),
                        layer.source.empty() ? "" : "  " + layer.source);
  }
  text += '\n';
  for (const Total& row : kTotals) {
    if (row.key == kUnknownKey && row.value(summary) == 0) continue;
    text += fmt::format("{:<24}{:>12}\n", row.name, TotalText(row, summary));
  }
  return text;
}

auto ToTable(const ModelSummary& before, const ModelSummary& after, const NodeCounts* nodes) -> std::string {
  std::vector<TableRow> rows = {{"", "before", "after"}};
  if (nodes != nullptr) {
    rows.push_back({"nodes", nodes->before ? CountText(nodes->before->nodes) : "-", CountText(nodes->after.nodes)});
    if (nodes->before) AddKinds(*nodes->before, nodes->after, rows);
  }
  for (const Total& row : kTotals) {
    if (nodes != nullptr && !row.of_model) continue;
    if (row.key == kUnknownKey && row.value(before) == 0 && row.value(after) == 0) continue;
    rows.push_back({std::string(row.name), TotalText(row, before), TotalText(row, after)});
  }
  if (nodes != nullptr) {
    const std::string old = nodes->before ? fmt::to_string(nodes->before->opset) : "-";
    rows.push_back({"opset", old, fmt::to_string(nodes->after.opset)});
  }
  size_t width = 12;
  for (const auto& [name, left, right] : rows) {
    const size_t longer = std::max(left.size(), right.size());
    if (longer <= kWidestColumn) width = std::max(width, longer + 2);
  }
  std::string text;
  for (const auto& [name, left, right] : rows) {
    const bool is_long = std::max(left.size(), right.size()) > kWidestColumn;
    text += is_long ? LongRow(name, left, right) : fmt::format("{:<24}{:>{}}{:>{}}\n", name, left, width, right, width);
  }
  return text;
}

auto ToJson(const ModelSummary& summary) -> std::string {
  Json json = {{"version", 1}};
  json.update(ToObject(summary));
  return Dump(json);
}

auto ToJson(const ModelSummary& before, const ModelSummary& after) -> std::string {
  return Dump({{"version", 1}, {"before", ToObject(before)}, {"after", ToObject(after)}});
}

}  // namespace relayopt
