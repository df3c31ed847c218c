// Running the program before and after passes, and comparing the results.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/check/prim_func_judge.h"
#include "relayopt/pass/pass.h"
#include "relayopt/relay/eval/compare.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

// Evaluates @main, or the first function by name where there is none, on made-up arguments around passes. Passes that
// say they are exact must give the same bits, the others results within the tolerance, or within what disturbing the
// program by its rounding changes, where that is more; NaN must stay NaN and infinities the same infinities unless
// rounding decides or the program leaves the range of floats on the way. Passes that make another program are left out.
// What cannot be evaluated is counted with the reason. Of tensor programs every function runs that a pass changes.
class ValidationInstrument final : public PassInstrument {
 public:
  enum class Mode : uint8_t {
    kFinal,    // once, the end against the start; call Finish
    kChanged,  // every pass that changed something
    kEach,     // every pass
  };
  struct Options {
    Mode mode = Mode::kChanged;
    InputOptions inputs;
    // Arguments that are not made up, by name.
    std::vector<NamedTensor> given;
    // Sets of arguments, each of another seed, the first of which is that of `inputs`.
    size_t sets = 1;
    // Told of mismatches, instead of the sink.
    std::function<void(const Diagnostic&)> report = {};
    // Three more sets of arguments, with edge values (EdgeValues).
    bool edges = false;
    // Every pass that keeps the program is held to the bit (PassContextOptions::strict_fp).
    bool strict_fp = false;
    // Of passes that are not exact.
    Tolerance tolerance = {.exact = false};
    // Whether passes that narrow floats are judged. A program that makes decisions by them, as random ones do, may come
    // to another one.
    bool judges_narrowing = true;
    // A program that does not end on made-up arguments is not worth waiting for.
    uint64_t max_steps = 20'000'000;
    // Calls of operators do not fail in Relay, so that a pass may evaluate one that was not evaluated before, such as
    // that of a branch not taken. Where one that has no result, or an undefined one, is moved like that it is no
    // mismatch.
    bool operators_may_fail = false;
    // Where modules before and after a mismatch are written; nowhere when it is empty.
    std::string folder = ".";
    PrintOptions print;
  };

  // `sink` must outlive the instrument; it is told of mismatches.
  ValidationInstrument(Options options, TextSink& sink) : options_(std::move(options)), sink_(&sink) {}

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

  // What is known of unknown extents of the program that comes now (InputOptions::known_extents).
  void SetKnownExtents(std::vector<BoundExtent> known) {
    options_.inputs.known_extents = std::move(known);
    parameter_types_.clear();
    arguments_.clear();
    earlier_arguments_.clear();
  }

  // The program before all passes and after them, for kFinal.
  void Finish(const Module& input, const Module& result);

  auto has_mismatch() const -> bool { return mismatches_ != 0; }
  // Passes whose result was evaluated and agreed.
  auto validated() const -> size_t { return exact_ + approximate_; }
  // Why others were not, with how many.
  auto not_validated() const -> const std::map<std::string, size_t>& { return skipped_; }
  // `validate: 30 passes: 21 ok (18 bit-exact), 1 mismatch, 7 unchanged, 1 not validated (...)`.
  auto Tally() const -> std::string;

 private:
  // The result for one set of arguments, or why there is none.
  struct Outcome {
    Value result = {};
    std::string reason = {};
    // What kind of error the reason is; null where there is none.
    const DiagnosticKind* kind = nullptr;
  };
  // A pass on one set of arguments.
  struct Case {
    const Module& before;
    const Module& after;
    Exactness exactness;
    size_t set;
  };
  // Agreement when both are empty.
  struct Verdict {
    std::string mismatch = {};
    // Why nothing can be said.
    std::string skipped = {};
  };

  auto NumberOfSets() const -> size_t { return options_.sets + (options_.edges ? 3 : 0); }
  auto SeedOf(size_t set) const -> uint64_t { return options_.inputs.seed + (HasEdges(set) ? 0 : set); }
  auto HasEdges(size_t set) const -> bool { return set >= options_.sets; }
  auto Evaluate(const Module& module) -> std::vector<Outcome>;
  // `set` tells the sets of arguments apart.
  auto EvaluateSet(const Module& module, size_t set, const InputOptions& inputs) -> Result<Value>;
  // By how much the results of the program differ when its floats are disturbed; nothing where it fails.
  auto MagnifiedRounding(const Module& module, size_t set, const Value& expected)
      -> std::optional<std::vector<RoundingTolerance>>;
  // Whether numbers become infinities in the program, or what is not NaN becomes it: no contract of rounding holds
  // there.
  auto LeavesNumbers(const Module& module, size_t set) -> bool;
  // The arguments, made for the first program that has parameters of these types: what is made depends on the program,
  // and programs before and after a pass must get the same.
  auto ArgumentsFor(const Function& function, size_t set, const InputOptions& inputs) -> Result<std::vector<Value>>;
  // The outcomes of a module, kept for the next pass.
  auto OutcomesOf(const Module& module) -> const std::vector<Outcome>&;
  void Check(const Module& before, const Module& after, const std::string& name, Exactness exactness);
  // The same for functions of a kind.
  void CheckRelay(const Module& before, const Module& after, const std::string& name, Exactness exactness);
  void CheckPrimFuncs(const Module& before, const Module& after, const std::string& name, Exactness exactness);
  // The module before could be evaluated.
  auto Judge(const Case& c, const Outcome& expected, const Outcome& got) -> Verdict;
  // Both could.
  auto CompareResults(const Case& c, const Value& expected, const Value& got) -> Verdict;
  // On one set of arguments.
  void ReportMismatch(const Case& c, const std::string& name, const std::string& what);
  // Counts it and says so; nothing is written.
  void ReportMismatch(const std::string& name, const std::string& what);
  auto WriteModules(const Module& before, const Module& after) -> bool;
  // What the files of a mismatch are called.
  auto FileName(std::string_view what) const -> std::string;
  // Writes the arguments of a set as an archive; false, after a message, when that cannot be.
  auto WriteArguments(const Case& c) -> bool;
  void Skip(const std::string& reason) { ++skipped_[reason]; }

  Options options_;
  TextSink* sink_;
  // The modules that running passes were given, outermost first.
  std::vector<Module> open_;
  std::optional<Module> last_;
  // The name of the function that is run.
  std::string entry_;
  std::vector<TypeId> parameter_types_;
  // By set; empty where none have been made.
  std::map<size_t, std::vector<Value>> arguments_;
  // Those of the types before.
  std::vector<TypeId> earlier_types_;
  std::map<size_t, std::vector<Value>> earlier_arguments_;
  std::vector<Outcome> last_outcomes_;
  Exactness loosest_ = Exactness::kExact;
  uint64_t number_ = 0;
  size_t exact_ = 0;
  size_t approximate_ = 0;
  size_t mismatches_ = 0;
  size_t unchanged_ = 0;
  std::map<std::string, size_t> skipped_;
};

}  // namespace relayopt
