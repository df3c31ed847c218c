// The instruments that come with relayopt; timing.h has one more. What they call the number of a pass counts, from 1,
// the runs of passes other than sequences and updates (type inference).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/module/print.h"
#include "relayopt/pass/pass_context.h"

namespace relayopt {

// Counts passes for an instrument, so that all give a pass the same number: those that others keep from running count
// too. Only passes that run whatever the votes (PassContextOptions::required_pass) are not asked about.
class PassNumbers {
 public:
  // From ShouldRun.
  void Asks(const PassInfo& info) {
    if (!IsNumbered(info)) return;
    ++number_;
    is_asked_ = true;
  }
  // From RunBeforePass of a numbered pass.
  void Begins() {
    if (!is_asked_) ++number_;
    is_asked_ = false;
  }
  auto number() const -> uint64_t { return number_; }

 private:
  uint64_t number_ = 0;
  bool is_asked_ = false;
};

// Writes the module around passes: `*** IR Dump Before NAME (#3) ***` and `*** IR Dump After NAME (#3) ***`. The two
// have one name, by which Compiler Explorer pairs them.
class PrintIRInstrument final : public PassInstrument {
 public:
  struct Options {
    // Around all passes: those that `named` names, and others when they changed something. Updates and sequences have
    // no part in this.
    bool before_all = false;
    bool after_all = false;
    std::vector<std::string> named;
    // Only after passes that changed more than types.
    bool only_changed = false;
    // Names of pass infos.
    std::vector<std::string> before;
    std::vector<std::string> after;
    // Numbers of passes.
    std::optional<NumberSet> before_numbers;
    std::optional<NumberSet> after_numbers;
    // A line for each pass with its number.
    bool show_numbers = false;
    // When not empty: only these functions, one after the other.
    std::vector<std::string> functions;
    PrintOptions print;
  };

  // `sink` must outlive the instrument.
  PrintIRInstrument(Options options, TextSink& sink) : options_(std::move(options)), sink_(&sink) {}

  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

 private:
  // A numbered pass that runs.
  struct Running {
    uint64_t number;
    // What it was given, until that is printed: it is printed late when it is to be only for a pass that changes it.
    std::optional<Module> unprinted;
  };

  void Print(std::string_view when, const Module& module, const PassInfo& info, uint64_t number);

  Options options_;
  TextSink* sink_;
  PassNumbers numbers_;
  std::vector<Running> running_;
};

// Follows what passes change: the module at the start, then after each pass the new text or the difference to the last
// one, or a line that says that there is none.
class PrintChangedInstrument final : public PassInstrument {
 public:
  struct Options {
    bool diff = false;
    // Tells the difference between two modules, of these functions (none: all), as text that ends a line; empty when
    // there is none. Null: lines of the text are compared.
    std::function<std::string(const Module& before, const Module& after, const std::vector<std::string>& functions)>
        differ = {};
    // Nothing at the start and after passes that change nothing.
    bool quiet = false;
    bool color = false;
    // When not empty: only these functions, and only passes of these names.
    std::vector<std::string> functions;
    std::vector<std::string> passes;
    PrintOptions print;
  };

  // `sink` must outlive the instrument.
  PrintChangedInstrument(Options options, TextSink& sink) : options_(std::move(options)), sink_(&sink) {}

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;

 private:
  auto uses_differ() const -> bool { return options_.diff && options_.differ != nullptr; }
  auto Text(const Module& module) const -> std::string;

  Options options_;
  TextSink* sink_;
  // The module as it was printed or compared last, and its text.
  std::optional<Module> last_module_;
  std::optional<std::string> last_;
};

// Writes the module into a folder after every pass that changed it: 000-input.relay, 001-FoldConstant.relay, ... The
// numbers count the passes that ran, so that a gap is a pass that changed nothing. `index.json` lists all of them, and
// is whole after every pass:
//   {"version": 1, "passes": [{"number": 0, "name": "input", "changed": true, "file": "000-input.relay"}, ...]}
// Passes that changed nothing have no file.
class DumpIRInstrument final : public PassInstrument {
 public:
  DumpIRInstrument(std::string folder, PrintOptions print) : folder_(std::move(folder)), print_(print) {}

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;

 private:
  auto Dump(const Module& module, const std::string& name) -> std::optional<Diagnostic>;
  // Adds what has the current number to the index and goes on to the next number.
  auto AddToIndex(const std::string& name, const std::string& file) -> std::optional<Diagnostic>;

  std::string folder_;
  PrintOptions print_;
  size_t count_ = 0;
  // Where the next entry of the index goes.
  long index_end_ = 0;
};

// Runs only a part of the passes: from the n-th run of one pass, and to the end of the n-th run of another. Updates and
// sequences always run.
class PassRangeInstrument final : public PassInstrument {
 public:
  // A run of a pass.
  struct Point {
    // The name of its info.
    std::string name;
    uint64_t run = 1;
  };

  PassRangeInstrument(std::optional<Point> start_before, std::optional<Point> stop_after)
      : start_before_(std::move(start_before)), stop_after_(std::move(stop_after)) {}

  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;

  // The vote on the last pass that has a number.
  auto lets_run() const -> bool { return lets_run_; }
  // The points that have not been met yet.
  auto Missing() const -> std::vector<Point>;

 private:
  std::optional<Point> start_before_;
  std::optional<Point> stop_after_;
  uint64_t start_runs_ = 0;
  uint64_t stop_runs_ = 0;
  bool lets_run_ = true;
};

// Lets only passes of these numbers run, and tells of each whether it does: for finding the pass that breaks something
// by trying. Updates and sequences always run. Passes that do not run are numbered too.
class BisectInstrument final : public PassInstrument {
 public:
  // `sink` must outlive the instrument. `range`, when it is not null, is asked before; what it leaves out is told, too.
  BisectInstrument(NumberSet numbers, TextSink& sink, std::shared_ptr<const PassRangeInstrument> range = nullptr)
      : numbers_(std::move(numbers)), sink_(&sink), range_(std::move(range)) {}

  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;

 private:
  NumberSet numbers_;
  uint64_t count_ = 0;
  TextSink* sink_;
  std::shared_ptr<const PassRangeInstrument> range_;
};

// Counts for every pass how often it ran and how many functions it replaced, added or removed.
class StatisticsInstrument final : public PassInstrument {
 public:
  explicit StatisticsInstrument(std::shared_ptr<Statistics> statistics) : statistics_(std::move(statistics)) {}

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

 private:
  std::shared_ptr<Statistics> statistics_;
  // The functions before each pass that is running.
  std::vector<std::vector<GlobalFunctionRef>> before_;
};

// Verifies the functions that a pass changed, before they are brought up to date, and stops at the first that breaks a
// rule of its kind.
class VerifyInstrument final : public PassInstrument {
 public:
  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

 private:
  // `culprit` is the pass that ran last.
  auto VerifyChanged(const Module& module, const std::string& culprit) -> std::optional<Diagnostic>;

  PassNumbers numbers_;
  std::vector<std::weak_ptr<const GlobalFunction>> verified_;
  // Names of the passes that are running, outermost first.
  std::vector<std::string> open_;
};

}  // namespace relayopt
