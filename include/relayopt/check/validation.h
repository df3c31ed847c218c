// Validation: runs the program before and after passes, and compares the results.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/check/divergence.h"
#include "relayopt/check/prim_func_judge.h"
#include "relayopt/pass/pass.h"
#include "relayopt/relay/eval/compare.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

class Evaluator;

// What validation found out about one run of a pass.
struct ValidationVerdict {
  enum class Kind : uint8_t { kExact, kClose, kMismatch, kSkipped };
  Kind kind = Kind::kSkipped;
  // The number of the run.
  uint64_t number = 0;
  // The mismatch, or why nothing could be compared.
  std::string text = {};
  // Of a mismatch, where values inside of the function part first, if that is known.
  std::optional<Divergence> divergence = {};
};

// Evaluates @main, or else the first function by name, on random arguments before and after each pass. The results of
// exact passes must be equal bit by bit. Those of other passes must be equal within the tolerance, or within the change
// that perturbing the program by its rounding errors causes, if that is larger; NaN must stay NaN and infinities must
// stay the same, unless rounding decides about them or the program exceeds the range of floats on the way. Passes whose
// result is meant to be another program are not checked. What cannot be evaluated is counted, with the reason. Of
// tensor programs every function that a pass changes is run.
class ValidationInstrument final : public PassInstrument {
 public:
  // Which passes are checked.
  enum class Mode : uint8_t {
    kFinal,    // once, the end against the start; call Finish
    kChanged,  // every pass that changed something
    kEach,     // every pass
  };
  // How programs are run and compared.
  struct Options {
    Mode mode = Mode::kChanged;
    InputOptions inputs;
    // Arguments that are given by name and not made up.
    std::vector<NamedTensor> given;
    // The number of sets of arguments. Each has a seed of its own, the first that of `inputs`.
    size_t sets = 1;
    // Receives mismatches instead of the sink.
    std::function<void(const Diagnostic&)> report = {};
    // Adds three sets of arguments with edge values (EdgeValues).
    bool edges = false;
    // Every pass that preserves values must preserve them bit by bit (PassContextOptions::strict_fp).
    bool strict_fp = false;
    // The tolerance for passes that are not exact.
    Tolerance tolerance = {.exact = false};
    // Whether passes that narrow floats are checked. A program that branches on floats, as random programs do, may
    // rightly take another branch afterwards.
    bool judges_narrowing = true;
    // The limit for evaluating a program, because programs may not terminate on made-up arguments.
    uint64_t max_steps = 20'000'000;
    // Operators are taken not to fail in Relay, so that a pass may evaluate one that was not evaluated before, such as
    // one in a branch that is not taken. When true, a failure or undefined result that appears by such a move is not a
    // mismatch.
    bool operators_may_fail = false;
    // The folder for the modules before and after a mismatch; nothing is written when it is empty.
    std::string folder = ".";
    PrintOptions print;
    // What the messages are about, where several modules are validated: `a.relay: `.
    std::string about;
  };

  // `sink` receives mismatches; it must outlive the instrument.
  ValidationInstrument(Options options, TextSink& sink) : options_(std::move(options)), sink_(&sink) {}

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

  // Sets what is known of the unknown extents of the next program (InputOptions::known_extents).
  void SetKnownExtents(std::vector<BoundExtent> known) {
    options_.inputs.known_extents = std::move(known);
    parameter_types_.clear();
    arguments_.clear();
    earlier_arguments_.clear();
  }

  // For kFinal: compares the program before all passes with the result of all passes.
  void Finish(const Module& input, const Module& result);

  auto has_mismatch() const -> bool { return mismatches_ != 0; }
  // Returns the number of pass runs whose result was evaluated and agreed.
  auto validated() const -> size_t { return exact_ + approximate_; }
  // How many pass runs were not validated, by reason.
  auto not_validated() const -> const std::map<std::string, size_t>& { return skipped_; }
  // Of the runs that were evaluated, or could not be.
  auto verdicts() const -> const std::vector<ValidationVerdict>& { return verdicts_; }
  // `validate: 30 passes: 21 ok (18 bit-exact), 1 mismatch, 7 unchanged, 1 not validated (...)`.
  auto Tally() const -> std::string;

 private:
  // The result for one set of arguments, or the reason why there is none.
  struct Outcome {
    Value result = {};
    std::string reason = {};
    // The kind of error that the reason is; null if there is none.
    const DiagnosticKind* kind = nullptr;
  };
  // One pass on one set of arguments.
  struct Case {
    const Module& before;
    const Module& after;
    Exactness exactness;
    size_t set;
  };
  // The result of a comparison; agreement when both texts are empty.
  struct Verdict {
    std::string mismatch = {};
    // Why the comparison was not possible.
    std::string skipped = {};
  };

  auto NumberOfSets() const -> size_t { return options_.sets + (options_.edges ? 3 : 0); }
  auto SeedOf(size_t set) const -> uint64_t { return options_.inputs.seed + (HasEdges(set) ? 0 : set); }
  auto HasEdges(size_t set) const -> bool { return set >= options_.sets; }
  auto Evaluate(const Module& module) -> std::vector<Outcome>;
  // Evaluates the module on the set of arguments with number `set`.
  auto EvaluateSet(const Module& module, size_t set, const InputOptions& inputs) -> Result<Value>;
  // Evaluates with something disturbed, in a way that depends on the number of the run.
  using DisturbedCall = std::function<Result<Value>(Evaluator& evaluator, uint64_t run, std::vector<Value> arguments)>;
  // By how much the results change over several disturbed runs, times a margin; nullopt if one of them fails.
  auto Magnified(const Module& module, size_t set, const Value& expected, double margin, const DisturbedCall& call)
      -> std::optional<std::vector<RoundingTolerance>>;
  // By how much the results change when the floats of the program are perturbed; returns nothing if evaluation fails.
  auto MagnifiedRounding(const Module& module, size_t set, const Value& expected)
      -> std::optional<std::vector<RoundingTolerance>>;
  // How far the steps of quantized numbers in the program may move its results; nullopt if it then fails.
  auto MagnifiedSteps(const Module& module, size_t set, const Value& expected)
      -> std::optional<std::vector<RoundingTolerance>>;
  // Leaves out the elements of the results that depend on NaN and infinities which another way to compute the same
  // need not meet (Evaluator::ReplaceOpen); false if the program then fails.
  auto LeaveOutOpen(const Module& module, size_t set, const Value& expected, bool domain_errors,
                    std::vector<RoundingTolerance>& slack) -> bool;
  // Returns the arguments for a set. They are generated for the first program with parameters of these types and then
  // reused: they depend on the program, but must be the same before and after a pass.
  auto ArgumentsFor(const Function& function, size_t set, const InputOptions& inputs) -> Result<std::vector<Value>>;
  // Returns the outcomes for a module; cached for the next pass.
  auto OutcomesOf(const Module& module) -> const std::vector<Outcome>&;
  void Check(const Module& before, const Module& after, const std::string& name, Exactness exactness);
  // Check the functions of one kind.
  void CheckRelay(const Module& before, const Module& after, const std::string& name, Exactness exactness);
  void CheckPrimFuncs(const Module& before, const Module& after, const std::string& name, Exactness exactness);
  // Compares outcomes, when the module before the pass could be evaluated.
  auto Judge(const Case& c, const Outcome& expected, const Outcome& got) -> Verdict;
  // Compares results, when both modules could be evaluated.
  auto CompareResults(const Case& c, const Value& expected, const Value& got) -> Verdict;
  // Reports a mismatch on one set of arguments, and writes its files.
  void ReportMismatch(const Case& c, const std::string& name, const std::string& what);
  // Reports where values inside of the function part, if that is found.
  void ReportDivergence(const Case& c);
  // Counts and reports a mismatch, and writes no files.
  void ReportMismatch(const std::string& name, const std::string& what);
  void Say(const std::string& text);
  auto WriteModules(const Module& before, const Module& after) -> bool;
  // Returns the name of the files of a mismatch.
  auto FileName(std::string_view what) const -> std::string;
  // Writes the arguments of a set as an archive; false, after a message, when that fails.
  auto WriteArguments(const Case& c) -> bool;
  void Skip(const std::string& reason) {
    ++skipped_[reason];
    last_reason_ = reason;
  }

  Options options_;
  TextSink* sink_;
  // The modules that the running passes were given, outermost first.
  std::vector<Module> open_;
  std::optional<Module> last_;
  // The name of the function that is evaluated.
  std::string entry_;
  std::vector<TypeId> parameter_types_;
  // Arguments by set; empty for a set that has none yet.
  std::map<size_t, std::vector<Value>> arguments_;
  // The parameter types of the previous program.
  std::vector<TypeId> earlier_types_;
  std::map<size_t, std::vector<Value>> earlier_arguments_;
  std::vector<Outcome> last_outcomes_;
  Exactness loosest_ = Exactness::kExact;
  uint64_t number_ = 0;
  size_t exact_ = 0;
  size_t approximate_ = 0;
  size_t mismatches_ = 0;
  size_t unchanged_ = 0;
  // How often a tensor program took too many steps.
  int num_too_long_ = 0;
  std::map<std::string, size_t> skipped_;
  // The last mismatch, or the last reason of skipped_.
  std::string last_reason_;
  // Of the last mismatch.
  std::optional<Divergence> last_divergence_;
  std::vector<ValidationVerdict> verdicts_;
};

}  // namespace relayopt
