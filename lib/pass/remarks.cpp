// Collects remarks and writes them as YAML.
#include "relayopt/pass/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace relayopt {

namespace {

auto Tag(RemarkKind kind) -> std::string_view {
  switch (kind) {
    case RemarkKind::kPassed: return "Passed";
    case RemarkKind::kMissed: return "Missed";
    case RemarkKind::kAnalysis: return "Analysis";
  }
  return "";
}

// Returns a scalar that reads back as `text`, whatever is in it.
auto YamlScalar(std::string_view text) -> std::string {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  std::string out(1, plain ? '\'' : '"');
  for (const char c : text) {
    if (plain) {
      out += c == '\'' ? "''" : std::string(1, c);
    } else if (c == '"' || c == '\\') {
      out += std::string{'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02X}", c);
    } else {
      out += c;
    }
  }
  return out + out.front();
}

auto SizeOf(const GlobalFunction& function) -> size_t { return DefOf(function.function_kind()).size(function); }

}  // namespace

auto Remark::message() const -> std::string {
  std::string out;
  for (const auto& [key, value] : args) out += value;
  return out;
}

auto RemarkLog::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  const std::lock_guard lock(mutex_);
  ++run_;
  if (IsNumbered(info)) open_.push_back({module, remarks_.size()});
  return std::nullopt;
}

auto RemarkLog::RunAfterPass(const Module& module, const PassInfo& info, bool) -> std::optional<Diagnostic> {
  if (!IsNumbered(info) || open_.empty()) return std::nullopt;
  const Open pass = std::move(open_.back());
  open_.pop_back();
  // Only remarks under the name of its own row count; passes inside of it have their own remarks.
  const bool spoke = std::any_of(remarks_.begin() + static_cast<ptrdiff_t>(pass.remarks), remarks_.end(),
                                 [&](const Remark& remark) { return info.name.starts_with(remark.pass); });
  if (spoke) return std::nullopt;
  const size_t before_this = remarks_.size();
  for (const GlobalId id : pass.before.SortedFunctions()) {
    const std::string name(pass.before.name(id));
    const GlobalFunction& before = *pass.before.function(id);
    const GlobalId now = module.FindGlobal(name);
    const GlobalFunction* after = now ? module.function(now).get() : nullptr;
    if (after == &before) continue;
    Remark remark(RemarkKind::kPassed, info.name, after == nullptr ? "Dropped" : "Changed", name, {});
    remark.Text("@").Arg("Of", name);
    if (after == nullptr) {
      remark.Text(" is gone");
    } else {
      remark.Text(" had ").Arg("Before", std::to_string(SizeOf(before))).Text(" expressions and has ");
      remark.Arg("After", std::to_string(SizeOf(*after)));
    }
    Add(std::move(remark));
  }
  if (remarks_.size() == before_this)
    Add(Remark(RemarkKind::kAnalysis, info.name, "Unchanged", "", {}).Text("there was nothing to do"));
  return std::nullopt;
}

void RemarkLog::PassFailed(const Module&, const PassInfo& info, const Diagnostic&) {
  if (IsNumbered(info) && !open_.empty()) open_.pop_back();
}

void RemarkLog::Add(Remark remark) {
  const std::lock_guard lock(mutex_);
  remark.run = run_;
  remarks_.push_back(std::move(remark));
}

auto RemarkLog::Take() -> std::vector<Remark> {
  const std::lock_guard lock(mutex_);
  // Threads take functions in any order, but remarks on one function come from one thread.
  std::stable_sort(remarks_.begin(), remarks_.end(), [](const Remark& a, const Remark& b) {
    return std::tie(a.run, a.function) < std::tie(b.run, b.function);
  });
  return std::exchange(remarks_, {});
}

auto ToYaml(const Remark& remark, const SourceText* source) -> std::string {
  std::string out = fmt::format("--- !{}\nPass:            {}\nName:            {}\n", Tag(remark.kind),
                                YamlScalar(remark.pass), YamlScalar(remark.name));
  if (source != nullptr && remark.range.valid()) {
    const LineColumn at = source->Position(remark.range.begin);
    out += fmt::format("DebugLoc:        {{ File: {}, Line: {}, Column: {} }}\n", YamlScalar(source->name()), at.line,
                       at.column);
  }
  // Readers of LLVM's remarks refuse an empty name.
  out +=
      fmt::format("Function:        {}\nArgs:\n", YamlScalar(remark.function.empty() ? "(module)" : remark.function));
  for (const auto& [key, value] : remark.args) out += fmt::format("  - {}: {}\n", key, YamlScalar(value));
  return out + "...\n";
}

}  // namespace relayopt
