// Measures passes and renders what was measured.
#include "relayopt/pass/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "relayopt/pass/growth.h"
#include "relayopt/pass/pass.h"
#include "relayopt/support/json.h"
#include "relayopt/support/process.h"

namespace relayopt {

namespace {

using Json = OrderedJson;

template <typename Duration>
auto Micros(Duration duration) -> double {
  return std::chrono::duration<double, std::micro>(duration).count();
}

template <typename Duration>
auto Nanos(Duration duration) -> int64_t {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

auto Percent(PassTimingInstrument::Clock::duration part, PassTimingInstrument::Clock::duration whole) -> double {
  return whole.count() == 0 ? 0 : 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

auto Mebibytes(int64_t bytes) -> double { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

struct PassTimingInstrument::Row {
  std::string name;
  uint32_t depth;
  Clock::duration wall{};
  Clock::duration self{};
  std::chrono::microseconds user{};
  std::chrono::microseconds system{};
  int64_t runs = 0;
  int64_t changed = 0;
  int64_t growth = 0;
  int64_t memory = 0;
  std::vector<size_t> children;

  void Add(const Node& node) {
    wall += node.wall();
    self += node.self();
    user += node.after.user - node.before.user;
    system += node.after.system - node.before.system;
    growth += node.size_after - node.size_before;
    memory += node.after.resident - node.before.resident;
    changed += node.changed ? 1 : 0;
    ++runs;
  }
};

auto PassTimingInstrument::Usage::Now() -> Usage {
  Usage usage;
  const ProcessUsage process = MeasureProcess();
  usage.user = process.user;
  usage.system = process.system;
  usage.peak = process.peak;
  usage.resident = process.resident;
  usage.wall = Clock::now();
  return usage;
}

auto PassTimingInstrument::ExitPassContext() -> std::optional<Diagnostic> {
  nodes_.clear();
  open_.clear();
  return std::nullopt;
}

auto PassTimingInstrument::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  const auto index = static_cast<uint32_t>(nodes_.size());
  Node& node = nodes_.emplace_back();
  node.name = info.name;
  node.depth = static_cast<uint32_t>(open_.size());
  node.parent = open_.empty() ? index : open_.back();
  node.size_before = static_cast<int64_t>(SizeOf(module));
  open_.push_back(index);
  node.before = Usage::Now();
  node.after = node.before;
  return std::nullopt;
}

auto PassTimingInstrument::RunAfterPass(const Module& module, const PassInfo&, bool changed)
    -> std::optional<Diagnostic> {
  End(module, changed);
  return std::nullopt;
}

void PassTimingInstrument::PassFailed(const Module& module, const PassInfo&, const Diagnostic&) { End(module, false); }

void PassTimingInstrument::End(const Module& module, bool changed) {
  const Usage now = Usage::Now();
  if (open_.empty()) return;
  Node& node = nodes_[open_.back()];
  open_.pop_back();
  node.after = now;
  node.changed = changed;
  node.size_after = static_cast<int64_t>(SizeOf(module));
  if (node.depth != 0) nodes_[node.parent].children += node.wall();
}

auto PassTimingInstrument::Total() const -> Clock::duration {
  Clock::duration all{};
  for (const Node& node : nodes_) all += node.depth == 0 ? node.wall() : Clock::duration();
  return all;
}

auto PassTimingInstrument::Render() const -> std::string {
  const Clock::duration all = Total();
  std::string out;
  for (const Node& node : nodes_) {
    const Clock::duration around = node.depth == 0 ? all : nodes_[node.parent].wall();
    out += std::string(node.depth, '\t');
    out += fmt::format("{}: {:.0f}us [{:.0f}us] ({:.2f}%; {:.2f}%)\n", node.name, Micros(node.wall()),
                       Micros(node.self()), Percent(node.wall(), all), Percent(node.wall(), around));
  }
  return out;
}

auto PassTimingInstrument::MakeRows(Rows kind) const -> std::vector<Row> {
  constexpr size_t kTop = SIZE_MAX;
  std::vector<Row> rows;
  std::vector<size_t> row_of(nodes_.size());
  // In a tree the passes of a sequence without a name belong to what it is in.
  const std::string unnamed = Sequential({}).info().name;
  std::vector<size_t> top;
  std::map<std::pair<size_t, std::string>, size_t> known;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const bool is_tree = kind == Rows::kTree;
    const size_t parent = node.depth == 0 || !is_tree ? kTop : row_of[node.parent];
    if (parent != kTop && node.name == unnamed) {
      row_of[i] = parent;
      rows[parent].self += node.self();
      continue;
    }
    const std::string name = kind == Rows::kRuns ? fmt::format("#{} {}", i + 1, node.name) : node.name;
    const auto [entry, is_new] = known.try_emplace({parent, name}, rows.size());
    if (is_new) {
      const uint32_t depth = kind == Rows::kRuns ? node.depth : parent == kTop ? 0 : rows[parent].depth + 1;
      rows.push_back({.name = name, .depth = depth, .children = {}});
      (parent == kTop ? top : rows[parent].children).push_back(entry->second);
    }
    row_of[i] = entry->second;
    rows[entry->second].Add(node);
  }
  if (kind == Rows::kList) {
    std::stable_sort(top.begin(), top.end(), [&](size_t a, size_t b) { return rows[a].self > rows[b].self; });
  }
  std::vector<Row> ordered;
  std::vector<size_t> pending(top.rbegin(), top.rend());
  while (!pending.empty()) {
    const Row& row = rows[pending.back()];
    pending.pop_back();
    ordered.push_back(row);
    pending.insert(pending.end(), row.children.rbegin(), row.children.rend());
  }
  return ordered;
}

auto PassTimingInstrument::RenderTable(Rows kind) const -> std::string {
  const Clock::duration all = Total();
  const Usage now = Usage::Now();
  std::string out = fmt::format(
      "=== relayopt pass timing === wall {:.3f} ms; process: user {:.1f} ms, system {:.1f} ms, peak {:.1f} MiB\n",
      Micros(all) / 1000, Micros(now.user) / 1000, Micros(now.system) / 1000, Mebibytes(now.peak));
  out += "   wall ms       %   user ms    sys ms    self ms  runs  changed  exprs +/-  MiB +/-  name\n";
  for (const Row& row : MakeRows(kind)) {
    out += fmt::format("{:10.3f}  {:5.1f}%  {:8.2f}  {:8.2f}  {:9.3f}  {:4}  {:7}  {:+9}  {:+7.1f}  {}{}\n",
                       Micros(row.wall) / 1000, Percent(row.wall, all), Micros(row.user) / 1000,
                       Micros(row.system) / 1000, Micros(row.self) / 1000, row.runs, row.changed, row.growth,
                       Mebibytes(row.memory), std::string(2 * size_t{row.depth}, ' '), row.name);
  }
  return out;
}

auto PassTimingInstrument::RenderJson() const -> std::string {
  Json runs = Json::array();
  for (const Node& node : nodes_) {
    runs.push_back({{"name", node.name},
                    {"parent", node.depth == 0 ? Json() : Json(node.parent)},
                    {"wall_ns", Nanos(node.wall())},
                    {"self_ns", Nanos(node.self())},
                    {"user_ns", Nanos(node.after.user - node.before.user)},
                    {"system_ns", Nanos(node.after.system - node.before.system)},
                    {"changed", node.changed},
                    {"exprs_before", node.size_before},
                    {"exprs_after", node.size_after},
                    {"resident_bytes_before", node.before.resident},
                    {"resident_bytes_after", node.after.resident}});
  }
  const Usage now = Usage::Now();
  return Json({{"version", 1},
               {"wall_ns", Nanos(Total())},
               {"user_ns", Nanos(now.user)},
               {"system_ns", Nanos(now.system)},
               {"peak_resident_bytes", now.peak},
               {"runs", std::move(runs)}})
             .dump(2) +
         "\n";
}

auto PassTimingInstrument::RenderTrace(Clock::duration granularity) const -> std::string {
  Json events = Json::array();
  for (const Node& node : nodes_) {
    if (node.wall() < granularity) continue;
    events.push_back({{"name", node.name},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", Micros(node.before.wall - nodes_.front().before.wall)},
                      {"dur", Micros(node.wall())},
                      {"args", {{"changed", node.changed}, {"exprs", node.size_after}}}});
  }
  return Json({{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}).dump() + "\n";
}

}  // namespace relayopt
