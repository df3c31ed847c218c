// A thread that monitors a run: limits of time and memory, and a line of progress.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "crash.h"
#include "flags.h"

namespace relayopt {

// Limits on passes.
struct LimitOptions {
  double pass_timeout = 0;
  uint64_t max_memory = 0;
  uint64_t max_ops = 0;
};
inline auto LimitsOf(const ToolOptions& options) -> const LimitOptions& {
  return options.of_owners.Get<LimitOptions>();
}
auto LimitFlags() -> std::span<const FlagDef>;

// Monitors time and memory from Start to Stop. Exceeding a limit ends the process with a message and the status of a
// failure, because a pass cannot be interrupted in another way. Without limits and progress no thread is started. A
// platform without threads checks the limits after each pass, and shows no progress.
class Monitor final : public PassInstrument {
 public:
  struct Options {
    // For one pass; zero: no limit.
    std::chrono::duration<double> pass_timeout{};
    // Resident memory of the process in MiB; zero: no limit.
    uint64_t max_memory = 0;
    // Show progress when the run takes long.
    bool progress = false;
    // How many passes the run has, as far as that is known; for the percentage.
    size_t passes = 0;
  };

  // `crash` saves the input of a pass that went over a limit; may be null.
  Monitor(Options options, std::shared_ptr<CrashReporter> crash) : options_(options), crash_(std::move(crash)) {}
  ~Monitor() override { Stop(); }

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

  // `context` is that of the run.
  void Start(const PassContext& context);
  // Removes the line of progress.
  void Stop();

 private:
  using Clock = std::chrono::steady_clock;

  struct Running {
    std::string name;
    Clock::time_point start;
    Module module;
  };

  auto is_needed() const -> bool;
  void Watch();
  void CheckLimits();
  void ShowProgress();
  void ClearProgress();
  [[noreturn]] void Fail(const std::string& message);

  Options options_;
  std::shared_ptr<CrashReporter> crash_;
  const PassContext* context_ = nullptr;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool shown_ = false;
  Clock::time_point start_;
  size_t finished_ = 0;
  // The running passes that are not sequences, outermost first.
  std::vector<Running> running_;
  std::thread thread_;
};

// How many passes a pipeline runs when fixpoints run once.
auto CountPasses(const Pipeline& pipeline) -> size_t;

}  // namespace relayopt
