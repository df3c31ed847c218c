// Running the program before and after passes, and comparing the results.
#include "relayopt/check/validation.h"

#include <fmt/format.h>

#include <cstdio>

#include "relayopt/pass/registry.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/eval/evaluator.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kUndefined = {"not-validated", Severity::kError, "undefined result of {}"};

auto ExactnessOf(const PassInfo& info) -> Exactness {
  const PassDef* def = FindPass(info.name);
  return def == nullptr ? Exactness::kExact : def->exactness;
}

auto SameFunctions(const Module& a, const Module& b) -> bool {
  if (a.globals().size() != b.globals().size()) return false;
  for (size_t i = 0; i < a.globals().size(); ++i) {
    if (a.globals()[i].function != b.globals()[i].function) return false;
  }
  return true;
}

auto WriteText(const std::string& path, const std::string& text) -> bool {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool ok = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && ok;
}

}  // namespace

auto ValidationInstrument::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  if (IsNumbered(info)) open_.push_back(module);
  return std::nullopt;
}

auto ValidationInstrument::RunAfterPass(const Module& module, const PassInfo& info, bool changed)
    -> std::optional<Diagnostic> {
  if (!IsNumbered(info) || open_.empty()) return std::nullopt;
  const Module before = std::move(open_.back());
  open_.pop_back();
  ++number_;
  Exactness exactness = ExactnessOf(info);
  if (options_.strict_fp && exactness == Exactness::kApproximate) exactness = Exactness::kExact;
  // The end is compared with the start as a whole.
  loosest_ = std::max(loosest_, exactness == Exactness::kExtends ? Exactness::kChanges : exactness);
  if (options_.mode == Mode::kFinal) return std::nullopt;
  if (!changed && options_.mode == Mode::kChanged) {
    ++unchanged_;
    return std::nullopt;
  }
  Check(before, module, info.name, exactness);
  return std::nullopt;
}

void ValidationInstrument::PassFailed(const Module&, const PassInfo& info, const Diagnostic&) {
  if (IsNumbered(info) && !open_.empty()) open_.pop_back();
}

void ValidationInstrument::Finish(const Module& input, const Module& result) {
  if (options_.mode == Mode::kFinal) Check(input, result, "all passes", loosest_);
}

void ValidationInstrument::Check(const Module& before, const Module& after, const std::string& name,
                                 Exactness exactness) {
  const bool narrows = exactness == Exactness::kNarrows;
  if (exactness == Exactness::kChanges || (narrows && !options_.judges_narrowing))
    return Skip(name + " makes another program");
  const Outcome expected = OutcomeOf(before);
  if (!expected.reason.empty()) return Skip(expected.reason);
  if (!after.FindGlobal("main") || after.function<Function>(after.FindGlobal("main")) == nullptr)
    return Skip(name + " leaves no @main");
  const Outcome& got = OutcomeOf(after);
  // The program before could be evaluated: whatever fails now is the fault of the pass, unless there is no kernel for
  // what it made, no value for a parameter that it added (a continuation of a continuation), or it takes somewhat more
  // steps than were granted.
  if (!got.reason.empty()) {
    const bool is_fault = got.reason.find("no kernel") == std::string::npos && got.kind != &diag::kTooManySteps &&
                          got.kind != &diag::kBadInput;
    // Rounding decides more where floats are shorter, also what is defined.
    if (!is_fault || narrows) return Skip(got.reason);
    const bool has_no_value = got.kind == &diag::kEvaluationFailed || got.kind == &kUndefined;
    if (has_no_value && options_.operators_may_fail) return Skip("fails afterwards: " + got.reason);
    return ReportMismatch(before, after, name, "fails afterwards: " + got.reason);
  }
  CompareOutcomes(before, expected, after, got, name, exactness);
}

void ValidationInstrument::CompareOutcomes(const Module& before, const Outcome& expected, const Module& after,
                                           const Outcome& got, const std::string& name, Exactness exactness) {
  const bool narrows = exactness == Exactness::kNarrows;
  Tolerance tolerance = options_.tolerance;
  tolerance.exact = exactness == Exactness::kExact || exactness == Exactness::kExtends;
  tolerance.narrows = narrows;
  for (size_t i = 0; i < expected.results.size(); ++i) {
    const bool has_field = got.results[i].kind() == ValueKind::kTuple && !got.results[i].fields().empty();
    const bool is_field = exactness == Exactness::kExtends && has_field;
    const Value& result = is_field ? got.results[i].fields()[0] : got.results[i];
    auto mismatch = Compare(expected.results[i], result, tolerance);
    // Whoever gives a tolerance means it.
    if (mismatch && !tolerance.exact && tolerance.rtol < 0 && tolerance.atol < 0) {
      // What becomes shorter rounds more afterwards.
      auto slack = MagnifiedRounding(narrows ? after : before, i, narrows ? result : expected.results[i]);
      if (!slack) return Skip("infinities or NaN on the way, where rounding decides");
      tolerance.slack = *std::move(slack);
      mismatch = Compare(expected.results[i], result, tolerance);
      tolerance.slack.clear();
      if (mismatch && OverflowsHalf(after, i)) return Skip("float16 overflows after the pass");
    }
    if (!mismatch) continue;
    return ReportMismatch(before, after, name,
                          fmt::format("{}  (seed {}, set {}/{})", ToString(*mismatch), options_.inputs.seed, i + 1,
                                      expected.results.size()));
  }
  ++(tolerance.exact ? exact_ : approximate_);
}

void ValidationInstrument::ReportMismatch(const Module& before, const Module& after, const std::string& name,
                                          const std::string& what) {
  ++mismatches_;
  sink_->Write(fmt::format("validate: #{} {}  MISMATCH  {}\n", number_, name, what));
  if (options_.folder.empty()) return;
  for (const auto& [module, when] : {std::pair(&before, "before"), std::pair(&after, "after")}) {
    const std::string path = fmt::format("{}/validate-{}-{}.relay", options_.folder, number_, when);
    if (!WriteText(path, PrintModule(*module, options_.print))) {
      sink_->Write(fmt::format("validate: cannot write '{}'\n", path));
    }
  }
}

auto ValidationInstrument::OutcomeOf(const Module& module) -> const Outcome& {
  if (!last_ || !SameFunctions(*last_, module)) {
    last_outcome_ = Evaluate(module);
    last_ = module;
  }
  return last_outcome_;
}

auto ValidationInstrument::Evaluate(const Module& module) -> Outcome {
  Outcome outcome;
  InputOptions inputs = options_.inputs;
  for (const bool edges : {false, true}) {
    if (edges && !options_.edges) continue;
    inputs.edge_values = edges;
    auto result = EvaluateSet(module, edges ? 1 : 0, inputs);
    if (!result) return {{}, result.error().text, result.error().kind};
    outcome.results.push_back(*std::move(result));
  }
  return outcome;
}

auto ValidationInstrument::ArgumentsFor(const Function& main, size_t set, const InputOptions& inputs)
    -> Result<std::vector<Value>> {
  std::vector<TypeId> types;
  for (const ExprId param : main.params()) {
    types.push_back(main.type(param) ? main.type(param) : main.var(param).annotation);
  }
  if (types != parameter_types_) {
    earlier_types_ = std::exchange(parameter_types_, std::move(types));
    earlier_arguments_ = std::exchange(arguments_, {});
  }
  const auto known = arguments_.find(set);
  if (known != arguments_.end()) return known->second;
  RELAYOPT_TRY(auto made, MakeArguments(main, options_.given, inputs));
  // What is made may depend on how the function uses it; a pass that only adds parameters has that, too.
  const auto earlier = earlier_arguments_.find(set);
  if (earlier != earlier_arguments_.end()) {
    for (size_t i = 0; i < std::min(made.size(), earlier->second.size()); ++i) {
      if (earlier_types_[i] == parameter_types_[i]) made[i] = earlier->second[i];
    }
  }
  return arguments_.emplace(set, std::move(made)).first->second;
}

auto ValidationInstrument::EvaluateSet(const Module& module, size_t set, const InputOptions& inputs) -> Result<Value> {
  static constexpr DiagnosticKind kCannot = {"not-validated", Severity::kError, "{}"};
  const GlobalId main = module.FindGlobal("main");
  if (!main || module.function<Function>(main) == nullptr)
    return MakeDiagnostic(kCannot, {}, "there is no function @main");
  RELAYOPT_TRY(auto arguments, ArgumentsFor(*module.function<Function>(main), set, inputs));
  EvaluationLimits limits;
  limits.max_steps = options_.max_steps;
  Evaluator evaluator(module, limits);
  RELAYOPT_TRY(Value result, evaluator.Call(main, std::move(arguments)));
  if (!evaluator.undefined().empty()) return MakeDiagnostic(kUndefined, {}, evaluator.undefined());
  std::vector<Tensor> tensors;
  if (!FlattenTensors(result, tensors)) return MakeDiagnostic(kCannot, {}, "the result is more than tensors");
  return result;
}

auto ValidationInstrument::MagnifiedRounding(const Module& module, size_t set, const Value& expected)
    -> std::optional<std::vector<double>> {
  // Enough to meet both sides of a tie.
  constexpr uint64_t kRuns = 8;
  // The pass may round more often than the program does, and approximations err by more than rounding.
  constexpr double kMargin = 32;
  const GlobalId main = module.FindGlobal("main");
  const auto known = arguments_.find(set);
  if (known == arguments_.end()) return std::nullopt;
  std::vector<double> most;
  for (uint64_t run = 1; run <= kRuns; ++run) {
    EvaluationLimits limits;
    limits.max_steps = options_.max_steps;
    Evaluator evaluator(module, limits);
    evaluator.Disturb(run);
    const Result<Value> result = evaluator.Call(main, evaluator.Disturbed(known->second));
    if (!result || evaluator.met_no_number()) return std::nullopt;
    const std::vector<double> distances = Distances(expected, *result);
    most.resize(distances.size());
    for (size_t i = 0; i < distances.size(); ++i) most[i] = std::max(most[i], kMargin * distances[i]);
  }
  return most;
}

auto ValidationInstrument::OverflowsHalf(const Module& module, size_t set) -> bool {
  const auto known = arguments_.find(set);
  if (known == arguments_.end()) return false;
  EvaluationLimits limits;
  limits.max_steps = options_.max_steps;
  Evaluator evaluator(module, limits);
  evaluator.Disturb(1);
  return evaluator.Call(module.FindGlobal("main"), evaluator.Disturbed(known->second)).has_value() &&
         evaluator.half_overflowed();
}

auto ValidationInstrument::Tally() const -> std::string {
  size_t skipped = 0;
  std::string reasons;
  for (const auto& [reason, count] : skipped_) {
    skipped += count;
    reasons += (reasons.empty() ? "" : "; ") + reason;
    if (count > 1) reasons += fmt::format(" ({} times)", count);
  }
  const size_t ok = exact_ + approximate_;
  std::string text =
      fmt::format("validate: {} pass{}: {} ok ({} bit-exact), {} mismatch{}, {} unchanged, {} not validated", number_,
                  number_ == 1 ? "" : "es", ok, exact_, mismatches_, mismatches_ == 1 ? "" : "es", unchanged_, skipped);
  if (!reasons.empty()) text += " (" + reasons + ")";
  return text + "\n";
}

}  // namespace relayopt
