// PassContext: the environment in which passes run (optimization level, switches, configuration, instruments).
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

// The public description of a pass.
struct PassInfo {
  // The lowest optimization level at which a Sequential runs the pass.
  int opt_level = 0;
  // The name by which the pass is enabled and disabled.
  std::string name;
  // Names of the passes that a Sequential runs before it.
  std::vector<std::string> required;
  // Whether the pass only runs other passes.
  bool is_sequence = false;
  // Whether it brings functions up to date after another pass, as InferType does. It counts as part of that pass and
  // has no number of its own.
  bool is_update = false;
  // Whether it does nothing in a strict context (PassContextOptions::strict_fp).
  bool skipped_when_strict = false;
};

// Returns the text by which TVM shows a pass info.
auto ToString(const PassInfo& info) -> std::string;

// Whether runs of the pass are numbered, as those of all passes but sequences and updates are.
inline auto IsNumbered(const PassInfo& info) -> bool { return !info.is_sequence && !info.is_update; }

// Watches passes run. The default callbacks do nothing, and ShouldRun votes yes. An error that a callback returns stops
// the caller. Each successful RunBeforePass is followed by exactly one RunAfterPass or PassFailed.
class PassInstrument {
 public:
  virtual ~PassInstrument();

  // Called on entering and leaving the context that the instrument belongs to.
  virtual auto EnterPassContext() -> std::optional<Diagnostic> { return std::nullopt; }
  virtual auto ExitPassContext() -> std::optional<Diagnostic> { return std::nullopt; }
  // Votes on a pass; it runs when all instruments vote yes.
  virtual auto ShouldRun(const Module&, const PassInfo&) -> Result<bool> { return true; }
  virtual auto RunBeforePass(const Module&, const PassInfo&) -> std::optional<Diagnostic> { return std::nullopt; }
  // `changed` is false when the pass reported that it left the module alone.
  virtual auto RunAfterPass(const Module&, const PassInfo&, bool /*changed*/) -> std::optional<Diagnostic> {
    return std::nullopt;
  }
  // Called when the pass, or an instrument that was called for it, returned an error. The module is well-formed, but
  // the pass may have done half of its work.
  virtual void PassFailed(const Module&, const PassInfo&, const Diagnostic& /*error*/) {}
};

using InstrumentRef = std::shared_ptr<PassInstrument>;

// A key of PassContext's config. Every key is declared once, so that values can be checked.
struct ConfigOption {
  std::string_view key;
  OptionKind kind;
  // The default, as text; empty if a missing key has a meaning of its own.
  std::string_view default_text;
  std::string_view doc;
  // When not null, the value of the key is a JSON object with these options of passes.
  const OptionsSchema* fields = nullptr;
};

// Returns every declared key, TVM's and those of plugins, in the order of declaration.
auto ConfigOptions() -> std::vector<const ConfigOption*>;
auto FindConfigOption(std::string_view key) -> const ConfigOption*;
// Declares a key. The strings must have static storage duration. Returns false if the key exists.
auto RegisterConfigOption(const ConfigOption& option) -> bool;

// Decides which of the rewrites that a statistic counts may be made; rewrites are numbered from 1 in the order in which
// passes ask.
struct DebugCounter {
  const Statistic* statistic;
  NumberSet allowed;
};

class Pass;
struct Remark;
class RemarkLog;

// The settings with which a context is created.
struct PassContextOptions {
  int opt_level = 2;
  // The number of threads that run function passes and type inference; results do not depend on it.
  size_t threads = 1;
  // Names of passes (PassInfo::name) that a Sequential always runs, and never runs. Disabling has precedence.
  std::vector<std::string> required_pass = {};
  std::vector<std::string> disabled_pass = {};
  std::map<std::string, OptionValue, std::less<>> config = {};
  std::vector<InstrumentRef> instruments = {};
  // The target string in TVM's syntax (`llvm -mcpu=core-avx2`), for passes that ask for it; may be empty.
  std::string target = {};
  // Strict floating point: leave out rewrites that are right for real numbers but may change bits of floats.
  bool strict_fp = false;
  // Infer types after module passes, too, and not only after function passes.
  bool infer_types_after_module_passes = false;
  // Warn when a Sequential leaves out a pass because of its optimization level.
  bool warn_about_skipped_passes = false;
  // Function passes rewrite only functions of these names; all when empty.
  std::vector<std::string> functions = {};
  // Collects the statistics of passes; may be null.
  std::shared_ptr<Statistics> statistics = {};
  // Collects remarks; null if they are not needed. It has to be among `instruments` as well.
  std::shared_ptr<RemarkLog> remarks = {};
  // Restricts which rewrites are applied. When not empty, passes run in one thread.
  std::vector<DebugCounter> debug_counters = {};
};

class PassContext;
using PassContextRef = std::shared_ptr<PassContext>;

// The environment in which passes run. Contexts nest but are not merged: an inner one hides the outer one completely.
class PassContext {
 public:
  // A context with all defaults.
  PassContext() = default;
  // Makes a context. Unknown config keys and values of the wrong type are errors.
  static auto Create(PassContextOptions options) -> Result<PassContextRef>;
  // Returns the innermost context that this thread has entered, or a default one.
  static auto Current() -> PassContext&;

  auto opt_level() const -> int { return options_.opt_level; }
  void set_opt_level(int level) { options_.opt_level = level; }
  auto options() const -> const PassContextOptions& { return options_; }
  auto target() const -> const std::string& { return options_.target; }
  auto strict_fp() const -> bool { return options_.strict_fp; }
  void set_warn_about_skipped_passes(bool on) { options_.warn_about_skipped_passes = on; }

  // Whether a Sequential runs the pass: not if it is disabled by name; else if it is required by name, or its level is
  // low enough.
  auto PassEnabled(const PassInfo& info) const -> bool;

  // The value of a declared config key, or its declared default when it was not given; IsConfigured returns whether it
  // was.
  auto IsConfigured(std::string_view key) const -> bool { return options_.config.contains(key); }
  auto ConfigBool(std::string_view key) const -> bool;
  auto ConfigInt(std::string_view key) const -> int64_t;
  auto ConfigString(std::string_view key) const -> std::string;
  // Returns the options of a pass: first those given, then those of the config key `key`, then defaults.
  auto Configured(std::string_view key, const PassOptions& given) const -> PassOptions;

  // Where passes report warnings and errors. A pass that reports an error has failed.
  auto diagnostics() -> DiagnosticSink&;
  // Replaces the sink (null stands for the context's own); returns the old one.
  auto SetDiagnostics(DiagnosticSink* sink) -> DiagnosticSink*;

  // Returns the instruments, in the order in which they are called. OverrideInstruments leaves the context for the old
  // ones and enters it for the new ones.
  auto instruments() const -> const std::vector<InstrumentRef>& { return options_.instruments; }
  auto OverrideInstruments(std::vector<InstrumentRef> instruments) -> std::optional<Diagnostic>;
  auto EnterInstruments() -> std::optional<Diagnostic>;
  auto ExitInstruments() -> std::optional<Diagnostic>;
  // Asks the instruments to vote; the answer is yes without asking when the pass is in required_pass.
  auto InstrumentBeforePass(const Module& module, const PassInfo& info) -> Result<bool>;
  auto InstrumentAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic>;
  void InstrumentFailedPass(const Module& module, const PassInfo& info, const Diagnostic& error);
  // Returns the pass that instruments are asked about in RunBeforePass: the info does not contain what it was created
  // with. Null elsewhere.
  auto applied() const -> const Pass* { return applied_; }
  void set_applied(const Pass* pass) { applied_ = pass; }

  // The size of the module before the outermost pass that runs (GrowthScope); 0 between runs.
  auto size_before() const -> size_t { return size_before_; }
  void set_size_before(size_t size) { size_before_ = size; }

  // Returns the next number for a generated variable `x_<n>`. The numbers continue through all passes in this context,
  // as TVM continues them through a process. When several threads run a function pass, a function that asks
  // is run again in its turn, so that numbers do not depend on timing.
  auto NextFreshName() -> uint64_t;

  // Adds to a statistic. Several threads may call it. Cheap enough to be called once a function, but not once an
  // expression.
  void Count(const Statistic& statistic, uint64_t count = 1) {
    if (options_.statistics != nullptr && count != 0)
      options_.statistics->Add(statistic.pass, statistic.name, statistic.doc, count);
  }
  // Whether the debug counters allow the next rewrite of this kind. Each call counts as one rewrite.
  auto Allows(const Statistic& statistic) -> bool { return options_.debug_counters.empty() || AskCounter(statistic); }
  // For each of options().debug_counters, its count.
  auto debug_counts() const -> const std::vector<uint64_t>& { return debug_counts_; }

  // Whether remarks are wanted. A pass checks this before it does work only for a remark.
  auto wants_remarks() const -> bool { return options_.remarks != nullptr; }
  void Report(Remark remark);

  // Whether function passes should rewrite this function.
  auto RunsOn(const Module& module, GlobalId id) const -> bool;
  // Records that the calling thread begins to work on this function in a function pass, or (invalid id) has finished
  // its last one. Progress and crash reports show it.
  void EnterFunction(GlobalId id);
  // Returns the function that the calling thread works on in a function pass; invalid outside of one.
  static auto CurrentFunction() -> GlobalId;
  // Returns the function that any thread has begun last. May be called by any thread.
  auto latest_function() const -> GlobalId { return latest_function_.load(std::memory_order_relaxed); }

 private:
  auto ConfigValue(std::string_view key) const -> OptionValue;
  auto AskCounter(const Statistic& statistic) -> bool;

  PassContextOptions options_;
  // Options of passes from the config keys that have `fields`.
  std::map<std::string, PassOptions, std::less<>> configured_;
  DiagnosticSink own_diagnostics_;
  DiagnosticSink* diagnostics_ = &own_diagnostics_;
  const Pass* applied_ = nullptr;
  size_t size_before_ = 0;
  uint64_t next_fresh_name_ = 0;
  std::vector<uint64_t> debug_counts_;
  std::atomic<GlobalId> latest_function_ = GlobalId();
};

// Enters a context for as long as it lives:
//
//   With<PassContext> scope(context);
//   if (scope.error()) ...
//
// Entering runs the enter callbacks, then pushes; leaving pops, then runs the exit callbacks. Leave() is for callers
// that need the error of an exit callback.
template <typename T>
class With;

template <>
class With<PassContext> {
 public:
  explicit With(PassContextRef context);
  With(const With&) = delete;
  auto operator=(const With&) -> With& = delete;
  ~With() { static_cast<void>(Leave()); }

  // Returns the error with which entering failed, or nothing if the context was entered.
  auto error() const -> const std::optional<Diagnostic>& { return error_; }
  auto Leave() -> std::optional<Diagnostic>;

 private:
  PassContextRef context_;
  std::optional<Diagnostic> error_;
  bool entered_ = false;
};

}  // namespace relayopt
