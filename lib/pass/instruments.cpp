// Instruments that print, select, count and verify around passes.
#include "relayopt/pass/instruments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "relayopt/module/function_kind.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/pass/registry.h"
#include "relayopt/support/json.h"
#include "relayopt/support/line_diff.h"

namespace relayopt {

namespace {

// Writes to a stream.
class FileSink final : public TextSink {
 public:
  explicit FileSink(std::FILE* file) : file_(file) {}
  void Write(std::string_view text) override { std::fwrite(text.data(), 1, text.size(), file_); }

 private:
  std::FILE* file_;
};

auto Contains(const std::vector<std::string>& names, std::string_view name) -> bool {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns the functions with these names, in the order in which they print; all when there are no names.
auto Chosen(const Module& module, const std::vector<std::string>& names) -> std::vector<GlobalId> {
  std::vector<GlobalId> ids = module.SortedFunctions();
  if (!names.empty()) std::erase_if(ids, [&](GlobalId id) { return !Contains(names, module.name(id)); });
  return ids;
}

}  // namespace

auto PrintIRInstrument::ShouldRun(const Module&, const PassInfo& info) -> Result<bool> {
  numbers_.Asks(info);
  return true;
}

auto PrintIRInstrument::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  if (!IsNumbered(info)) {
    if (Contains(options_.before, info.name)) Print("Before", module, info, 0);
    return std::nullopt;
  }
  numbers_.Begins();
  const uint64_t number = numbers_.number();
  if (options_.show_numbers) sink_->Write(fmt::format("Running pass {} {}\n", number, info.name));
  const bool by_number = options_.before_numbers && options_.before_numbers->Contains(number);
  const bool named =
      by_number || Contains(options_.before, info.name) || (options_.before_all && Contains(options_.named, info.name));
  if (named) Print("Before", module, info, number);
  running_.push_back({number, !named && options_.before_all ? std::optional(module) : std::nullopt});
  return std::nullopt;
}

auto PrintIRInstrument::RunAfterPass(const Module& module, const PassInfo& info, bool changed)
    -> std::optional<Diagnostic> {
  const bool named = Contains(options_.after, info.name);
  if (!IsNumbered(info)) {
    if (named && !options_.only_changed) Print("After", module, info, 0);
    return std::nullopt;
  }
  const Running run = std::move(running_.back());
  running_.pop_back();
  if (changed && run.unprinted) Print("Before", *run.unprinted, info, run.number);
  const bool by_number = options_.after_numbers && options_.after_numbers->Contains(run.number);
  const bool by_all = options_.after_all && (changed || Contains(options_.named, info.name));
  if (options_.only_changed && !changed) return std::nullopt;
  if (named || by_number || by_all) Print("After", module, info, run.number);
  return std::nullopt;
}

void PrintIRInstrument::PassFailed(const Module&, const PassInfo& info, const Diagnostic&) {
  if (IsNumbered(info) && !running_.empty()) running_.pop_back();
}

void PrintIRInstrument::Print(std::string_view when, const Module& module, const PassInfo& info, uint64_t number) {
  const std::string ordinal = number == 0 ? "" : fmt::format(" (#{})", number);
  if (options_.functions.empty()) {
    sink_->Write(fmt::format("*** IR Dump {} {}{} ***\n", when, info.name, ordinal));
    PrintModule(module, options_.print, *sink_);
    return;
  }
  for (const GlobalId id : Chosen(module, options_.functions)) {
    sink_->Write(fmt::format("*** IR Dump {} {}{} *** (function: {})\n", when, info.name, ordinal, module.name(id)));
    sink_->Write(PrintFunction(module, id, options_.print));
  }
}

auto PrintChangedInstrument::RunBeforePass(const Module& module, const PassInfo&) -> std::optional<Diagnostic> {
  if (last_module_) return std::nullopt;
  last_module_ = module;
  // When modules are compared by structure, no text is needed.
  if (!uses_differ() || !options_.quiet) last_ = Text(module);
  if (!options_.quiet) sink_->Write("*** IR Dump At Start ***\n" + *last_);
  return std::nullopt;
}

auto PrintChangedInstrument::RunAfterPass(const Module& module, const PassInfo& info, bool changed)
    -> std::optional<Diagnostic> {
  if (!IsNumbered(info)) return std::nullopt;
  const bool shown = options_.passes.empty() || Contains(options_.passes, info.name);
  std::string text;
  bool is_same = !changed;
  if (changed && uses_differ()) {
    text = options_.differ(*last_module_, module, options_.functions);
    is_same = text.empty();
    last_module_ = module;
  } else if (changed) {
    text = Text(module);
    is_same = text == *last_;
  }
  if (is_same) {
    if (!options_.quiet && shown) {
      sink_->Write(fmt::format("*** IR Dump After {} omitted because no change ***\n", info.name));
    }
    return std::nullopt;
  }
  if (shown) {
    sink_->Write(fmt::format("*** IR Dump After {} ***\n", info.name));
    sink_->Write(options_.diff && !uses_differ() ? LineDiff(*last_, text, {.color = options_.color}) : text);
  }
  if (!uses_differ()) last_ = std::move(text);
  return std::nullopt;
}

auto PrintChangedInstrument::Text(const Module& module) const -> std::string {
  if (options_.functions.empty()) return PrintModule(module, options_.print);
  std::string text;
  for (const GlobalId id : Chosen(module, options_.functions)) text += PrintFunction(module, id, options_.print);
  return text;
}

constexpr std::string_view kIndexOfDumps = "index.json";

auto IsNameOfDump(std::string_view name) -> bool {
  if (name == kIndexOfDumps) return true;
  const size_t digits = name.find_first_not_of("0123456789");
  return digits != std::string_view::npos && digits >= 3 && name[digits] == '-';
}

// Removes the files that an earlier run has written into the folder, by its index.
static void RemoveDumps(const std::string& folder) {
  const std::filesystem::path path(folder);
  std::ifstream file(path / kIndexOfDumps);
  const auto index = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!index.is_object() || !index.contains("passes") || !index["passes"].is_array()) return;
  for (const auto& entry : index["passes"]) {
    if (!entry.is_object() || !entry.contains("file") || !entry["file"].is_string()) continue;
    const std::filesystem::path name = entry["file"].get<std::string>();
    std::error_code error;
    if (name == name.filename() && IsNameOfDump(name.string())) std::filesystem::remove(path / name, error);
  }
}

auto DumpIRInstrument::RunBeforePass(const Module& module, const PassInfo&) -> std::optional<Diagnostic> {
  if (count_ != 0) return std::nullopt;
  RemoveDumps(folder_);
  return Dump(module, "input");
}

auto DumpIRInstrument::RunAfterPass(const Module& module, const PassInfo& info, bool changed)
    -> std::optional<Diagnostic> {
  if (!IsNumbered(info)) return std::nullopt;
  return changed ? Dump(module, info.name) : AddToIndex(info.name, "");
}

auto DumpIRInstrument::Dump(const Module& module, const std::string& name) -> std::optional<Diagnostic> {
  std::string file_name = name;
  for (char& c : file_name) c = c == '/' || c == ' ' || c == '<' || c == '>' ? '_' : c;
  file_name = fmt::format("{:03}-{}{}", count_, file_name, TextKindOf(module).extension);
  const std::filesystem::path path = std::filesystem::path(folder_) / file_name;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  // The file is replaced atomically, whatever was there before.
  const std::string temporary = path.string() + ".new";
  std::remove(temporary.c_str());
  std::FILE* file = error ? nullptr : std::fopen(temporary.c_str(), "wxe");
  if (file == nullptr) {
    return MakeDiagnostic(diag::kCannotDump, {}, path.string(), error ? error.message() : std::strerror(errno));
  }
  FileSink sink(file);
  PrintModule(module, print_, sink);
  const bool written = std::ferror(file) == 0;
  if (std::fclose(file) != 0 || !written || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    std::remove(temporary.c_str());
    return MakeDiagnostic(diag::kCannotDump, {}, path.string(), std::strerror(reason));
  }
  return AddToIndex(name, file_name);
}

// Each entry overwrites the end of the index and writes it again.
auto DumpIRInstrument::AddToIndex(const std::string& name, const std::string& file) -> std::optional<Diagnostic> {
  const std::string path = (std::filesystem::path(folder_) / kIndexOfDumps).string();
  const auto fail = [&] { return MakeDiagnostic(diag::kCannotDump, {}, path, std::strerror(errno)); };
  std::FILE* index = std::fopen(path.c_str(), count_ == 0 ? "w" : "r+");
  if (index == nullptr) return fail();
  OrderedJson entry = {{"number", count_}, {"name", name}, {"changed", !file.empty()}};
  if (!file.empty()) entry["file"] = file;
  const std::string start = count_ == 0 ? R"({"version": 1, "passes": [)" : ",";
  const std::string text = start + "\n" + entry.dump();
  bool written = std::fseek(index, index_end_, SEEK_SET) == 0 && std::fputs((text + "\n]}\n").c_str(), index) >= 0;
  written = std::fclose(index) == 0 && written;
  if (!written) return fail();
  index_end_ += static_cast<long>(text.size());
  ++count_;
  return std::nullopt;
}

auto BisectInstrument::ShouldRun(const Module&, const PassInfo& info) -> Result<bool> {
  if (!IsNumbered(info)) return true;
  const bool runs = numbers_.Contains(++count_) && (range_ == nullptr || range_->lets_run());
  sink_->Write(fmt::format("BISECT: {}running pass ({}) {}\n", runs ? "" : "NOT ", count_, info.name));
  return runs;
}

auto PassRangeInstrument::ShouldRun(const Module&, const PassInfo& info) -> Result<bool> {
  if (start_before_ && info.name == start_before_->name) ++start_runs_;
  const bool started = !start_before_ || start_runs_ >= start_before_->run;
  const bool stopped = stop_after_ && stop_runs_ >= stop_after_->run;
  if (!IsNumbered(info)) return true;
  lets_run_ = started && !stopped;
  return lets_run_;
}

auto PassRangeInstrument::RunAfterPass(const Module&, const PassInfo& info, bool) -> std::optional<Diagnostic> {
  if (stop_after_ && info.name == stop_after_->name) ++stop_runs_;
  return std::nullopt;
}

auto PassRangeInstrument::Missing() const -> std::vector<Point> {
  std::vector<Point> missing;
  if (start_before_ && start_runs_ < start_before_->run) missing.push_back(*start_before_);
  if (stop_after_ && stop_runs_ < stop_after_->run) missing.push_back(*stop_after_);
  return missing;
}

auto StatisticsInstrument::RunBeforePass(const Module& module, const PassInfo&) -> std::optional<Diagnostic> {
  std::vector<GlobalFunctionRef>& functions = before_.emplace_back();
  for (const Global& global : module.globals()) functions.push_back(global.function);
  return std::nullopt;
}

auto StatisticsInstrument::RunAfterPass(const Module& module, const PassInfo& info, bool changed)
    -> std::optional<Diagnostic> {
  if (before_.empty()) return std::nullopt;
  const std::vector<GlobalFunctionRef> before = std::move(before_.back());
  before_.pop_back();
  if (info.is_sequence) return std::nullopt;
  uint64_t functions = 0;
  for (size_t i = 0; changed && i < module.globals().size(); ++i) {
    functions += (i < before.size() ? before[i] : nullptr) != module.globals()[i].function ? 1 : 0;
  }
  // Passes count under the names of their rows.
  const PassDef* def = FindPass(info.name);
  const std::string_view name = def == nullptr ? std::string_view(info.name) : def->name;
  statistics_->Add(name, "runs", "times the pass ran", 1);
  statistics_->Add(name, "functions-changed", "functions replaced, added or removed", functions);
  return std::nullopt;
}

void StatisticsInstrument::PassFailed(const Module&, const PassInfo&, const Diagnostic&) {
  if (!before_.empty()) before_.pop_back();
}

auto VerifyInstrument::ShouldRun(const Module&, const PassInfo& info) -> Result<bool> {
  numbers_.Asks(info);
  return true;
}

auto VerifyInstrument::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  if (open_.empty()) {
    // Whoever runs passes has verified what they begin with.
    NoteVerified(module);
  } else if (auto error = VerifyChanged(module, open_.back())) {
    return error;
  }
  open_.push_back(info.name);
  if (IsNumbered(info)) numbers_.Begins();
  return std::nullopt;
}

auto VerifyInstrument::RunAfterPass(const Module& module, const PassInfo& info, bool /*changed*/)
    -> std::optional<Diagnostic> {
  if (!open_.empty()) open_.pop_back();
  if (info.is_update) {
    // It changes only types, and its input was verified.
    NoteVerified(module);
    return std::nullopt;
  }
  return VerifyChanged(module, info.name);
}

void VerifyInstrument::PassFailed(const Module&, const PassInfo&, const Diagnostic&) {
  if (!open_.empty()) open_.pop_back();
}

void VerifyInstrument::NoteVerified(const Module& module) {
  const std::vector<Global>& globals = module.globals();
  verified_.resize(globals.size());
  for (size_t i = 0; i < globals.size(); ++i) verified_[i] = globals[i].function;
}

auto VerifyInstrument::VerifyChanged(const Module& module, const std::string& culprit) -> std::optional<Diagnostic> {
  const std::vector<Global>& globals = module.globals();
  verified_.resize(globals.size());
  for (size_t i = 0; i < globals.size(); ++i) {
    const GlobalFunctionRef& function = globals[i].function;
    if (function == nullptr || verified_[i].lock() == function) continue;
    const FunctionKindDef& def = DefOf(function->function_kind());
    if (def.verify == nullptr) continue;
    if (const std::optional<BrokenRule> broken = def.verify(module, *function)) {
      return MakeDiagnostic(diag::kBrokenByPass, broken->range, culprit, numbers_.number(), module.name(GlobalId(i)),
                            broken->text)
          .Note("the input of the pass was well-formed");
    }
    verified_[i] = function;
  }
  return std::nullopt;
}

}  // namespace relayopt
