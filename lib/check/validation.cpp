// Running the program before and after passes, and comparing the results.
#include "relayopt/check/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "lib/check/quantization_steps.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/lost_constants.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/eval/diagnostics.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kMismatch = {"validation-mismatch", Severity::kError, "validate: #{} {}: {}"};
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

// Returns the function of the name, or null if there is none of Relay.
auto FindFunction(const Module& module, std::string_view name) -> const Function* {
  const GlobalId id = module.FindGlobal(name);
  return id ? module.function<Function>(id) : nullptr;
}

// Returns the name of the function to run: @main, or else the first function by name.
auto EntryOf(const Module& module) -> std::string {
  const auto functions = module.SortedFunctions<Function>();
  if (functions.empty() || FindFunction(module, "main") != nullptr) return "main";
  return std::string(module.name(functions.front()));
}

auto WithOwnReferences(std::vector<Value> values) -> std::vector<Value> {
  for (Value& value : values) value = relayopt::WithOwnReferences(value);
  return values;
}

// Returns a description of a constant that a cast makes infinite or zero; nullopt if there is none.
auto FindLostConstant(const Module& module) -> std::optional<std::string> {
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    for (const ExprId expr : function.ids()) {
      if (function.kind(expr) != ExprKind::kOpCall || function.op(expr) != "cast"_op) continue;
      const ExprId operand = function.operand(expr, 0);
      const auto* attrs = module.context().As<CastAttrs>(function.attrs(expr));
      if (attrs == nullptr || function.kind(operand) != ExprKind::kConstant) continue;
      const auto lost = FindLostElement(function.constant(operand), attrs->dtype, /*zeros_count=*/false);
      if (lost && !StandsForInfinity(lost->value)) {
        return fmt::format("the constant {:g} becomes {} in {}", lost->value, lost->is_infinite ? "infinite" : "zero",
                           ToString(attrs->dtype));
      }
    }
  }
  return std::nullopt;
}

// Applications of constructors as tuples of the position of the constructor and its fields, so that the tensors in them
// are compared. What is too deep stays as it is.
auto AsTuples(const Module& module, const Value& value, int depth = 0) -> Value {
  constexpr int kMaxDepth = 100;
  const bool is_data = value.kind() == ValueKind::kData;
  if ((!is_data && value.kind() != ValueKind::kTuple) || depth > kMaxDepth) return value;
  std::vector<Value> fields;
  if (is_data)
    fields.emplace_back(
        Tensor::Scalar(DataType::Int(32), static_cast<int32_t>(module.constructor(value.object().ctor).tag)));
  for (const Value& field : value.fields()) fields.push_back(AsTuples(module, field, depth + 1));
  return Value::Tuple(std::move(fields));
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
  // The final module is compared with the initial one as a whole.
  loosest_ = std::max(loosest_, exactness == Exactness::kExtends ? Exactness::kChanges : exactness);
  if (options_.mode == Mode::kFinal) return std::nullopt;
  if (!changed && options_.mode == Mode::kChanged) {
    ++unchanged_;
    return std::nullopt;
  }
  const size_t exact = exact_;
  const size_t close = approximate_;
  const size_t mismatches = mismatches_;
  const size_t unchanged = unchanged_;
  Check(before, module, info.name, exactness);
  using Kind = ValidationVerdict::Kind;
  if (unchanged_ != unchanged) return std::nullopt;
  const Kind kind = mismatches_ != mismatches ? Kind::kMismatch
                    : approximate_ != close   ? Kind::kClose
                    : exact_ != exact         ? Kind::kExact
                                              : Kind::kSkipped;
  const bool has_reason = kind == Kind::kMismatch || kind == Kind::kSkipped;
  verdicts_.push_back({kind, number_, has_reason ? last_reason_ : "", std::exchange(last_divergence_, {})});
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
  const bool has_prim_funcs = before.Has(tir::kPrimFuncs);
  // For example the device part of a program for the host.
  const bool has_any = has_prim_funcs || before.Has(kRelayFunctions) || after.Has(kRelayFunctions);
  if (!has_any && number_ > 1) {
    ++unchanged_;
    return;
  }
  if (has_prim_funcs) CheckPrimFuncs(before, after, name, exactness);
  // A module without any functions counts once, too.
  if (before.Has(kRelayFunctions) || !has_prim_funcs) CheckRelay(before, after, name, exactness);
}

void ValidationInstrument::CheckPrimFuncs(const Module& before, const Module& after, const std::string& name,
                                          Exactness exactness) {
  const bool decides_otherwise = exactness == Exactness::kNarrows && !options_.judges_narrowing;
  if (exactness == Exactness::kChanges || decides_otherwise) return Skip(name + " makes another program");
  PrimFuncJudge::Options options;
  options.arguments.seed = options_.inputs.seed;
  options.arguments.unknown_extent = options_.inputs.unknown_extent;
  for (const BoundExtent& bound : options_.inputs.bound_extents)
    options.arguments.bound.push_back({bound.parameter, bound.axis, bound.extent});
  for (const NamedTensor& given : options_.given) options.given.push_back({given.name, given.tensor});
  options.edges = options_.edges;
  options.tolerance = options_.tolerance;
  options.tolerance.exact = exactness == Exactness::kExact || exactness == Exactness::kExtends;
  options.narrows = exactness == Exactness::kNarrows;
  // A step of Relay is an operator, one of a tensor program an instruction: the product of two matrices of 128 by 128
  // numbers takes forty million.
  // Programs that took too long will do so again, and are given fewer each time.
  options.max_steps = 10 * options_.max_steps >> std::min(2 * num_too_long_, 20);
  const PrimFuncJudge::Verdict verdict = PrimFuncJudge(std::move(options)).Judge(before, after);
  switch (verdict.kind) {
    case PrimFuncJudge::Verdict::Kind::kAgrees: ++(exactness == Exactness::kExact ? exact_ : approximate_); break;
    case PrimFuncJudge::Verdict::Kind::kDiffers:
      ReportMismatch(name, fmt::format("{}  (seed {})", verdict.text, options_.inputs.seed));
      if (!options_.folder.empty()) WriteModules(before, after);
      break;
    case PrimFuncJudge::Verdict::Kind::kNotRun:
      if (verdict.text == tir::diag::kTooManySteps.id) ++num_too_long_;
      Skip(verdict.text);
      break;
  }
}

void ValidationInstrument::CheckRelay(const Module& before, const Module& after, const std::string& name,
                                      Exactness exactness) {
  const bool decides_otherwise = exactness == Exactness::kNarrows || exactness == Exactness::kQuantizes;
  if (exactness == Exactness::kChanges || (decides_otherwise && !options_.judges_narrowing))
    return Skip(name + " makes another program");
  std::string entry = EntryOf(before);
  // When a pass removes the function that was run, the function that is now the first is compared.
  const std::string left = EntryOf(after);
  if (FindFunction(after, entry) == nullptr && FindFunction(before, left) != nullptr) entry = left;
  if (entry != entry_) {
    entry_ = std::move(entry);
    last_.reset();
  }
  if (FindFunction(after, entry_) == nullptr) return Skip(fmt::format("{} leaves no @{}", name, entry_));
  const std::vector<Outcome> expected = OutcomesOf(before);
  // Whether a program can be checked is decided by its behaviour on ordinary numbers; on edge values it may have no
  // result.
  if (!expected[0].reason.empty()) return Skip(expected[0].reason);
  const std::vector<Outcome>& got = OutcomesOf(after);
  for (size_t set = 0; set < expected.size(); ++set) {
    if (!expected[set].reason.empty()) continue;
    if (HasEdges(set) && exactness == Exactness::kQuantizes) break;
    const Verdict verdict = Judge({before, after, exactness, set}, expected[set], got[set]);
    if (!verdict.mismatch.empty()) return ReportMismatch({before, after, exactness, set}, name, verdict.mismatch);
    if (!verdict.skipped.empty() && !HasEdges(set)) return Skip(verdict.skipped);
  }
  const bool is_exact = exactness == Exactness::kExact || exactness == Exactness::kExtends;
  ++(is_exact ? exact_ : approximate_);
}

auto ValidationInstrument::Judge(const Case& c, const Outcome& expected, const Outcome& got) -> Verdict {
  if (got.reason.empty()) return CompareResults(c, expected.result, got.result);
  // The program before the pass could be evaluated, so a failure after it is the fault of the pass. Exceptions: there
  // is no kernel for an operator that it introduced, no value for a parameter that it added (a continuation of a
  // continuation), or evaluation takes a few more steps than allowed.
  const bool is_fault = got.reason.find("no kernel") == std::string::npos && got.kind != &diag::kTooManySteps &&
                        got.kind != &diag::kBadInput;
  // With shorter floats even whether a result is defined may depend on rounding.
  if (!is_fault || c.exactness == Exactness::kNarrows) return {.skipped = got.reason};
  const bool has_no_value = got.kind == &diag::kEvaluationFailed || got.kind == &kUndefined;
  // Whether a result is undefined may depend on numbers that rounding moves out of range.
  if (has_no_value && HasEdges(c.set) && c.exactness == Exactness::kApproximate) return {.skipped = got.reason};
  if (has_no_value && options_.operators_may_fail) return {.skipped = "fails afterwards: " + got.reason};
  return {.mismatch = "fails afterwards: " + got.reason};
}

auto ValidationInstrument::CompareResults(const Case& c, const Value& expected, const Value& got) -> Verdict {
  const bool narrows = c.exactness == Exactness::kNarrows;
  Tolerance tolerance = options_.tolerance;
  tolerance.exact = c.exactness == Exactness::kExact || c.exactness == Exactness::kExtends;
  tolerance.narrows = narrows;
  const bool has_field = got.kind() == ValueKind::kTuple && !got.fields().empty();
  const Value& result = c.exactness == Exactness::kExtends && has_field ? got.fields()[0] : got;
  const bool quantizes = c.exactness == Exactness::kQuantizes;
  if (quantizes) tolerance.slack = QuantizationSlack(c.before, c.after, entry_, expected);
  auto mismatch = Compare(expected, result, tolerance);
  if (const auto lost = mismatch && narrows ? FindLostConstant(c.after) : std::nullopt)
    return {.mismatch = fmt::format("{}; {}", ToString(*mismatch), *lost)};
  // A tolerance that the user gives is used as it is.
  if (mismatch && !quantizes && !tolerance.exact && tolerance.rtol < 0 && tolerance.atol < 0) {
    // Narrowed programs round more, so the program after the pass determines the slack.
    auto slack = MagnifiedRounding(narrows ? c.after : c.before, c.set, narrows ? result : expected);
    if (!slack) return {.skipped = "fails where rounding decides"};
    tolerance.slack = *std::move(slack);
    mismatch = Compare(expected, result, tolerance);
    if (!mismatch) return {};
    // NaN that only the program after the pass makes of numbers is its fault.
    const bool before_ends = LeaveOutOpen(c.before, c.set, expected, /*domain_errors=*/true, tolerance.slack);
    if (!before_ends || !LeaveOutOpen(c.after, c.set, result, /*domain_errors=*/false, tolerance.slack))
      return {.skipped = "fails where numbers leave their range"};
    mismatch = Compare(expected, result, tolerance);
    if (!mismatch) return {.skipped = "floats leave their range on the way"};
  }
  if (!mismatch) return {};
  if (quantizes) {
    // A step inside of a program may be worth many of the result: how many, the programs themselves show.
    for (const auto& [module, value] : {std::pair(&c.before, &expected), std::pair(&c.after, &result)}) {
      const auto magnified = MagnifiedSteps(*module, c.set, *value);
      if (!magnified) return {.skipped = "fails where steps of quantized numbers decide"};
      for (size_t i = 0; i < std::min(tolerance.slack.size(), magnified->size()); ++i)
        tolerance.slack[i].distance = std::max(tolerance.slack[i].distance, (*magnified)[i].distance);
    }
    if (!Compare(expected, result, tolerance)) return {.skipped = "steps of quantized numbers decide"};
  }
  return {.mismatch =
              fmt::format("{}  (seed {}, set {}/{})", ToString(*mismatch), SeedOf(c.set), c.set + 1, NumberOfSets())};
}

void ValidationInstrument::ReportMismatch(const Case& c, const std::string& name, const std::string& what) {
  ReportMismatch(name, what);
  ReportDivergence(c);
  if (options_.folder.empty()) return;
  const bool ok = WriteArguments(c);
  if (WriteModules(c.before, c.after) && ok && !options_.report) {
    Say(fmt::format("again: relayopt {} --inputs={} --equiv={}", FileName("after.relay"), FileName("arguments.npz"),
                    FileName("before.relay")));
  }
}

void ValidationInstrument::ReportDivergence(const Case& c) {
  const auto arguments = arguments_.find(c.set);
  if (options_.report || arguments == arguments_.end()) return;
  Tolerance tolerance = options_.tolerance;
  tolerance.exact = c.exactness == Exactness::kExact || c.exactness == Exactness::kExtends;
  tolerance.narrows = c.exactness == Exactness::kNarrows;
  last_divergence_ =
      FindDivergence(c.before, c.after, entry_, arguments->second, tolerance, {.max_steps = options_.max_steps});
  if (last_divergence_) Say(fmt::format("values part at {}", ToText(*last_divergence_, c.before)));
}

void ValidationInstrument::ReportMismatch(const std::string& name, const std::string& what) {
  ++mismatches_;
  last_reason_ = what;
  if (options_.report) {
    options_.report(MakeDiagnostic(kMismatch, {}, number_, name, what));
  } else {
    Say(fmt::format("#{} {}  MISMATCH  {}", number_, name, what));
  }
}

void ValidationInstrument::Say(const std::string& text) {
  sink_->Write(fmt::format("validate: {}{}\n", options_.about, text));
}

auto ValidationInstrument::WriteModules(const Module& before, const Module& after) -> bool {
  const bool is_script = !before.Has(kRelayFunctions) && !after.Has(kRelayFunctions) && before.Has(tir::kPrimFuncs);
  bool ok = true;
  for (const auto& [module, when] : {std::pair(&before, "before"), std::pair(&after, "after")}) {
    const std::string path = FileName(fmt::format("{}.{}", when, is_script ? "py" : "relay"));
    if (WriteText(path, PrintModule(*module, options_.print))) continue;
    Say(fmt::format("cannot write '{}'", path));
    ok = false;
  }
  return ok;
}

auto ValidationInstrument::FileName(std::string_view what) const -> std::string {
  return fmt::format("{}/validate-{}-{}", options_.folder, number_, what);
}

auto ValidationInstrument::WriteArguments(const Case& c) -> bool {
  const Function& function = *FindFunction(c.before, entry_);
  const auto known = arguments_.find(c.set);
  std::vector<NamedTensor> tensors;
  for (size_t i = 0; known != arguments_.end() && i < known->second.size() && i < function.params().size(); ++i) {
    if (!known->second[i].is_tensor()) break;
    const std::string_view name = function.context().text(function.var(function.params()[i]).name);
    tensors.push_back({std::string(name), known->second[i].tensor()});
  }
  if (tensors.size() != function.params().size()) return false;
  const auto archive = WriteNpz(tensors);
  if (archive && WriteText(FileName("arguments.npz"), *archive)) return true;
  Say(fmt::format("cannot write '{}'", FileName("arguments.npz")));
  return false;
}

auto ValidationInstrument::OutcomesOf(const Module& module) -> const std::vector<Outcome>& {
  if (!last_ || !SameFunctions(*last_, module)) {
    last_outcomes_ = Evaluate(module);
    last_ = module;
  }
  return last_outcomes_;
}

auto ValidationInstrument::Evaluate(const Module& module) -> std::vector<Outcome> {
  constexpr EdgeValues kEdges[] = {EdgeValues::kNaN, EdgeValues::kInfinite, EdgeValues::kExtreme};
  std::vector<Outcome> outcomes;
  InputOptions inputs = options_.inputs;
  for (size_t set = 0; set < NumberOfSets(); ++set) {
    inputs.edges = HasEdges(set) ? kEdges[set - options_.sets] : EdgeValues::kNone;
    inputs.seed = SeedOf(set);
    auto result = EvaluateSet(module, set, inputs);
    Outcome& outcome = outcomes.emplace_back();
    if (result)
      outcome.result = *std::move(result);
    else
      outcome = {{}, result.error().text, result.error().kind};
  }
  return outcomes;
}

auto ValidationInstrument::ArgumentsFor(const Function& function, size_t set, const InputOptions& inputs)
    -> Result<std::vector<Value>> {
  auto types = MapToVector<TypeId>(function.params(), [&](ExprId param) {
    return function.type(param) ? function.type(param) : function.var(param).annotation;
  });
  if (types != parameter_types_) {
    earlier_types_ = std::exchange(parameter_types_, std::move(types));
    earlier_arguments_ = std::exchange(arguments_, {});
  }
  const auto known = arguments_.find(set);
  if (known != arguments_.end()) return known->second;
  RELAYOPT_TRY(auto made, MakeArguments(function, options_.given, inputs));
  // Made-up arguments may depend on how the function uses its parameters. A pass that only adds parameters, or opens
  // extents of theirs, reuses the earlier arguments, too.
  const auto earlier = earlier_arguments_.find(set);
  if (earlier != earlier_arguments_.end()) {
    for (size_t i = 0; i < std::min(made.size(), earlier->second.size()); ++i) {
      const TypeId type = parameter_types_[i];
      const bool is_tensor = type && function.context().type(type).is_tensor();
      const bool fits = is_tensor && !Misfit(function.context(), type, earlier->second[i]);
      if (fits || earlier_types_[i] == type) made[i] = earlier->second[i];
    }
  }
  return arguments_.emplace(set, std::move(made)).first->second;
}

auto ValidationInstrument::EvaluateSet(const Module& module, size_t set, const InputOptions& inputs) -> Result<Value> {
  static constexpr DiagnosticKind kCannot = {"not-validated", Severity::kError, "{}"};
  const Function* function = FindFunction(module, entry_);
  if (function == nullptr) return MakeDiagnostic(kCannot, {}, "there is no function of Relay");
  InputOptions options = inputs;
  options.module = &module;
  RELAYOPT_TRY(const auto arguments, ArgumentsFor(*function, set, options));
  EvaluationLimits limits;
  limits.max_steps = options_.max_steps;
  Evaluator evaluator(module, limits);
  RELAYOPT_TRY(Value result, evaluator.Call(module.FindGlobal(entry_), WithOwnReferences(arguments)));
  if (!evaluator.undefined().empty()) return MakeDiagnostic(kUndefined, {}, evaluator.undefined());
  result = AsTuples(module, result);
  std::vector<Tensor> tensors;
  if (!FlattenTensors(result, tensors)) return MakeDiagnostic(kCannot, {}, "the result is more than tensors");
  return result;
}

auto ValidationInstrument::Magnified(const Module& module, size_t set, const Value& expected, double margin,
                                     const DisturbedCall& call) -> std::optional<std::vector<RoundingTolerance>> {
  // Enough to meet both sides of a tie.
  constexpr uint64_t kRuns = 8;
  const auto known = arguments_.find(set);
  if (known == arguments_.end()) return std::nullopt;
  std::vector<RoundingTolerance> slack;
  for (uint64_t run = 1; run <= kRuns; ++run) {
    EvaluationLimits limits;
    limits.max_steps = options_.max_steps;
    Evaluator evaluator(module, limits);
    const Result<Value> result = call(evaluator, run, WithOwnReferences(known->second));
    if (!result) return std::nullopt;
    Widen(slack, expected, AsTuples(module, *result), margin);
  }
  return slack;
}

auto ValidationInstrument::MagnifiedRounding(const Module& module, size_t set, const Value& expected)
    -> std::optional<std::vector<RoundingTolerance>> {
  // The pass may round more often than the program does, and approximations err by more than rounding.
  constexpr double kMargin = 32;
  const GlobalId entry = module.FindGlobal(entry_);
  ZeroLog zeros;
  return Magnified(module, set, expected, kMargin, [&](Evaluator& evaluator, uint64_t run, std::vector<Value> args) {
    evaluator.Disturb(run, &zeros);
    return evaluator.Call(entry, evaluator.Disturbed(std::move(args)));
  });
}

auto ValidationInstrument::MagnifiedSteps(const Module& module, size_t set, const Value& expected)
    -> std::optional<std::vector<RoundingTolerance>> {
  // The runs need not meet the worst case.
  constexpr double kMargin = 1.5;
  const GlobalId entry = module.FindGlobal(entry_);
  return Magnified(module, set, expected, kMargin, [&](Evaluator& evaluator, uint64_t run, std::vector<Value> args) {
    evaluator.DisturbSteps(run);
    return evaluator.Call(entry, std::move(args));
  });
}

auto ValidationInstrument::LeaveOutOpen(const Module& module, size_t set, const Value& expected, bool domain_errors,
                                        std::vector<RoundingTolerance>& slack) -> bool {
  // Four runs with one value everywhere, and some that mix them.
  constexpr uint64_t kRuns = 12;
  const auto known = arguments_.find(set);
  if (known == arguments_.end()) return false;
  for (uint64_t run = 1; run <= kRuns; ++run) {
    EvaluationLimits limits;
    limits.max_steps = options_.max_steps;
    Evaluator evaluator(module, limits);
    evaluator.ReplaceOpen(run, domain_errors);
    const auto result = evaluator.Call(module.FindGlobal(entry_), WithOwnReferences(known->second));
    if (!result) return false;
    LeaveOutDifferent(slack, expected, AsTuples(module, *result));
  }
  return true;
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
  std::string text = fmt::format(
      "validate: {}{} pass{}: {} ok ({} bit-exact), {} mismatch{}, {} unchanged, {} not validated", options_.about,
      number_, number_ == 1 ? "" : "es", ok, exact_, mismatches_, mismatches_ == 1 ? "" : "es", unchanged_, skipped);
  if (!reasons.empty()) text += " (" + reasons + ")";
  return text + "\n";
}

}  // namespace relayopt
