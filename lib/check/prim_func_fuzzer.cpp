// Random tensor programs through random passes.
#include "lib/check/prim_func_fuzzer.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/check/random/random.h"
#include "lib/check/random/script_generator.h"
#include "relayopt/check/planted_faults.h"
#include "relayopt/check/validation.h"
#include "relayopt/module/print.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/registry.h"
#include "relayopt/tir/analysis/equality.h"
#include "relayopt/tir/analysis/verifier.h"
#include "relayopt/tir/script/module_text.h"

namespace relayopt {

namespace {

// What is drawn beside passes without options.
constexpr std::string_view kWithOptions[] = {
    "tir.UnrollLoop<auto_max_step=64>",
    "tir.UnrollLoop<auto_max_extent=4>",
    "tir.Simplify<transitively_prove_inequalities=true>",
    "tir.Simplify<convert_boolean_to_and_of_ors=true>",
    "tir.Simplify<apply_constraints_to_boolean_branches=true>",
};

auto Drawable() -> std::vector<std::string_view> {
  std::vector<std::string_view> names(std::begin(kWithOptions), std::end(kWithOptions));
  for (const PassDef* def : AllPasses()) {
    const bool is_exact = def->exactness == Exactness::kExact || def->obeys_strict_fp;
    if (def->name.starts_with("tir.") && !def->hidden && is_exact) names.push_back(def->name);
  }
  return names;
}

class PrimFuncFuzz {
 public:
  PrimFuncFuzz(uint64_t seed, const FuzzOptions& options) : random_(~seed) {
    failure_.seed = seed;
    failure_.program = GenerateScript(seed);
    failure_.pipeline = options.pipeline;
    if (options.pipeline.empty()) Draw(options);
  }

  auto Run() -> FuzzRun {
    ++run_.pipelines;
    DiagnosticSink sink;
    const auto source = SourceText::FromString("program", failure_.program);
    Module module;
    module.set_source(source);
    if (!tir::ReadInto(module, source, sink)) {
      Fail("the program cannot be read", Render(sink.diagnostics().front(), source.get()));
    } else if (CheckText(module, "the program")) {
      RunPasses(std::move(module));
    }
    return std::move(run_);
  }

 private:
  void Draw(const FuzzOptions& options) {
    const std::vector<std::string_view> names = Drawable();
    // A fault comes first: passes before it may remove what it is about.
    if (const PlantedFault* fault = FindPlantedFault(options.planted_fault)) {
      failure_.pipeline = fmt::format("tir.TestPlantedFault<fault={}>,{}", fault->name, fault->host);
    }
    for (int64_t left = random_.Between(1, options.max_passes); left != 0; --left) {
      if (!failure_.pipeline.empty()) failure_.pipeline += ',';
      failure_.pipeline += names[random_.Below(names.size())];
    }
  }

  auto Fail(std::string_view what, const std::string& details) -> bool {
    failure_.what = std::string(what) + '\n' + details;
    run_.failure = failure_;
    return false;
  }

  // What is printed reads back as the same programs. Reading folds what passes leave, which may take a round. What the
  // reference prints and cannot read, buffers declared above their memory, is no fault of a pass.
  auto CheckText(Module module, const std::string& where) -> bool {
    for (int round = 0;; ++round) {
      const auto source = SourceText::FromString("printed", PrintModule(module));
      DiagnosticSink sink;
      Module again(module.shared_context());
      const bool reads = tir::ReadInto(again, source, sink);
      if (!reads && sink.diagnostics().front().kind->id == "script-undefined") return true;
      if (!reads)
        return Fail(where + ": what is printed cannot be read", Render(sink.diagnostics().front(), source.get()));
      if (AreEqual(module, again)) return true;
      if (round == 2) return Fail(where + ": what is printed reads as another program", std::string(source->text()));
      module = std::move(again);
    }
  }

  static auto AreEqual(const Module& a, const Module& b) -> bool {
    for (const GlobalId id : a.SortedFunctions<tir::PrimFunc>()) {
      const auto* other = b.function<tir::PrimFunc>(b.FindGlobal(a.name(id)));
      if (other == nullptr || !tir::StructuralEqual(*a.function<tir::PrimFunc>(id), *other, tir::FreeVars::kMapped))
        return false;
    }
    return true;
  }

  auto CheckRules(const Module& module, const std::string& where) -> bool {
    for (const GlobalId id : module.SortedFunctions<tir::PrimFunc>()) {
      if (const auto error = tir::Verify(*module.function<tir::PrimFunc>(id)))
        return Fail(where + ": the verifier objects", error->text + '\n');
    }
    return true;
  }

  auto RunPasses(Module module) -> bool {
    const Result<Pipeline> pipeline = ParsePipeline(failure_.pipeline);
    if (!pipeline) return Fail("the pipeline cannot be read", pipeline.error().text);
    const Result<PassRef> whole = BuildPipeline(*pipeline);
    if (!whole) return Fail("the pipeline cannot be built", whole.error().text);
    StringSink mismatches;
    ValidationInstrument::Options judging;
    judging.inputs.seed = failure_.seed;
    judging.folder.clear();
    ValidationInstrument validation(judging, mismatches);
    PassContextOptions options;
    options.instruments.push_back(InstrumentRef(InstrumentRef(), &validation));
    // Rounding must not hide what a pass does to numbers.
    options.strict_fp = judging.strict_fp = true;
    const Result<PassContextRef> context = PassContext::Create(std::move(options));
    const std::span<const PassRef> parts = (*whole)->passes().empty() ? std::span(&*whole, 1) : (*whole)->passes();
    for (const PassRef& pass : parts) {
      ++run_.pairs;
      const Result<bool> changed = Sequential({pass}).Apply(module, **context);
      if (!changed) {
        ++run_.refused[std::string(changed.error().kind->id)];
        return false;
      }
      const std::string where = "after " + pass->info().name;
      if (validation.has_mismatch()) return Fail(where + ": another result", mismatches.text());
      if (!CheckRules(module, where)) return false;
    }
    run_.validated += validation.validated();
    for (const auto& [reason, count] : validation.not_validated()) run_.not_validated[reason] += count;
    return CheckText(module, "after the passes");
  }

  Random random_;
  FuzzFailure failure_;
  FuzzRun run_;
};

}  // namespace

auto FuzzPrimFuncOnce(uint64_t seed, const FuzzOptions& options) -> FuzzRun {
  return PrimFuncFuzz(seed, options).Run();
}

}  // namespace relayopt
