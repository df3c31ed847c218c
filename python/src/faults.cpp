// Finding the pass that breaks a module, and making modules smaller that show it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "relayopt/check/bisect.h"
#include "relayopt/check/reduce.h"
#include "relayopt/module/print.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/text/reader.h"

namespace relayopt::python {
namespace {

using graph::ModuleObj;

// A module of the core as an object, in a family of its own context.
auto BoxOf(const Module& module) -> nb::object {
  const auto lineage = std::make_shared<graph::Lineage>(module.shared_context());
  return ToObject(ModuleObj::FromCore(lineage, module, nullptr).get());
}

// A pass in Python as one of the core.
class PassOfPython final : public ModulePass {
 public:
  // `call(module)` gives the module afterwards.
  PassOfPython(PassInfo info, nb::object call) : ModulePass(std::move(info)), call_(std::move(call)) {}
  ~PassOfPython() override {
    const Locked locked;
    call_.reset();
  }

  auto RunOnModule(const Module& module, PassContext&) const -> Result<std::optional<Module>> override {
    const Locked locked;
    try {
      const nb::object before = BoxOf(module);
      const nb::object after = CallPython(call_, before);
      if (after.is(before)) return std::nullopt;
      return InContextOf(module, OrThrow(ModuleOf(after).Core()));
    } catch (...) {
      return ParkCurrentException();
    }
  }

 private:
  // Passes in Python may make modules from nothing; the others of a pipeline share one context.
  static auto InContextOf(const Module& module, Module made) -> Result<std::optional<Module>> {
    if (&made.context() == &module.context()) return std::optional(std::move(made));
    DiagnosticSink sink;
    auto read = ReadModule(SourceText::FromString("pass", PrintModule(made)), module.shared_context(), sink);
    if (!read) return sink.diagnostics().front();
    return std::optional(*std::move(read));
  }

  nb::object call_;
};

// Passes one after the other, each as if it were called: whatever its level.
class OneByOne final : public Pass {
 public:
  explicit OneByOne(std::vector<PassRef> passes) : Pass({0, "passes", {}, true}), passes_(std::move(passes)) {}
  auto passes() const -> std::span<const PassRef> override { return passes_; }

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> override {
    bool changed = false;
    for (const PassRef& pass : passes_) {
      RELAYOPT_TRY(const bool by_pass, pass->Apply(module, context));
      changed = changed || by_pass;
    }
    return changed;
  }

 private:
  std::vector<PassRef> passes_;
};

// A pass from pieces: handles of passes of the core, and (level, name, callable) of those in Python.
auto PassOf(nb::list pieces) -> PassRef {
  std::vector<PassRef> passes;
  for (const nb::handle piece : pieces) {
    if (nb::isinstance<PassHandle>(piece)) {
      passes.push_back(nb::cast<PassHandle&>(piece).pass);
    } else {
      const auto tuple = nb::cast<nb::tuple>(piece);
      PassInfo info{nb::cast<int>(tuple[0]), nb::cast<std::string>(tuple[1])};
      passes.push_back(std::make_shared<PassOfPython>(std::move(info), nb::borrow(tuple[2])));
    }
  }
  return std::make_shared<OneByOne>(std::move(passes));
}

// predicate(module): whether it is bad; None: undecided.
auto Ask(const nb::object& predicate, const Module& module) -> Result<Answer> {
  const Locked locked;
  try {
    const nb::object answer = CallPython(predicate, BoxOf(module));
    if (answer.is_none()) return Answer::kUnknown;
    return nb::cast<bool>(nb::bool_(answer)) ? Answer::kBad : Answer::kGood;
  } catch (...) {
    return ParkCurrentException();
  }
}

auto PropertyOf(const nb::dict& question) -> Property {
  const auto kind = nb::cast<std::string>(question["fault"]);
  if (kind == "validate") return {.kind = Property::Kind::kValidate};
  if (kind == "crash") return {.kind = Property::Kind::kCrash};
  if (kind == "verify") return {.kind = Property::Kind::kVerify};
  const nb::object predicate = question["predicate"];
  return {.kind = Property::Kind::kResult,
          .judge = [predicate](const Module& module, const std::string&, uint64_t) { return Ask(predicate, module); }};
}

// The request, as a dict: fault, predicate, inputs (pairs of names and arrays), seed, sets, edges.
auto JudgeOptionsOf(const nb::dict& question, const nb::dict& context) -> JudgeOptions {
  JudgeOptions judge;
  judge.property = PropertyOf(question);
  judge.trial.context = ContextOptionsOf(context);
  judge.trial.context.infer_types_after_module_passes = true;
  judge.validation.inputs.seed = nb::cast<uint64_t>(question["seed"]);
  judge.validation.sets = nb::cast<size_t>(question["sets"]);
  judge.validation.edges = nb::cast<bool>(question["edges"]);
  judge.validation.strict_fp = judge.trial.context.strict_fp;
  judge.validation.given = NamedTensorsOf(question["inputs"]);
  return judge;
}

auto ToDict(const PassRun& run) -> nb::dict {
  nb::dict out;
  out["number"] = run.number;
  out["name"] = Text(run.name);
  out["before"] = BoxOf(run.before);
  out["after"] = BoxOf(run.after);
  return out;
}

// Raises the error of given inputs that do not fit the parameters of @main: runs on them could not be compared.
void CheckInputs(const Module& module, const JudgeOptions& judge) {
  const GlobalId id = module.FindGlobal("main");
  const auto* const main = id ? module.function<Function>(id) : nullptr;
  if (main == nullptr || judge.validation.given.empty()) return;
  static_cast<void>(OrThrow(MakeArguments(*main, judge.validation.given, judge.validation.inputs)));
}

// The reason why a trial did not finish.
void ThrowErrorsOf(const Trial& trial) {
  if (!trial.errors.empty()) Throw(trial.errors.back());
}

// {"first": the first run that changes what the program computes, or None; "message", "tally"}.
auto Validate(nb::handle module, nb::list pieces, nb::dict context, nb::dict question) -> nb::dict {
  const PropertyJudge judge(JudgeOptionsOf(question, context));
  const PassRef pass = PassOf(pieces);
  const Module core = TypedCore(module);
  CheckInputs(core, judge.options());
  std::optional<Trial> trial;
  std::string message;
  std::string tally;
  const PassRun* first = nullptr;
  {
    const Unlocked unlocked;
    trial.emplace(RunTrial(*pass, core, judge.options().trial));
    if (!trial->failed) first = judge.FirstMismatch(trial->runs, &message, &tally);
  }
  ThrowErrorsOf(*trial);
  nb::dict out;
  out["first"] = first == nullptr ? nb::object(nb::none()) : nb::object(ToDict(*first));
  out["message"] = Text(message);
  out["tally"] = Text(tally);
  return out;
}

auto RewriteOf(const std::optional<GuiltyRewrite>& rewrite) -> nb::object {
  if (!rewrite) return nb::none();
  nb::dict out;
  out["counter"] = Text(rewrite->counter);
  out["number"] = rewrite->number;
  out["alone"] = rewrite->alone;
  out["others_too"] = rewrite->others_too;
  nb::list remarks;
  for (const Remark& remark : rewrite->remarks) remarks.append(Text(remark.message()));
  out["remarks"] = remarks;
  return out;
}

auto NameOf(BisectResult::Verdict verdict) -> const char* {
  switch (verdict) {
    case BisectResult::Verdict::kFound: return "found";
    case BisectResult::Verdict::kNoFault: return "no fault";
    case BisectResult::Verdict::kFaultyInput: return "faulty input";
    case BisectResult::Verdict::kUnknown: break;
  }
  return "unknown";
}

auto RunBisect(nb::handle module, nb::list pieces, nb::dict context, nb::dict question) -> nb::dict {
  const JudgeOptions judge = JudgeOptionsOf(question, context);
  const PassRef pass = PassOf(pieces);
  const Module core = TypedCore(module);
  CheckInputs(core, judge);
  std::optional<Result<BisectResult>> answer;
  {
    const Unlocked unlocked;
    answer.emplace(Bisect(*pass, core, judge));
  }
  const BisectResult result = OrThrow(std::move(*answer));
  nb::dict out;
  out["verdict"] = NameOf(result.verdict);
  out["what"] = Text(result.what);
  out["trials"] = result.trials;
  if (result.verdict != BisectResult::Verdict::kFound) return out;
  out["guilty"] = ToDict(result.guilty);
  out["first_suspect"] = result.first_suspect;
  out["functions"] = nb::cast(result.functions);
  out["rewrite"] = RewriteOf(result.rewrite);
  out["others_too"] = nb::cast(result.others_too);
  return out;
}

// `pipeline`: a text whose passes may be left out, too; without it `pieces` run as they are. With a predicate no pass
// runs at all: it is asked about the module.
auto RunReduce(nb::handle module, std::optional<std::string> pipeline, nb::list pieces, nb::dict context,
               nb::dict question, double seconds) -> nb::dict {
  const PassRef fixed = pipeline ? nullptr : PassOf(pieces);
  FaultyCase given{TypedCore(module), pipeline ? OrThrow(ParsePipeline(*pipeline)) : Pipeline()};
  ReduceOptions options;
  options.limit = std::chrono::duration<double>(seconds);
  const JudgeOptions judge = JudgeOptionsOf(question, context);
  CheckInputs(given.module, judge);
  options.is_interesting = InterestOf(judge, fixed);
  std::optional<Result<ReduceResult>> answer;
  {
    const Unlocked unlocked;
    answer.emplace(Reduce(std::move(given), options));
  }
  const ReduceResult result = OrThrow(std::move(*answer));
  nb::dict out;
  out["was_interesting"] = result.was_interesting;
  out["out_of_time"] = result.out_of_time;
  out["tried"] = result.tried;
  out["kept"] = result.kept;
  out["module"] = BoxOf(result.best.module);
  out["calls"] = CallsAndStatements(result.best.module);
  out["pipeline"] = pipeline ? nb::object(Text(ToString(result.best.pipeline))) : nb::object(nb::none());
  return out;
}

}  // namespace

void AddFaults(nb::module_& m) {
  m.def("validate", &Validate);
  m.def("bisect", &RunBisect);
  m.def("reduce", &RunReduce, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace relayopt::python
