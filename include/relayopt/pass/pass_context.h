// The context in which passes run: optimization level, switches, configuration, instruments.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/pass/number_set.h"
#include "relayopt/pass/options.h"
#include "relayopt/pass/statistics.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/result.h"

namespace relayopt {

// What everybody may know about a pass.
struct PassInfo {
  // The lowest optimization level at which a Sequential runs it.
  int opt_level = 0;
  // The name that enabling and disabling go by.
  std::string name;
  // Names of passes that a Sequential runs before it.
  std::vector<std::string> required;
  // It only runs other passes.
  bool is_sequence = false;
  // It brings functions up to date after another pass, as InferType does, and is a part of that pass for whoever counts
  // passes.
  bool is_update = false;
  // It does nothing where floats are to keep every bit.
  bool steps_aside_when_strict = false;
};

// The reference's text form of a pass info.
auto ToString(const PassInfo& info) -> std::string;

// Whether a run of the pass has a number where passes are counted: sequences and updates have none.
inline auto IsNumbered(const PassInfo& info) -> bool { return !info.is_sequence && !info.is_update; }

// Watches passes run. A callback that is not overridden does nothing (ShouldRun: votes yes). An error stops what called
// it. Each RunBeforePass that gave no error is followed by one RunAfterPass or one PassFailed.
class PassInstrument {
 public:
  virtual ~PassInstrument();

  // Entering and leaving the context that the instrument belongs to.
  virtual auto EnterPassContext() -> std::optional<Diagnostic> { return std::nullopt; }
  virtual auto ExitPassContext() -> std::optional<Diagnostic> { return std::nullopt; }
  // A vote before a pass; the pass runs when all instruments vote yes.
  virtual auto ShouldRun(const Module&, const PassInfo&) -> Result<bool> { return true; }
  virtual auto RunBeforePass(const Module&, const PassInfo&) -> std::optional<Diagnostic> { return std::nullopt; }
  // `changed` is false when the pass said that it left the module alone.
  virtual auto RunAfterPass(const Module&, const PassInfo&, bool /*changed*/) -> std::optional<Diagnostic> {
    return std::nullopt;
  }
  // The pass, or an instrument that was asked before or after it, gave an error. The module is well-formed, but may be
  // half-way.
  virtual void PassFailed(const Module&, const PassInfo&, const Diagnostic& /*error*/) {}
};

using InstrumentRef = std::shared_ptr<PassInstrument>;

// A key of PassContext's config: declared once, so that values can be checked.
struct ConfigOption {
  std::string_view key;
  OptionKind kind;
  // What readers assume without it, as text; empty when absence means something of its own.
  std::string_view default_text;
  std::string_view doc;
  // The options of passes that the key has values for, as a JSON object; null for other keys.
  const OptionsSchema* fields = nullptr;
};

// Every declared key: the reference's and those of plugins, in the order of declaration.
auto ConfigOptions() -> std::vector<const ConfigOption*>;
auto FindConfigOption(std::string_view key) -> const ConfigOption*;
// Declares a key, of a plugin or of a list of passes; the strings must live for ever. False when the key exists.
auto RegisterConfigOption(const ConfigOption& option) -> bool;

// Which of the rewrites that a statistic counts may be made, numbered from 1 in the order in which passes ask.
struct DebugCounter {
  const Statistic* statistic;
  NumberSet allowed;
};

class Pass;
struct Remark;
class RemarkLog;

// The fields of a context before it is made.
struct PassContextOptions {
  int opt_level = 2;
  // How many threads may run function passes and type inference; the results are the same for every number.
  size_t threads = 1;
  // Names of pass infos, forced on and off inside a Sequential; disabled wins.
  std::vector<std::string> required_pass = {};
  std::vector<std::string> disabled_pass = {};
  std::map<std::string, OptionValue, std::less<>> config = {};
  std::vector<InstrumentRef> instruments = {};
  // The reference's target string (`llvm -mcpu=core-avx2`), for passes that ask for it; may be empty.
  std::string target = {};
  // Floats keep every bit: rewrites that are right for real numbers only are not done.
  bool strict_fp = false;
  // Infer types after module passes too, as after function passes.
  bool infer_types_after_module_passes = false;
  // Warn when a Sequential leaves out a pass because of the optimization level.
  bool warn_about_skipped_passes = false;
  // Function passes rewrite only functions of these names; all when there is none.
  std::vector<std::string> functions = {};
  // Where passes count; may be null.
  std::shared_ptr<Statistics> statistics = {};
  // Where remarks go, which also wants to be an instrument; null when nobody reads them.
  std::shared_ptr<RemarkLog> remarks = {};
  // Rewrites that are to be left out. With any of these, passes run in one thread.
  std::vector<DebugCounter> debug_counters = {};
};

class PassContext;
using PassContextRef = std::shared_ptr<PassContext>;

// Contexts are not merged: an inner one hides the outer one completely.
class PassContext {
 public:
  // A context with every default.
  PassContext() = default;
  // Checks the config: unknown keys and values of the wrong type are errors.
  static auto Create(PassContextOptions options) -> Result<PassContextRef>;
  // The innermost context entered by this thread, or a default one.
  static auto Current() -> PassContext&;

  auto opt_level() const -> int { return options_.opt_level; }
  void set_opt_level(int level) { options_.opt_level = level; }
  auto options() const -> const PassContextOptions& { return options_; }
  auto target() const -> const std::string& { return options_.target; }
  auto strict_fp() const -> bool { return options_.strict_fp; }
  void set_warn_about_skipped_passes(bool on) { options_.warn_about_skipped_passes = on; }

  // Disabled by name, else forced by name, else by optimization level.
  auto PassEnabled(const PassInfo& info) const -> bool;

  // Values of config keys, which must be declared; the declared default when not given. IsConfigured tells.
  auto IsConfigured(std::string_view key) const -> bool { return options_.config.contains(key); }
  auto ConfigBool(std::string_view key) const -> bool;
  auto ConfigInt(std::string_view key) const -> int64_t;
  auto ConfigString(std::string_view key) const -> std::string;
  auto ConfigStrings(std::string_view key) const -> std::vector<std::string>;
  // The options of a pass: those that it was given, then those of the config key `key`, then defaults.
  auto Configured(std::string_view key, const PassOptions& given) const -> PassOptions;

  // Where passes report warnings and errors. A pass that reports an error fails.
  auto diagnostics() -> DiagnosticSink&;
  // Replaces the sink (null: the context's own); returns the old one.
  auto SetDiagnostics(DiagnosticSink* sink) -> DiagnosticSink*;

  // Instruments, in the order in which they are called. Override leaves the old ones and enters the new ones.
  auto instruments() const -> const std::vector<InstrumentRef>& { return options_.instruments; }
  auto OverrideInstruments(std::vector<InstrumentRef> instruments) -> std::optional<Diagnostic>;
  auto EnterInstruments() -> std::optional<Diagnostic>;
  auto ExitInstruments() -> std::optional<Diagnostic>;
  // The vote; yes without asking when the name is in required_pass.
  auto InstrumentBeforePass(const Module& module, const PassInfo& info) -> Result<bool>;
  auto InstrumentAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic>;
  void InstrumentFailedPass(const Module& module, const PassInfo& info, const Diagnostic& error);
  // The pass that instruments are asked about in RunBeforePass: what it was made with, its info does not tell. Null
  // elsewhere.
  auto applied() const -> const Pass* { return applied_; }
  void set_applied(const Pass* pass) { applied_ = pass; }

  // The next number for a generated variable, `x_<n>`. Counts up over all passes that run in this context, as the
  // reference counts over a process. A function that asks on one of several threads is run again, when its turn comes.
  auto NextFreshName() -> uint64_t;

  // What A finds out about the module that a function pass runs on: made when the first function asks for it, and kept
  // until the pass has seen the last one, so that no function pays for the whole module.
  template <typename A>
  auto Analysis(const Module& module) -> const A& {
    static constexpr char kind = 0;
    const std::lock_guard lock(analysis_mutex_);
    if (analysis_ == nullptr || analysis_kind_ != &kind) {
      analysis_ = std::make_shared<const A>(module);
      analysis_kind_ = &kind;
    }
    return *static_cast<const A*>(analysis_.get());
  }
  void ForgetAnalysis() { analysis_ = nullptr; }

  // Adds to a statistic. May be called by threads; cheap enough for once a function, not for once an expression.
  void Count(const Statistic& statistic, uint64_t count = 1) {
    if (options_.statistics != nullptr && count != 0)
      options_.statistics->Add(statistic.pass, statistic.name, statistic.doc, count);
  }
  // Whether a debug counter lets the pass make its next rewrite of this kind. Asking counts.
  auto Allows(const Statistic& statistic) -> bool { return options_.debug_counters.empty() || AskCounter(statistic); }
  // How often each of options().debug_counters was asked.
  auto debug_counts() const -> const std::vector<uint64_t>& { return debug_counts_; }

  // Whether somebody reads remarks: a pass that has to work for one asks first.
  auto wants_remarks() const -> bool { return options_.remarks != nullptr; }
  void Report(Remark remark);

  // Whether function passes are to rewrite this function.
  auto RunsOn(const Module& module, GlobalId id) const -> bool;
  // What a function pass does at the moment, for those who tell people: each thread says which function it begins, and
  // that it has ended the last one (none).
  void EnterFunction(GlobalId id);
  // The function that the calling thread is in; none outside of function passes.
  static auto CurrentFunction() -> GlobalId;
  // The function that some thread has begun last. Any thread may ask.
  auto latest_function() const -> GlobalId { return latest_function_.load(std::memory_order_relaxed); }

 private:
  auto ConfigValue(std::string_view key) const -> OptionValue;
  auto AskCounter(const Statistic& statistic) -> bool;

  PassContextOptions options_;
  // What the keys with fields say.
  std::map<std::string, PassOptions, std::less<>> configured_;
  DiagnosticSink own_diagnostics_;
  DiagnosticSink* diagnostics_ = &own_diagnostics_;
  const Pass* applied_ = nullptr;
  uint64_t next_fresh_name_ = 0;
  std::vector<uint64_t> debug_counts_;
  std::atomic<GlobalId> latest_function_ = GlobalId();
  std::mutex analysis_mutex_;
  std::shared_ptr<const void> analysis_;
  // Tells analyses of different types apart.
  const void* analysis_kind_ = nullptr;
};

// Enters a context for as long as it lives:
//
//   With<PassContext> scope(context);
//   if (scope.error()) ...
//
// Entering runs the enter callbacks, then pushes; leaving pops, then runs the exit callbacks. Leave() is for those who
// want to see the error of an exit callback.
template <typename T>
class With;

template <>
class With<PassContext> {
 public:
  explicit With(PassContextRef context);
  With(const With&) = delete;
  auto operator=(const With&) -> With& = delete;
  ~With() { static_cast<void>(Leave()); }

  // Why the context was not entered; nothing when it was.
  auto error() const -> const std::optional<Diagnostic>& { return error_; }
  auto Leave() -> std::optional<Diagnostic>;

 private:
  PassContextRef context_;
  std::optional<Diagnostic> error_;
  bool entered_ = false;
};

}  // namespace relayopt
