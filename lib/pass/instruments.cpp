// Timing, printing and verifying around passes.
#include "relayopt/pass/instruments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "relayopt/ir/verifier.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/pass/pass.h"

namespace relayopt {

namespace {

auto Size(const Module& module) -> int64_t {
  size_t size = 0;
  for (const Global& global : module.globals()) size += global.function == nullptr ? 0 : global.function->size();
  return static_cast<int64_t>(size);
}

auto Micros(PassTimingInstrument::Clock::duration duration) -> double {
  return std::chrono::duration<double, std::micro>(duration).count();
}

auto Percent(PassTimingInstrument::Clock::duration part, PassTimingInstrument::Clock::duration whole) -> double {
  return whole.count() == 0 ? 0 : 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

auto IsInferType(const PassInfo& info) -> bool { return info.name == InferTypePass()->info().name; }

// Writes to a stream.
class FileSink final : public TextSink {
 public:
  explicit FileSink(std::FILE* file) : file_(file) {}
  void Write(std::string_view text) override { std::fwrite(text.data(), 1, text.size(), file_); }

 private:
  std::FILE* file_;
};

auto Contains(const std::vector<std::string>& names, const std::string& name) -> bool {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

auto PassTimingInstrument::ExitPassContext() -> std::optional<Diagnostic> {
  nodes_.clear();
  open_.clear();
  return std::nullopt;
}

auto PassTimingInstrument::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  Node node;
  node.name = info.name;
  node.depth = static_cast<uint32_t>(open_.size());
  const auto index = static_cast<uint32_t>(nodes_.size());
  node.parent = open_.empty() ? index : open_.back();
  node.size_before = Size(module);
  open_.push_back(index);
  node.start = Clock::now();
  nodes_.push_back(std::move(node));
  return std::nullopt;
}

auto PassTimingInstrument::RunAfterPass(const Module& module, const PassInfo&, bool changed)
    -> std::optional<Diagnostic> {
  const Clock::time_point now = Clock::now();
  if (open_.empty()) return std::nullopt;
  Node& node = nodes_[open_.back()];
  open_.pop_back();
  node.total = now - node.start;
  node.changed = changed;
  node.size_after = Size(module);
  if (node.depth != 0) nodes_[node.parent].children += node.total;
  return std::nullopt;
}

auto PassTimingInstrument::Render() const -> std::string {
  Clock::duration all{};
  for (const Node& node : nodes_) all += node.depth == 0 ? node.total : Clock::duration();
  std::string out;
  for (const Node& node : nodes_) {
    const Clock::duration around = node.depth == 0 ? all : nodes_[node.parent].total;
    out += std::string(node.depth, '\t');
    out += fmt::format("{}: {:.0f}us [{:.0f}us] ({:.2f}%; {:.2f}%)\n", node.name, Micros(node.total),
                       Micros(node.total - node.children), Percent(node.total, all), Percent(node.total, around));
  }
  return out;
}

auto PassTimingInstrument::RenderTable() const -> std::string {
  // Rows are runs of one name below one row.
  struct Row {
    std::string_view name;
    uint32_t depth;
    Clock::duration total{};
    Clock::duration self{};
    int64_t runs = 0;
    int64_t changed = 0;
    int64_t growth = 0;
    std::vector<size_t> children;
  };
  std::vector<Row> rows;
  std::vector<size_t> row_of(nodes_.size());
  std::vector<size_t> top;
  std::map<std::pair<size_t, std::string_view>, size_t> known;
  Clock::duration all{};
  constexpr size_t kTop = SIZE_MAX;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const size_t parent = node.depth == 0 ? kTop : row_of[node.parent];
    const auto [entry, is_new] = known.try_emplace({parent, node.name}, rows.size());
    if (is_new) {
      rows.push_back({.name = node.name, .depth = node.depth, .children = {}});
      (parent == kTop ? top : rows[parent].children).push_back(entry->second);
    }
    row_of[i] = entry->second;
    Row& row = rows[entry->second];
    row.total += node.total;
    row.self += node.total - node.children;
    row.growth += node.size_after - node.size_before;
    row.changed += node.changed ? 1 : 0;
    ++row.runs;
    if (parent == kTop) all += node.total;
  }
  std::string out = fmt::format("=== relayopt pass timing === {:.3f} ms\n", Micros(all) / 1000);
  out += "   wall ms       %    self ms  runs  changed  exprs +/-  name\n";
  std::vector<size_t> pending(top.rbegin(), top.rend());
  while (!pending.empty()) {
    const Row& row = rows[pending.back()];
    pending.pop_back();
    out += fmt::format("{:10.3f}  {:5.1f}%  {:9.3f}  {:4}  {:7}  {:+9}  {}{}\n", Micros(row.total) / 1000,
                       Percent(row.total, all), Micros(row.self) / 1000, row.runs, row.changed, row.growth,
                       std::string(2 * size_t{row.depth}, ' '), row.name);
    pending.insert(pending.end(), row.children.rbegin(), row.children.rend());
  }
  return out;
}

auto PrintIRInstrument::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  if (options_.before_all || Contains(options_.before, info.name)) Print("Before", module, info);
  return std::nullopt;
}

auto PrintIRInstrument::RunAfterPass(const Module& module, const PassInfo& info, bool changed)
    -> std::optional<Diagnostic> {
  const bool wanted = options_.after_all || Contains(options_.after, info.name);
  if (options_.only_changed && (!changed || IsInferType(info))) return std::nullopt;
  if (wanted) Print("After", module, info);
  return std::nullopt;
}

void PrintIRInstrument::Print(std::string_view when, const Module& module, const PassInfo& info) {
  sink_->Write(fmt::format("*** IR Dump {} {} ***\n", when, info.name));
  PrintModule(module, options_.print, *sink_);
}

auto DumpIRInstrument::RunBeforePass(const Module& module, const PassInfo&) -> std::optional<Diagnostic> {
  if (count_ != 0) return std::nullopt;
  return Dump(module, "input");
}

auto DumpIRInstrument::RunAfterPass(const Module& module, const PassInfo& info, bool changed)
    -> std::optional<Diagnostic> {
  if (IsInferType(info) || info.is_sequence) return std::nullopt;
  if (changed) return Dump(module, info.name);
  ++count_;
  return std::nullopt;
}

auto DumpIRInstrument::Dump(const Module& module, const std::string& name) -> std::optional<Diagnostic> {
  std::string file_name = name;
  for (char& c : file_name) c = c == '/' || c == ' ' || c == '<' || c == '>' ? '_' : c;
  const std::filesystem::path path =
      std::filesystem::path(folder_) / fmt::format("{:03}-{}.relay", count_++, file_name);
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  std::FILE* file = error ? nullptr : std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return MakeDiagnostic(diag::kCannotDump, {}, path.string(), error ? error.message() : std::strerror(errno));
  }
  FileSink sink(file);
  PrintModule(module, print_, sink);
  const bool written = std::ferror(file) == 0;
  if (std::fclose(file) != 0 || !written) {
    return MakeDiagnostic(diag::kCannotDump, {}, path.string(), std::strerror(errno));
  }
  return std::nullopt;
}

auto BisectInstrument::ShouldRun(const Module&, const PassInfo& info) -> Result<bool> {
  if (IsInferType(info) || info.is_sequence) return true;
  const bool runs = ++count_ <= limit_ || limit_ < 0;
  sink_->Write(fmt::format("BISECT: {}running pass ({}) {}\n", runs ? "" : "NOT ", count_, info.name));
  return runs;
}

auto VerifyInstrument::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  std::optional<Diagnostic> error = open_.empty() ? std::nullopt : VerifyChanged(module, open_.back());
  open_.push_back(info.name);
  return error;
}

auto VerifyInstrument::RunAfterPass(const Module& module, const PassInfo& info, bool /*changed*/)
    -> std::optional<Diagnostic> {
  if (!open_.empty()) open_.pop_back();
  return VerifyChanged(module, info.name);
}

auto VerifyInstrument::VerifyChanged(const Module& module, const std::string& culprit) -> std::optional<Diagnostic> {
  const std::vector<Global>& globals = module.globals();
  verified_.resize(globals.size());
  for (size_t i = 0; i < globals.size(); ++i) {
    const FunctionRef& function = globals[i].function;
    if (function == nullptr || verified_[i].lock() == function) continue;
    if (const std::optional<VerifierError> error = Verify(module, *function, false)) {
      return MakeDiagnostic(diag::kBrokenByPass, function->range(error->expr), culprit, module.name(GlobalId(i)),
                            error->text);
    }
    verified_[i] = function;
  }
  return std::nullopt;
}

}  // namespace relayopt
