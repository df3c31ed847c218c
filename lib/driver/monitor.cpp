// Limits and progress.
#include "monitor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cleanup.h"
#include "driver.h"
#include "relayopt/pass/registry.h"
#include "relayopt/support/process.h"

namespace relayopt {

namespace {

constexpr std::chrono::milliseconds kPeriod{10};
// Shorter runs show no progress.
constexpr std::chrono::seconds kProgressAfter{2};

// Lists know a pass by the name of its row.
auto ShownPass(const PassInfo& info) -> std::string {
  const PassDef* def = FindPass(info.name);
  return def == nullptr ? info.name : std::string(def->name);
}

}  // namespace

auto CountPasses(const Pipeline& pipeline) -> size_t {
  size_t count = 0;
  for (const PipelineElement& element : pipeline) {
    switch (element.kind) {
      case PipelineElement::Kind::kPass: ++count; break;
      case PipelineElement::Kind::kNamed:
        if (const Result<Pipeline> steps = ParsePipeline(Expansion(element))) count += CountPasses(*steps);
        break;
      case PipelineElement::Kind::kRepeat:
        count += CountPasses(element.children) * static_cast<size_t>(element.count);
        break;
      case PipelineElement::Kind::kFixpoint:
      case PipelineElement::Kind::kConfig:
      case PipelineElement::Kind::kWhere:
      case PipelineElement::Kind::kTarget: count += CountPasses(element.children); break;
    }
  }
  return count;
}

auto Monitor::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  if (info.is_sequence || !is_needed()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  running_.push_back({ShownPass(info), Clock::now(), module});
  return std::nullopt;
}

auto Monitor::RunAfterPass(const Module&, const PassInfo& info, bool) -> std::optional<Diagnostic> {
  if (info.is_sequence || !is_needed()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  // A pass may have ended before the thread checks again.
  CheckLimits();
  if (!running_.empty()) running_.pop_back();
  if (running_.empty() && !info.is_update) ++finished_;
  return std::nullopt;
}

void Monitor::PassFailed(const Module&, const PassInfo& info, const Diagnostic&) {
  if (info.is_sequence || !is_needed()) return;
  const std::lock_guard lock(mutex_);
  if (!running_.empty()) running_.pop_back();
}

auto Monitor::is_needed() const -> bool {
  return options_.progress || options_.max_memory != 0 || options_.pass_timeout.count() > 0;
}

void Monitor::Start(const PassContext& context) {
  context_ = &context;
  start_ = Clock::now();
  stopping_ = false;
  running_.clear();
  if (is_needed() && HasThreads() && !thread_.joinable()) thread_ = std::thread([this] { Watch(); });
}

void Monitor::Stop() {
  if (!thread_.joinable()) return ClearProgress();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Monitor::Watch() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const bool has_limits = options_.max_memory != 0 || options_.pass_timeout.count() > 0;
    const auto period = has_limits ? kPeriod : std::max(kPeriod, kPeriod * 10);
    wake_.wait_for(lock, period, [this] { return stopping_; });
    CheckLimits();
    if (options_.progress && !stopping_ && Clock::now() - start_ >= kProgressAfter) ShowProgress();
  }
  ClearProgress();
}

void Monitor::CheckLimits() {
  const std::string what = running_.empty() ? "the run" : "pass " + running_.front().name;
  if (options_.max_memory != 0 && static_cast<uint64_t>(MeasureProcess().resident >> 20) > options_.max_memory) {
    Fail(fmt::format("{} needs more than {} MiB of memory (--max-memory)", what, options_.max_memory));
  }
  if (options_.pass_timeout.count() > 0 && !running_.empty() &&
      Clock::now() - running_.front().start > options_.pass_timeout) {
    Fail(fmt::format("{} takes longer than {} s (--pass-timeout)", what, options_.pass_timeout.count()));
  }
}

void Monitor::ShowProgress() {
  const size_t total = std::max(options_.passes, finished_ + 1);
  std::string line = fmt::format("\r\x1b[K[{:3}%] pass {} of {}", 100 * finished_ / total, finished_ + 1, total);
  if (!running_.empty()) {
    line += " " + running_.front().name;
    const GlobalId function = context_->latest_function();
    const Module& module = running_.front().module;
    if (function && function.value() < module.globals().size()) line += fmt::format(" @{}", module.name(function));
  }
  SayNow(line);
  shown_ = true;
}

void Monitor::ClearProgress() {
  if (shown_) SayNow("\r\x1b[K");
  shown_ = false;
}

void Monitor::Fail(const std::string& message) {
  ClearProgress();
  SayNow("relayopt: error: " + message + "\n");
  if (crash_ != nullptr) crash_->Save(message);
  // The pass is still running and cannot be interrupted. Nothing has been written yet.
  ::_exit(kFailure);
}

namespace flag_rows {

constexpr FlagDef kLimitFlags[] = {
    {RELAYOPT_FIELD(LimitOptions::pass_timeout), .name = "pass-timeout", .group = kChecks, .value = "SECONDS",
     .help = "fail when a pass takes longer", .min = 0, .effect = kNone},
    {RELAYOPT_FIELD(LimitOptions::max_memory), .name = "max-memory", .group = kChecks, .value = "MIB",
     .help = "fail when the process needs more", .effect = kNone},
    {RELAYOPT_FIELD(LimitOptions::max_ops), .name = "max-ops", .group = kChecks, .value = "N",
     .help =
         "fail when a pass makes the module larger than N expressions (default: two million, and 16 for each it had)",
     .rare = true, .effect = kNone},
};

}  // namespace flag_rows

auto LimitFlags() -> std::span<const FlagDef> { return FlagRows(flag_rows::kLimitFlags); }

}  // namespace relayopt
