// Making a module and a pipeline smaller while they still show something.
//
// Each way of making something smaller has places where it may act. All are tried at once, then halves of them, then
// quarters, and at last one by one; interesting candidates are reduced further (delta debugging):
//
//   places   1 2 3 4 5 6 7 8
//            ---------------   no
//            -------           yes: four remain, 5 to 8
//                    ---       no
//                        ---   yes ...
//
// Rounds over all ways are repeated until none makes progress. A candidate counts as its own text read back, so that
// what is kept on disk is what was tried.
#include "relayopt/check/reduce.h"

#include <algorithm>
#include <utility>

#include "lib/check/reduce/shrinks.h"
#include "relayopt/convert/module_text.h"
#include "relayopt/module/function_kind.h"
#include "relayopt/module/print.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/process.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt {

namespace {

// Expressions and statements, and functions themselves.
auto CostOf(const Module& module) -> size_t {
  size_t cost = 0;
  for (const GlobalId id : module.SortedFunctions()) {
    cost += 1 + DefOf(module.function(id)->function_kind()).size(*module.function(id));
  }
  return cost;
}

// Returns the module as its text reads, or nothing if it is not well-typed.
auto FromItsText(const Module& module) -> std::optional<Module> {
  PrintOptions print;
  print.types = TypePrinting::kNone;
  const auto source = SourceText::FromString("reduced", PrintModule(module, print));
  DiagnosticSink sink;
  std::optional<Module> read = ReadModuleText(source, sink, {.allow_unregistered_ops = true});
  if (!read || !InferTypes(*read, sink)) return std::nullopt;
  ShortenNames(*read);
  for (const GlobalId id : read->SortedFunctions()) {
    if (FindBrokenRule(*read, id)) return std::nullopt;
  }
  return read;
}

class Reduction {
 public:
  Reduction(FaultyCase given, const ReduceOptions& options) : options_(options), start_(Clock::now()) {
    result_.best = std::move(given);
  }

  auto Run() -> Result<ReduceResult> {
    Begin();
    while (result_.was_interesting && is_going_on()) {
      const size_t kept = result_.kept;
      for (const PipelineShrink shrink : PipelineShrinks()) ShrinkPipeline(shrink);
      ShrinkModule(WithoutFunctions);
      ShrinkModule(WithoutTypeDefinitions);
      for (const auto shrinks : {RelayShrinks(), PrimFuncShrinks()}) {
        for (const ModuleShrink shrink : shrinks) ShrinkModule(shrink);
      }
      if (result_.kept == kept) break;
    }
    if (error_) return *std::move(error_);
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  auto is_going_on() -> bool {
    const bool is_late = options_.limit.count() > 0 && Clock::now() - start_ > options_.limit;
    result_.out_of_time = result_.out_of_time || is_late;
    return !error_ && !is_late;
  }

  // The case must show the fault as given, and after being read from its text, which is nearly always the same.
  void Begin() {
    std::optional<Module> read = FromItsText(result_.best.module);
    if (read && IsInteresting({*read, result_.best.pipeline})) {
      result_.best.module = *std::move(read);
      result_.was_interesting = true;
    } else if (!error_) {
      result_.was_interesting = IsInteresting(result_.best);
    }
    if (result_.was_interesting) Keep();
  }

  auto IsInteresting(const FaultyCase& candidate) -> bool {
    ++result_.tried;
    const Result<bool> answer = options_.is_interesting(candidate);
    if (!answer) error_ = answer.error();
    return answer && *answer;
  }

  void Keep() {
    if (!options_.keep) return;
    if (auto error = options_.keep(result_.best)) error_ = std::move(error);
  }

  auto Take(FaultyCase candidate) -> bool {
    if (!IsInteresting(candidate)) return false;
    result_.best = std::move(candidate);
    ++result_.kept;
    Keep();
    return true;
  }

  // Acts at all places of a way, at halves of them, and so on: `count()` is how many there are, `try_at(first, count)`
  // whether the result was accepted.
  template <typename Count, typename TryAt>
  void Halve(Count&& count, TryAt&& try_at) {
    size_t places = count();
    for (size_t chunk = places; chunk > 0; chunk /= 2) {
      for (size_t first = 0; first < places && is_going_on();) {
        // The elements after the removed ones now have their numbers.
        const size_t before = places;
        if (try_at(first, chunk)) places = count();
        if (places >= before) first += chunk;
      }
    }
  }

  void ShrinkPipeline(PipelineShrink shrink) {
    const auto count = [&] {
      Places none(0, 0);
      static_cast<void>(shrink(result_.best.pipeline, none));
      return none.met();
    };
    Halve(count, [&](size_t first, size_t chunk) {
      Places places(first, chunk);
      std::optional<Pipeline> pipeline = shrink(result_.best.pipeline, places);
      return pipeline && Take({result_.best.module, *std::move(pipeline)});
    });
  }

  void ShrinkModule(ModuleShrink shrink) {
    const auto count = [&] {
      Places none(0, 0);
      static_cast<void>(shrink(result_.best.module, none));
      return none.met();
    };
    Halve(count, [&](size_t first, size_t chunk) {
      Places places(first, chunk);
      const std::optional<Module> changed = shrink(result_.best.module, places);
      std::optional<Module> candidate = changed ? FromItsText(*changed) : std::nullopt;
      if (!candidate || !IsBetter(*candidate)) return false;
      return Take({*std::move(candidate), result_.best.pipeline});
    });
  }

  // Whether the candidate is smaller, or equally large with smaller numbers, so that the search terminates.
  auto IsBetter(const Module& candidate) const -> bool {
    const size_t before = CostOf(result_.best.module);
    const size_t after = CostOf(candidate);
    if (after != before) return after < before;
    const std::string text = PrintModule(result_.best.module);
    const std::string other = PrintModule(candidate);
    return other.size() != text.size() ? other.size() < text.size() : other < text;
  }

  const ReduceOptions& options_;
  Clock::time_point start_;
  ReduceResult result_;
  std::optional<Diagnostic> error_;
};

// Whether a candidate still shows the fault, and no other fault.
class Interest {
 public:
  Interest(JudgeOptions options, PassRef fixed) : judge_(std::move(options)), fixed_(std::move(fixed)) {}

  auto operator()(const FaultyCase& candidate) -> Result<bool> {
    const Result<PassRef> pass = fixed_ != nullptr ? fixed_ : BuildPipeline(candidate.pipeline);
    if (!pass) return false;
    if (!guilty_) return Start(**pass, candidate.module);
    RELAYOPT_TRY(const std::optional<std::string> guilty, GuiltyOf(judge_, **pass, candidate.module));
    return guilty == guilty_;
  }

 private:
  // The first case determines the fault. Programs that do not terminate on some arguments get a small limit of steps,
  // because each candidate uses all of them.
  auto Start(const Pass& pass, const Module& module) -> Result<bool> {
    constexpr uint64_t kFewSteps = 100'000;
    constexpr uint64_t kMore = 14;
    const uint64_t all = judge_.options().validation.max_steps;
    for (uint64_t steps = std::min(kFewSteps, all);; steps = std::min(kMore * steps, all)) {
      JudgeOptions options = judge_.options();
      options.validation.max_steps = steps;
      PropertyJudge judge(std::move(options));
      RELAYOPT_TRY(guilty_, GuiltyOf(judge, pass, module));
      if (guilty_) judge_ = std::move(judge);
      if (guilty_ || steps == all || judge_.property().kind != Property::Kind::kValidate) return guilty_.has_value();
    }
  }

  // Returns the name of the guilty pass, or a description of it, or nothing if there is none.
  static auto GuiltyOf(const PropertyJudge& judge, const Pass& pass, const Module& module)
      -> Result<std::optional<std::string>> {
    const Property& property = judge.property();
    if (property.kind == Property::Kind::kCrash) return CrashedOf(judge, pass, module);
    const Trial trial = RunTrial(pass, module, judge.options().trial);
    switch (property.kind) {
      case Property::Kind::kValidate: {
        const PassRun* run = judge.FirstMismatch(trial.runs);
        if (run != nullptr) return std::optional(run->name);
        // An invalid module is not evaluated.
        return IsFaultOfPass(trial) ? std::optional("broken by " + trial.failed->name) : std::nullopt;
      }
      case Property::Kind::kResult: {
        if (trial.failed) return std::optional<std::string>();
        RELAYOPT_TRY(const Answer answer, property.judge(trial.result, "", trial.runs.size()));
        return answer == Answer::kBad ? std::optional<std::string>("") : std::nullopt;
      }
      default: return judge.FailsSo(trial, nullptr) ? std::optional(trial.failed->name) : std::nullopt;
    }
  }

  static auto CrashedOf(const PropertyJudge& judge, const Pass& pass, const Module& module)
      -> std::optional<std::string> {
    TrialOptions options = judge.options().trial;
    const auto end = RunInChild(
        [&](uint64_t& note) {
          options.begins = [&note](const PassRun& run) { note = std::hash<std::string>()(run.name); };
          static_cast<void>(RunTrial(pass, module, options));
        },
        judge.options().child_seconds);
    return end && end->crashed() ? std::optional(std::to_string(end->note)) : std::nullopt;
  }

  PropertyJudge judge_;
  PassRef fixed_;
  std::optional<std::string> guilty_;
};

}  // namespace

auto Reduce(FaultyCase given, const ReduceOptions& options) -> Result<ReduceResult> {
  return Reduction(std::move(given), options).Run();
}

auto InterestOf(JudgeOptions options, PassRef fixed) -> std::function<Result<bool>(const FaultyCase&)> {
  return Interest(std::move(options), std::move(fixed));
}

auto CallsAndStatements(const Module& module) -> size_t {
  size_t count = 0;
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    for (const ExprId expr : function.ids()) {
      const ExprKind kind = function.kind(expr);
      count += kind == ExprKind::kOpCall || kind == ExprKind::kCall ? 1 : 0;
    }
  }
  for (const GlobalId id : module.SortedFunctions<tir::PrimFunc>()) count += module.function<tir::PrimFunc>(id)->size();
  return count;
}

}  // namespace relayopt
