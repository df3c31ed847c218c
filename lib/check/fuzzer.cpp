// One random program through one random pipeline.
#include "relayopt/check/fuzzer.h"

#include <fmt/core.h>

#include <algorithm>

#include "lib/check/prim_func_fuzzer.h"
#include "lib/check/random/random.h"
#include "relayopt/check/mutator.h"
#include "relayopt/check/planted_faults.h"
#include "relayopt/check/validation.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"

namespace relayopt {

namespace {

// The percentage of pipelines that run in a strict context.
constexpr int kPercentStrict = 25;

// Some passes do nothing without a target, or depend on it.
constexpr std::string_view kTargets[] = {"", "", "", "llvm -mcpu=core-avx2", "llvm -mcpu=cascadelake", "cuda"};

// Drawn instead of passes that reject every program when they run alone or without options.
constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
    {"AnnotateTarget", "AnnotateTarget<targets=[dnnl]>"},
    // No parameter file fits random programs.
    {"BindParams", ""},
    // It needs depths from the context.
    {"CollagePartition", ""},
    {"ConvertLayout", R"(ConvertLayout<desired_layouts={"nn.conv2d": ["NHWC", "default"]}>)"},
    // Its constructors have numbers for names, as in TVM, and so are not read back as names.
    {"Defunctionalization", ""},
    {"EtaExpand", "EtaExpand<expand_constructor=true;expand_global_var=true>"},
    // Not drawn, because its rules are not yet tested with extreme numbers.
    {"CombineFor", ""},
    // Its option names an extent of a parameter.
    {"FlexibleShapeDispatch", ""},
    // Random programs have no functions for compilers, neither literals nor global ones.
    {"InlineCompilerFunctionsBoundTo", ""},
    {"JoinBatchNorm", "SplitBatchNorm,JoinBatchNorm"},
    {"LowerFor", "LowerFor<target=relax>"},
    // Meant for functions in A-normal form, which random programs are not.
    {"ManifestLifetimes", ""},
    {"MarkCompilerFunctionsAsExtern", ""},
    {"MergeComposite", "MergeComposite<compilers=[dnnl]>"},
    {"OutlineCompilerFunctionsWithExistingGlobalSymbols", ""},
    // It makes another program unless the caller changes the weights.
    {"SimplifyFCTranspose", ""},
    {"QuantizeCalibrate", "QuantizeAnnotate,QuantizeCalibrate"},
    {"SplitArgs", "SplitArgs<max_function_args=4>"},
    {"UnCPS", "ToCPS,UnCPS"},
};

struct Drawable {
  std::string_view name;
  std::string_view spelling;
};

// Passes that can be drawn: all that do not fail on purpose.
auto Drawables() -> std::vector<Drawable> {
  std::vector<Drawable> passes;
  for (const PassDef* def : AllPasses()) {
    if (def->hidden) continue;
    Drawable pass{def->name, def->name};
    for (const auto& [name, spelling] : kSpellings) {
      if (name == def->name) pass.spelling = spelling;
    }
    if (!pass.spelling.empty()) passes.push_back(pass);
  }
  return passes;
}

auto DrawPipeline(Random& random, const FuzzOptions& options) -> std::string {
  if (!options.pipeline.empty()) return options.pipeline;
  static const std::vector<Drawable> passes = Drawables();
  // A planted fault is in each pipeline, at any place.
  const PlantedFault* fault = FindPlantedFault(options.planted_fault);
  const int64_t count = random.Between(1, options.max_passes);
  const int64_t place = fault == nullptr ? -1 : random.Between(0, count - 1);
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    if (!text.empty()) text += ',';
    if (i == place) text += fmt::format("TestPlantedFault<fault={}>,{}", fault->name, fault->host);
    if (i != place) text += random.Pick<Drawable>(passes).spelling;
  }
  return text;
}

// Returns the first error of a sink as text.
auto FirstError(const DiagnosticSink& sink, const SourceText* source) -> std::string {
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.kind->severity == Severity::kError) return Render(diagnostic, source);
  }
  return "no error was reported";
}

// Whether the error says that a pass left a module that inference or the verifier rejects, and not that it refused its
// input.
auto IsFaultOfPass(const Diagnostic& error) -> bool {
  return std::any_of(error.notes.begin(), error.notes.end(),
                     [](const DiagnosticNote& note) { return note.text == "while running InferType"; });
}

// Returns the first line in which two texts differ, both ways.
auto FirstDifference(std::string_view a, std::string_view b) -> std::string {
  const size_t at = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const auto line = [at](std::string_view text) {
    const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
  };
  return fmt::format("- {}\n+ {}\n", line(a), line(b));
}

// Returns the verifier's message about the first function that breaks a rule.
auto FirstBroken(const Module& module) -> std::optional<std::string> {
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    if (const auto broken = FindBrokenRule(module, id)) {
      return fmt::format("@{}: {}\n", module.name(id), broken->text);
    }
  }
  return std::nullopt;
}

// Notices passes that compute extents that were `?`.
class ExtentFinders final : public PassInstrument {
 public:
  auto RunBeforePass(const Module&, const PassInfo& info) -> std::optional<Diagnostic> override {
    constexpr std::string_view kFinders[] = {"DynamicToStatic", "FoldConstant", "PartialEval"};
    ran_ = ran_ || std::ranges::find(kFinders, info.name) != std::end(kFinders);
    return std::nullopt;
  }

  // Whether inference may have failed correctly: a call, usually in code that is never evaluated, was found to have no
  // result.
  auto Explain(const DiagnosticSink& sink) const -> bool {
    const auto& all = sink.diagnostics();
    const auto error = std::ranges::find_if(
        all, [](const Diagnostic& diagnostic) { return diagnostic.kind->severity == Severity::kError; });
    return ran_ && error != all.end() && error->kind->id == "operator-type";
  }

 private:
  bool ran_ = false;
};

// Steps return whether to go on: not after a failure, and not after a pass that refused its input.
class Judge {
 public:
  Judge(uint64_t seed, const FuzzOptions& options) : random_(~seed), options_(options) { case_.seed = seed; }

  auto Run() -> FuzzRun {
    const std::optional<Module> program = Program();
    for (int left = options_.pipelines; program && left != 0 && !run_.failure; --left) {
      case_.pipeline = DrawPipeline(random_, options_);
      case_.strict_fp = options_.strict_fp || random_.Chance(kPercentStrict);
      case_.target = random_.Pick<std::string_view>(kTargets);
      ++run_.pipelines;
      JudgePipeline(*program, /*twice=*/left == 1);
    }
    return std::move(run_);
  }

 private:
  auto Fail(std::string_view what, const std::string& details) -> bool {
    case_.what = std::string(what) + '\n' + details;
    run_.failure = case_;
    return false;
  }
  auto Refuse(std::string_view why) -> bool {
    ++run_.refused[std::string(why)];
    return false;
  }

  // Returns the program, whose text is read back unchanged. Inference forgets extents where a known one meets `?`,
  // which may take a second round: the program starts from there. Without the extents it may have no types any more.
  auto Program() -> std::optional<Module> {
    if (!options_.corpus.empty()) return ProgramOfCorpus();
    Module module = GenerateProgram(case_.seed, options_.program);
    case_.program = PrintModule(module);
    DiagnosticSink sink;
    if (!InferTypes(module, sink)) {
      Fail("the program is not well-typed", FirstError(sink, nullptr));
      return std::nullopt;
    }
    case_.program = PrintModule(module);
    const auto source = SourceText::FromString("program", case_.program);
    std::optional<Module> settled = ReadModule(source, sink);
    if (settled && !InferTypes(*settled, sink)) {
      Refuse("forgotten-extents");
      return std::nullopt;
    }
    if (settled) case_.program = PrintModule(*settled);
    if (!CheckRoundTrip(case_.program)) return std::nullopt;
    return settled;
  }

  // The seed selects a module of the corpus: in the first round of a run unchanged, afterwards mutated. Most mutations
  // are ill-typed, so another one is tried then.
  auto ProgramOfCorpus() -> std::optional<Module> {
    constexpr uint64_t kTries = 20;
    const size_t count = options_.corpus.size();
    DiagnosticSink sink;
    std::optional<Module> given = Read(options_.corpus[NumberInRun(case_.seed) % count], sink);
    if (given && NumberInRun(case_.seed) >= count) {
      std::optional<Module> mutated;
      for (uint64_t i = 0; i < kTries && !mutated; ++i) {
        const auto near = MutateProgram(*given, case_.seed * kTries + i);
        DiagnosticSink unread;
        if (near) mutated = Read(PrintModule(*near), unread);
      }
      given = std::move(mutated);
    }
    // Text that was read once may lose extents when it is read again.
    if (given) {
      case_.program = PrintModule(*given);
      given = Read(case_.program, sink);
    }
    if (!given) {
      Refuse("no-mutation");
      return std::nullopt;
    }
    case_.program = PrintModule(*given);
    if (!CheckRoundTrip(case_.program)) return std::nullopt;
    return given;
  }

  auto JudgePipeline(const Module& program, bool twice) -> bool {
    std::string first;
    if (!Optimize(program, first, /*validates=*/true) || !CheckRoundTrip(first)) return false;
    if (!twice) return true;
    // Again from the text: nothing may depend on what other runs left in the context.
    DiagnosticSink sink;
    std::string second;
    if (!Optimize(*Read(case_.program, sink), second, /*validates=*/false)) return false;
    if (first != second) return Fail("two runs give different text", FirstDifference(first, second));
    return true;
  }

  static auto Read(const std::string& text, DiagnosticSink& sink) -> std::optional<Module> {
    std::optional<Module> module = ReadModule(SourceText::FromString("program", text), sink);
    if (module && !InferTypes(*module, sink)) return std::nullopt;
    return module;
  }

  // The first round of reading and printing determines annotations of new variables, and extents that meet `?`. After
  // that nothing may change.
  auto CheckRoundTrip(std::string text) -> bool {
    std::string before;
    for (int i = 0; i < 3; ++i) {
      DiagnosticSink sink;
      const auto source = SourceText::FromString("program", text);
      std::optional<Module> module = ReadModule(source, sink);
      if (module && !InferTypes(*module, sink)) module.reset();
      if (!module) return Fail("what was printed cannot be read", FirstError(sink, source.get()));
      before = std::exchange(text, PrintModule(*module));
      if (before == text) return true;
    }
    return Fail("what was read prints as something else", FirstDifference(before, text));
  }

  // Runs the passes; the text of the result goes to `out`. Validation evaluates the program around each pass that
  // changes it.
  auto Optimize(Module module, std::string& out, bool validates) -> bool {
    const Result<Pipeline> pipeline = ParsePipeline(case_.pipeline);
    if (!pipeline) return Fail("the pipeline cannot be read", pipeline.error().text);
    const Result<PassRef> whole = BuildPipeline(*pipeline);
    if (!whole) return Fail("the pipeline cannot be built", whole.error().text);
    StringSink mismatches;
    ValidationInstrument validation(ValidationOptions(), mismatches);
    const auto finders = std::make_shared<ExtentFinders>();
    const Result<PassContextRef> context =
        PassContext::Create(ContextOptions(finders, validates ? &validation : nullptr));
    const std::shared_ptr<const SourceText> source = module.source();
    const std::span<const PassRef> parts = (*whole)->passes().empty() ? std::span(&*whole, 1) : (*whole)->passes();
    for (const PassRef& pass : parts) {
      const Result<bool> changed = Sequential({pass}).Apply(module, **context);
      if (!changed && !IsFaultOfPass(changed.error())) return Refuse(changed.error().kind->id);
      const std::string where = "after " + pass->info().name;
      if (validates && !pass->info().is_update) {
        FuzzRun::PassRuns& runs = run_.passes[pass->info().name];
        ++runs.runs;
        runs.changed += changed && *changed ? 1 : 0;
      }
      if (!changed && finders->Explain((*context)->diagnostics())) return Refuse("impossible-extents");
      if (!changed) return Fail(where + ": types do not fit", FirstError((*context)->diagnostics(), source.get()));
      // A module pass need not leave inferred types.
      DiagnosticSink sink;
      if (!InferTypes(module, sink)) {
        if (finders->Explain(sink)) return Refuse("impossible-extents");
        return Fail(where + ": types do not fit", FirstError(sink, source.get()));
      }
      if (validation.has_mismatch()) return Fail(where + ": another result", mismatches.text());
      if (const auto error = FirstBroken(module)) return Fail(where + ": the verifier objects", *error);
    }
    run_.validated += validation.validated();
    for (const auto& [reason, count] : validation.not_validated()) run_.not_validated[reason] += count;
    out = PrintModule(module);
    return true;
  }

  auto ValidationOptions() const -> ValidationInstrument::Options {
    ValidationInstrument::Options options;
    options.inputs.seed = case_.seed;
    options.folder.clear();
    options.max_steps = options_.max_steps;
    options.operators_may_fail = true;
    options.judges_narrowing = false;
    options.strict_fp = case_.strict_fp;
    options.edges = true;
    return options;
  }

  // The validation, if there is one, must outlive the context.
  auto ContextOptions(InstrumentRef finders, ValidationInstrument* validation) const -> PassContextOptions {
    PassContextOptions options;
    options.opt_level = 4;
    options.strict_fp = case_.strict_fp;
    options.target = case_.target;
    if (options_.watcher != nullptr) options.instruments.push_back(options_.watcher);
    options.instruments.push_back(std::move(finders));
    if (validation != nullptr) options.instruments.push_back(InstrumentRef(InstrumentRef(), validation));
    return options;
  }

  Random random_;
  const FuzzOptions& options_;
  // The program and passes that are being checked.
  FuzzFailure case_;
  FuzzRun run_;
};

}  // namespace

auto FuzzOnce(uint64_t seed, const FuzzOptions& options) -> FuzzRun {
  const PlantedFault* fault = FindPlantedFault(options.planted_fault);
  const bool has_corpus = !options.corpus.empty() || !options.script_corpus.empty();
  const bool is_about_tir =
      options.pipeline.starts_with("tir.") || (fault != nullptr && fault->host.starts_with("tir."));
  const bool is_about_relay = !is_about_tir && (!options.pipeline.empty() || fault != nullptr);
  const bool makes_relay = options.relay_programs && !(has_corpus && options.corpus.empty());
  const bool makes_tensor_programs = options.tensor_programs && !(has_corpus && options.script_corpus.empty());
  if (is_about_tir || !makes_relay) return FuzzPrimFuncOnce(seed, options);
  FuzzRun run = Judge(seed, options).Run();
  if (run.failure || is_about_relay || !makes_tensor_programs) return run;
  // Programs of the other kind are cheap: each seed gives one of both.
  FuzzRun other = FuzzPrimFuncOnce(seed, options);
  run.failure = std::move(other.failure);
  run.pipelines += other.pipelines;
  run.pairs = std::move(other.pairs);
  run.passes.merge(other.passes);
  return run;
}

}  // namespace relayopt
