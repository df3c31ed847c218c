// The instruments that come with relayopt; timing.h has one more. Instruments number the runs of passes from 1.
// Sequences and updates (type inference) have no numbers.
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

// Numbers passes for an instrument, such that all instruments give a pass the same number: passes that other
// instruments keep from running are numbered too. Instruments are not asked about passes that always run
// (PassContextOptions::required_pass).
class PassNumbers {
 public:
  // To be called from ShouldRun.
  void Asks(const PassInfo& info) {
    if (!IsNumbered(info)) return;
    ++number_;
    is_asked_ = true;
  }
  // To be called from RunBeforePass of a numbered pass.
  void Begins() {
    if (!is_asked_) ++number_;
    is_asked_ = false;
  }
  auto number() const -> uint64_t { return number_; }

 private:
  uint64_t number_ = 0;
  bool is_asked_ = false;
};

// Prints the module around passes, below `*** IR Dump Before NAME (#3) ***` or `*** IR Dump After NAME (#3) ***`. NAME
// is the same in both lines, because Compiler Explorer pairs them by it.
class PrintIRInstrument final : public PassInstrument {
 public:
  struct Options {
    // Print before or after all passes: those in `before` and `after` always, others only when they changed something.
    // Updates and sequences are left out.
    bool before_all = false;
    bool after_all = false;
    std::vector<std::string> named;
    // Print only after passes that changed more than types.
    bool only_changed = false;
    // Names of passes (PassInfo::name) to print before and after.
    std::vector<std::string> before;
    std::vector<std::string> after;
    // Numbers of passes to print before and after.
    std::optional<NumberSet> before_numbers;
    std::optional<NumberSet> after_numbers;
    // Print a line with the number of each pass.
    bool show_numbers = false;
    // Print only these functions, one after the other; all when empty.
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
  // A numbered pass that is running.
  struct Running {
    uint64_t number;
    // The module it was given, until that is printed. Printing is postponed when it depends on whether the pass changes
    // the module.
    std::optional<Module> unprinted;
  };

  void Print(std::string_view when, const Module& module, const PassInfo& info, uint64_t number);

  Options options_;
  TextSink* sink_;
  PassNumbers numbers_;
  std::vector<Running> running_;
};

// Prints what passes change: the module at the start; after each pass the new text, its difference from the last one,
// or a line that says that nothing changed.
class PrintChangedInstrument final : public PassInstrument {
 public:
  struct Options {
    bool diff = false;
    // Computes the difference between two modules, restricted to these functions (all when empty): text that ends with
    // a newline, or is empty when there is no difference. Null: the texts are compared line by line.
    std::function<std::string(const Module& before, const Module& after, const std::vector<std::string>& functions)>
        differ = {};
    // Print nothing at the start, and nothing after passes that change nothing.
    bool quiet = false;
    bool color = false;
    // Print only these functions, and only after passes of these names; all when empty.
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
  // The module that was printed or compared last, and its text.
  std::optional<Module> last_module_;
  std::optional<std::string> last_;
};

// Whether a file has a name that DumpIRInstrument gives: that of the index, or three digits or more, and a hyphen.
auto IsNameOfDump(std::string_view name) -> bool;

// Writes the module to a folder after every pass that changed it: 000-input.relay, 001-FoldConstant.relay, ... The
// numbers count the passes that ran; a gap stands for passes that changed nothing and have no file. `index.json` lists
// all passes and is complete after each of them:
// {"version": 1, "passes": [{"number": 0, "name": "input", "changed": true, "file": "000-input.relay"}, ...]}
class DumpIRInstrument final : public PassInstrument {
 public:
  DumpIRInstrument(std::string folder, PrintOptions print) : folder_(std::move(folder)), print_(print) {}

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;

 private:
  auto Dump(const Module& module, const std::string& name) -> std::optional<Diagnostic>;
  // Adds the pass with the current number to the index, and goes on to the next number.
  auto AddToIndex(const std::string& name, const std::string& file) -> std::optional<Diagnostic>;

  std::string folder_;
  PrintOptions print_;
  size_t count_ = 0;
  // The offset in the file at which the next entry of the index is written.
  long index_end_ = 0;
};

// Runs only a range of the passes: from the n-th run of one pass to the end of the n-th run of another. Updates and
// sequences always run.
class PassRangeInstrument final : public PassInstrument {
 public:
  // One run of a pass.
  struct Point {
    // The name of the pass (PassInfo::name).
    std::string name;
    uint64_t run = 1;
  };

  PassRangeInstrument(std::optional<Point> start_before, std::optional<Point> stop_after)
      : start_before_(std::move(start_before)), stop_after_(std::move(stop_after)) {}

  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;

  // The vote on the last numbered pass.
  auto lets_run() const -> bool { return lets_run_; }
  // Returns the points of the range that were not reached.
  auto Missing() const -> std::vector<Point>;

 private:
  std::optional<Point> start_before_;
  std::optional<Point> stop_after_;
  uint64_t start_runs_ = 0;
  uint64_t stop_runs_ = 0;
  bool lets_run_ = true;
};

// Lets only passes with certain numbers run and prints for each whether it runs, in order to find the pass that breaks
// something. Updates and sequences always run. Passes that do not run are numbered too.
class BisectInstrument final : public PassInstrument {
 public:
  // `sink` must outlive the instrument. `range`, when not null, votes first; passes that it leaves out are printed too.
  BisectInstrument(NumberSet numbers, TextSink& sink, std::shared_ptr<const PassRangeInstrument> range = nullptr)
      : numbers_(std::move(numbers)), sink_(&sink), range_(std::move(range)) {}

  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;

 private:
  NumberSet numbers_;
  uint64_t count_ = 0;
  TextSink* sink_;
  std::shared_ptr<const PassRangeInstrument> range_;
};

// Counts for every pass how often it ran, and how many functions it replaced, added or removed.
class StatisticsInstrument final : public PassInstrument {
 public:
  explicit StatisticsInstrument(std::shared_ptr<Statistics> statistics) : statistics_(std::move(statistics)) {}

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

 private:
  std::shared_ptr<Statistics> statistics_;
  // The functions before each running pass, outermost first.
  std::vector<std::vector<GlobalFunctionRef>> before_;
};

// Verifies the functions that a pass changed, before they are brought up to date. The first one that breaks a rule of
// its kind is an error.
class VerifyInstrument final : public PassInstrument {
 public:
  auto ShouldRun(const Module& module, const PassInfo& info) -> Result<bool> override;
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

  // Whether this function of the module that passes ran over last was verified, or made by an update from one that was.
  auto HasVerified(GlobalId id, const GlobalFunctionRef& function) const -> bool {
    return id.value() < verified_.size() && verified_[id.value()].lock() == function;
  }

 private:
  // `culprit` is the pass to blame: the one that ran last.
  auto VerifyChanged(const Module& module, const std::string& culprit) -> std::optional<Diagnostic>;
  // Takes the functions of the module as verified.
  void NoteVerified(const Module& module);

  PassNumbers numbers_;
  std::vector<std::weak_ptr<const GlobalFunction>> verified_;
  // Names of the running passes, outermost first.
  std::vector<std::string> open_;
};

}  // namespace relayopt
