// Random tensor programs through random passes.
#include "lib/check/prim_func_fuzzer.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/check/random/random.h"
#include "lib/check/random/script_generator.h"
#include "relayopt/check/mutator.h"
#include "relayopt/check/planted_faults.h"
#include "relayopt/check/round_trip.h"
#include "relayopt/check/validation.h"
#include "relayopt/module/print.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/registry.h"
#include "relayopt/tir/analysis/verifier.h"
#include "relayopt/tir/script/module_text.h"

namespace relayopt {

namespace {

// Passes with options, which are drawn in addition to passes without options.
constexpr std::string_view kWithOptions[] = {
    "tir.UnrollLoop<auto_max_step=64>",
    "tir.UnrollLoop<auto_max_extent=4>",
    "tir.Simplify<transitively_prove_inequalities=true>",
    "tir.Simplify<convert_boolean_to_and_of_ors=true>",
    "tir.Simplify<apply_constraints_to_boolean_branches=true>",
    "tir.LoopPartition<partition_const_loop=true>",
    "tir.ReduceBranchingThroughOvercompute<use_dataflow_analysis=true>",
    "tir.RemoveNoOp<use_dataflow_analysis=true>",
    "tir.Simplify<propagate_knowns_to_prove_conditional=true;propagate_knowns_to_simplify_expressions=true>",
    "tir.ThreadSync<storage_scope=shared>",
    "tir.StorageFlatten<cache_line_size=64;create_bound_attribute=true>",
    "tir.ThreadSync<storage_scope=\"shared.dyn\">",
    "tir.BindTarget<target=llvm>",
    "tir.BindTarget<target=cuda;host=llvm>",
    "tir.LiftAttrScope<attr_key=pragma_group>",
    "tir.RemapThreadAxis<threads=\"threadIdx.x=threadIdx.y\">",
    "tir.InjectCopyIntrin<pragma_key=copy;fintrin=copy>",
};
// The passes after which a program is in the middle of a build.
// NOLINTBEGIN(bugprone-suspicious-missing-comma): some pipelines take two lines.
constexpr std::string_view kStarts[] = {
    "default<tir;phase=1>",
    "default<tir;phase=2>",
    "default<tir>",
    "default<tir.build;target=llvm>",
    "default<tir.build;target=cuda;host=llvm>",
    "default<tir;phase=1>,default<tir.mixed;target=cuda;host=llvm>",
    "default<tir;phase=1>,default<tir.mixed;unpacked;target=llvm>",
    "default<tir;phase=1>,tir.BindTarget<target=cuda;host=llvm>,tir.AnnotateDeviceRegions,tir.SplitHostDevice",
    "default<tir;phase=1>,tir.BindTarget<target=cuda;host=llvm>,tir.AnnotateDeviceRegions,tir.SplitHostDevice,"
    "tir.MakePackedAPI,tir.LowerDeviceKernelLaunch",
    "default<tir;phase=1>,tir.BindTarget<target=llvm;host=llvm>,tir.MakePackedAPI",
    "default<tir;phase=1>,tir.BindTarget<target=llvm;host=llvm>,tir.FP8ComputeLegalize,tir.BF16ComputeLegalize,"
    "tir.MakePackedAPI,tir.FP8StorageLegalize,tir.BF16StorageLegalize",
    "tir.FP8ComputeLegalize,tir.BF16ComputeLegalize",
};
// NOLINTEND(bugprone-suspicious-missing-comma)
constexpr int kPercentStarts = 35;

// Passes that reject every program, or every program when they have no options.
constexpr std::string_view kNeverBare[] = {
    "tir.BindTarget", "tir.InjectCopyIntrin", "tir.LiftAttrScope", "tir.RemapThreadAxis", "tir.LowerCustomDatatypes",
};

auto Drawable() -> std::vector<std::string_view> {
  std::vector<std::string_view> names(std::begin(kWithOptions), std::end(kWithOptions));
  for (const PassDef* def : AllPasses()) {
    const bool is_exact = def->exactness == Exactness::kExact || def->exactness == Exactness::kReorders ||
                          def->exactness == Exactness::kNarrows || def->obeys_strict_fp;
    const bool is_drawn = def->name.starts_with("tir.") && !def->hidden && is_exact;
    if (is_drawn && std::ranges::find(kNeverBare, def->name) == std::end(kNeverBare)) names.push_back(def->name);
  }
  return names;
}

// Checks that printed text reads back as the same programs; returns a description of the first difference. Programs
// that TVM prints but cannot read (buffers declared above their memory, two launches of one dimension with different
// extents) are not faults of a pass.
auto FaultOfText(Module module) -> std::optional<std::string> {
  // As TVM: for a prefetch the extents are printed, but read as ends.
  for (const GlobalId id : module.SortedFunctions<tir::PrimFunc>()) {
    const auto& func = *module.function<tir::PrimFunc>(id);
    for (tir::StmtId s(0U); s.value() < func.size(); ++s) {
      if (func.stmt(s).is(tir::StmtKind::kPrefetch)) return std::nullopt;
    }
  }
  for (int round = 0;; ++round) {
    const auto source = SourceText::FromString("printed", PrintModule(module));
    DiagnosticSink sink;
    Module again(module.shared_context());
    const bool reads = tir::ReadInto(again, source, sink);
    const auto is_error = [](const Diagnostic& d) { return d.kind->severity == Severity::kError; };
    const auto error = std::ranges::find_if(sink.diagnostics(), is_error);
    const std::string_view why = error == sink.diagnostics().end() ? "" : error->kind->id;
    if (why == "script-undefined" || why == "script-redefined" || why == "script-thread-extents") return std::nullopt;
    if (!reads) return "what is printed cannot be read\n" + Render(*error, source.get());
    if (AreSameFunctions(module, again)) return std::nullopt;
    if (round + 1 == kRoundTrips) return "what is printed reads as another program\n" + std::string(source->text());
    module = std::move(again);
  }
}

// Counts what passes do, and verifies what they change.
class Watch final : public PassInstrument {
 public:
  Watch(FuzzRun& run, ValidationInstrument& validation) : run_(run), validation_(validation) {}

  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override {
    return validation_.RunBeforePass(module, info);
  }
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override {
    if (!IsNumbered(info) || !fault_.empty()) return std::nullopt;
    ++run_.pairs.all;
    run_.pairs.unchanged += changed ? 0 : 1;
    changed_ = changed_ || changed;
    static_cast<void>(validation_.RunAfterPass(module, info, changed));
    if (validation_.has_mismatch()) fault_ = fmt::format("after {}: another result\n", info.name);
    if (changed) Verify(module, info);
    return std::nullopt;
  }
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override {
    validation_.PassFailed(module, info, error);
    if (!IsNumbered(info)) return;
    ++run_.pairs.all;
    ++run_.pairs.refused[std::string(error.kind->id)];
  }

  // Returns the fault after a pass, or empty if there is none.
  auto fault() const -> const std::string& { return fault_; }
  auto has_changed() const -> bool { return changed_; }

 private:
  void Verify(const Module& module, const PassInfo& info) {
    for (const GlobalId id : module.SortedFunctions<tir::PrimFunc>()) {
      const auto error = tir::Verify(*module.function<tir::PrimFunc>(id));
      if (error && fault_.empty()) fault_ = fmt::format("after {}: the verifier objects\n{}\n", info.name, error->text);
    }
  }

  FuzzRun& run_;
  ValidationInstrument& validation_;
  std::string fault_;
  bool changed_ = false;
};

class PrimFuncFuzz {
 public:
  PrimFuncFuzz(uint64_t seed, const FuzzOptions& options) : random_(~seed), options_(options) {
    failure_.seed = seed;
    failure_.strict_fp = true;
  }

  auto Run() -> FuzzRun {
    const std::optional<Module> module = options_.script_corpus.empty() ? Generated() : OfCorpus();
    if (!module) return std::move(run_);
    const auto fault = FaultOfText(*module);
    // Bounds that TVM prints in one way and reads in another, such as those of loops that begin late, get longer each
    // time: programs with them are only compared by values.
    text_is_judged_ = !fault;
    if (fault && options_.script_corpus.empty()) Fail("the program: " + *fault);
    for (int i = 0; i < options_.pipelines && !run_.failure; ++i) {
      ++run_.pipelines;
      failure_.pipeline = options_.pipeline.empty() ? Draw() : options_.pipeline;
      RunPasses(*module);
    }
    return std::move(run_);
  }

 private:
  static auto Read(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink) -> std::optional<Module> {
    Module module;
    module.set_source(source);
    return tir::ReadInto(module, source, sink) ? std::optional(std::move(module)) : std::nullopt;
  }
  // Returns the program of the failure, should there be one.
  auto Source() const -> std::shared_ptr<const SourceText> {
    return SourceText::FromString("program", failure_.program);
  }

  auto Generated() -> std::optional<Module> {
    failure_.program = GenerateScript(failure_.seed);
    const auto source = Source();
    DiagnosticSink sink;
    std::optional<Module> module = Read(source, sink);
    if (!module) Fail("the program cannot be read\n" + Render(sink.diagnostics().front(), source.get()));
    return module;
  }

  // The seed cycles through the modules: the first time as they are, then mutated. A mutation may print as an invalid
  // program, such as a bound of threads that is a number elsewhere: then another is tried.
  auto OfCorpus() -> std::optional<Module> {
    constexpr uint64_t kTries = 20;
    const uint64_t seed = failure_.seed;
    const size_t count = options_.script_corpus.size();
    failure_.program = options_.script_corpus[NumberInRun(seed) % count];
    DiagnosticSink sink;
    std::optional<Module> given = Read(Source(), sink);
    if (given && NumberInRun(seed) < count) return given;
    for (uint64_t i = 0; given && i < kTries; ++i) {
      const auto near = MutateProgram(*given, seed * kTries + i);
      if (!near) continue;
      failure_.program = PrintModule(*near);
      std::optional<Module> mutated = Read(Source(), sink);
      if (mutated) return mutated;
    }
    ++run_.refused["no-mutation"];
    return std::nullopt;
  }

  auto Draw() -> std::string {
    static const std::vector<std::string_view> names = Drawable();
    std::string pipeline;
    // A planted fault comes first, because other passes might remove the code that it affects.
    if (const PlantedFault* fault = FindPlantedFault(options_.planted_fault)) {
      pipeline = fmt::format("tir.TestPlantedFault<fault={}>,{}", fault->name, fault->host);
    } else if (random_.Chance(kPercentStarts)) {
      pipeline = kStarts[random_.Below(std::size(kStarts))];
    }
    for (int64_t left = random_.Between(1, options_.max_passes); left != 0; --left) {
      if (!pipeline.empty()) pipeline += ',';
      pipeline += names[random_.Below(names.size())];
    }
    return pipeline;
  }

  void Fail(const std::string& what) {
    failure_.what = what;
    run_.failure = failure_;
  }

  void RunPasses(Module module) {
    const Result<Pipeline> pipeline = ParsePipeline(failure_.pipeline);
    if (!pipeline) return Fail("the pipeline cannot be read\n" + pipeline.error().text);
    const Result<PassRef> whole = BuildPipeline(*pipeline);
    if (!whole) return Fail("the pipeline cannot be built\n" + whole.error().text);
    StringSink mismatches;
    ValidationInstrument::Options judging;
    judging.inputs.seed = failure_.seed;
    judging.folder.clear();
    judging.max_steps = options_.max_steps;
    judging.strict_fp = true;
    ValidationInstrument validation(judging, mismatches);
    Watch watch(run_, validation);
    PassContextOptions options;
    if (options_.watcher != nullptr) options.instruments.push_back(options_.watcher);
    options.instruments.push_back(InstrumentRef(InstrumentRef(), &watch));
    // Rounding must not hide what a pass does to numbers.
    options.strict_fp = true;
    const Result<PassContextRef> context = PassContext::Create(std::move(options));
    const std::span<const PassRef> parts = (*whole)->passes().empty() ? std::span(&*whole, 1) : (*whole)->passes();
    for (const PassRef& pass : parts) {
      Module result = module;
      const Result<bool> changed = Sequential({pass}).Apply(result, **context);
      if (!watch.fault().empty()) return Fail(watch.fault() + mismatches.text());
      if (!pass->info().is_sequence) {
        FuzzRun::PassRuns& runs = run_.passes[pass->info().name];
        ++runs.runs;
        runs.changed += changed && *changed ? 1 : 0;
      }
      // After a refusal the others go on with what the pass was given.
      if (changed) module = std::move(result);
    }
    run_.pairs.validated += validation.validated();
    for (const auto& [reason, count] : validation.not_validated()) run_.pairs.not_validated[reason] += count;
    if (!watch.has_changed() || !text_is_judged_) return;
    if (const auto fault = FaultOfText(module)) Fail("after the passes: " + *fault);
  }

  Random random_;
  const FuzzOptions& options_;
  FuzzFailure failure_;
  FuzzRun run_;
  bool text_is_judged_ = true;
};

}  // namespace

auto FuzzPrimFuncOnce(uint64_t seed, const FuzzOptions& options) -> FuzzRun {
  return PrimFuncFuzz(seed, options).Run();
}

}  // namespace relayopt
