// Benchmarks: reading, inferring types, printing, and every pass, on the networks in test/networks and on generated
// programs, and the same of TVMScript. Names are STEP/PROGRAM; `--benchmark_filter=FuseOps` picks some of them.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "relayopt/module/print.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/tir/script/module_text.h"
#include "relayopt/tir/transforms/all_passes.h"

namespace relayopt {
namespace {

// Ends the run: a benchmark of what failed would say nothing.
[[noreturn]] void Fail(const Diagnostic& diagnostic, const SourceText* source) {
  fmt::print(stderr, "{}", Render(diagnostic, source));
  std::exit(1);
}

auto Read(const std::shared_ptr<const SourceText>& source) -> Module {
  DiagnosticSink sink;
  std::optional<Module> module = Module();
  if (!tir::IsScript(source->text())) {
    module = ReadModule(source, sink);
  } else if (!tir::ReadInto(*module, source, sink)) {
    module.reset();
  }
  if (!module) Fail(sink.diagnostics().front(), source.get());
  return *std::move(module);
}

auto Run(const Pass& pass, const Module& module) -> Module {
  PassContext context;
  Result<Module> result = pass(module, context);
  if (!result) Fail(result.error(), nullptr);
  return std::move(result).value();
}

// One input of all steps. Everything is made when first asked for, so that a filtered run starts at once.
class Program {
 public:
  using Source = std::shared_ptr<const SourceText>;
  explicit Program(std::function<Source()> make_source) : make_source_(std::move(make_source)) {}

  auto source() -> const Source& {
    if (!source_) source_ = make_source_();
    return source_;
  }
  auto untyped() -> const Module& {
    if (!untyped_) untyped_ = Read(source());
    return *untyped_;
  }
  // The module as passes expect it: with types, if it is one of Relay.
  auto typed() -> const Module& {
    if (!typed_) typed_ = tir::IsScript(source()->text()) ? untyped() : Run(*InferTypePass(), untyped());
    return *typed_;
  }

 private:
  std::function<Source()> make_source_;
  Source source_;
  std::optional<Module> untyped_;
  std::optional<Module> typed_;
};

using ProgramRef = std::shared_ptr<Program>;

// `count` additions, each of the one before, as graph bindings or as a let chain.
auto ChainSource(size_t count, bool let) -> Program::Source {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(4), float32]) {{\n");
  std::string last = "%x";
  for (size_t i = 0; i < count; ++i) {
    const std::string name = let ? fmt::format("%v{}", i) : fmt::format("%{}", i);
    fmt::format_to(out, "  {}{} = add({}, 1f);\n", let ? "let " : "", name, last);
    last = name;
  }
  fmt::format_to(out, "  {}\n}}\n", last);
  return SourceText::FromString("chain", fmt::to_string(text));
}

auto Chain(size_t count, bool let) -> ProgramRef {
  return std::make_shared<Program>([=] { return ChainSource(count, let); });
}

constexpr std::string_view kScriptHeader =
    "from tvm.script import ir as I\nfrom tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n";

// A module of `count` tensor programs: a layer normalization of rows in two blocks.
auto TensorFunctionsSource(size_t count) -> Program::Source {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{}", kScriptHeader);
  for (size_t i = 0; i < count; ++i) {
    fmt::format_to(out, R"(    @T.prim_func
    def f{0}(A: T.Buffer((64, 128), "float32"), B: T.Buffer((64, 128), "float32"), C: T.Buffer((64,), "float32")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
        # with T.block("root"):
        for i, j in T.grid(64, 128):
            with T.block("sum"):
                v_i, v_j = T.axis.remap("SR", [i, j])
                T.reads(A[v_i, v_j])
                T.writes(C[v_i])
                with T.init():
                    C[v_i] = T.float32(0)
                C[v_i] = C[v_i] + A[v_i, v_j]
        for i, j_0, j_1 in T.grid(64, 16, 8):
            with T.block("scale"):
                v_i = T.axis.spatial(64, i)
                v_j = T.axis.spatial(128, j_0 * 8 + j_1)
                T.reads(A[v_i, v_j], C[v_i])
                T.writes(B[v_i, v_j])
                B[v_i, v_j] = T.exp(A[v_i, v_j] - C[v_i] * T.float32({1}.5))

)",
                   i, i % 100);
  }
  return SourceText::FromString("functions", fmt::to_string(text));
}

// One tensor program of `count` stores, each with an index of its own.
auto TensorStoresSource(size_t count) -> Program::Source {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, R"({0}    @T.prim_func
    def main(A: T.Buffer(({1},), "float32"), B: T.Buffer(({1},), "float32")):
        for i in range(4):
)",
                 kScriptHeader, count * 8);
  for (size_t i = 0; i < count; ++i) {
    fmt::format_to(out, "            B[i * 2 + {0}] = A[{0} - i] * T.float32(2) + A[i // 2 + {0}]\n", i * 8 + 4);
  }
  return SourceText::FromString("stores", fmt::to_string(text));
}

auto NetworkSource(const std::filesystem::path& path) -> Program::Source {
  std::string error;
  auto source = SourceText::Open(path.string(), error);
  if (source == nullptr) {
    fmt::print(stderr, "{}: {}\n", path.string(), error);
    std::exit(1);
  }
  return source;
}

auto Network(const std::filesystem::path& path) -> ProgramRef {
  return std::make_shared<Program>([=] { return NetworkSource(path); });
}

void CountBytes(benchmark::State& state, size_t bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(bytes));
}

template <typename Step>
void Register(const std::string& step_name, const std::string& program_name, Step step) {
  benchmark::RegisterBenchmark((step_name + "/" + program_name).c_str(), step)->Unit(benchmark::kMillisecond);
}

void RegisterReadAndPrint(const std::string& name, const ProgramRef& program) {
  Register("read", name, [program](benchmark::State& state) {
    const Program::Source& source = program->source();
    for (auto _ : state) benchmark::DoNotOptimize(Read(source));
    CountBytes(state, program->source()->text().size());
  });
  Register("print", name, [program](benchmark::State& state) {
    const Module& module = program->typed();
    size_t bytes = 0;
    for (auto _ : state) {
      const std::string text = PrintModule(module);
      bytes = text.size();
    }
    CountBytes(state, bytes);
  });
}

void RegisterInfer(const std::string& name, const ProgramRef& program) {
  Register("infer", name, [program](benchmark::State& state) {
    const Module& module = program->untyped();
    for (auto _ : state) benchmark::DoNotOptimize(Run(*InferTypePass(), module));
  });
}

// The passes whose names begin with `tir.`, or all others.
void RegisterPasses(const std::string& name, const ProgramRef& program, bool of_tir = false) {
  for (const PassDef* def : AllPasses()) {
    // Those that fail or crash on purpose.
    if (def->hidden || def->name.starts_with("tir.") != of_tir) continue;
    Register(std::string(def->name), name, [program, def](benchmark::State& state) {
      const Result<PassRef> pass = CreatePass(*def);
      if (!pass) {
        state.SkipWithError("needs options");
        return;
      }
      const Module& module = program->typed();
      PassContext context;
      if (!(*pass.value())(module, context)) {
        state.SkipWithError("refuses the program");
        return;
      }
      for (auto _ : state) benchmark::DoNotOptimize(Run(*pass.value(), module));
    });
  }
}

void RegisterAll() {
  std::vector<std::filesystem::path> networks;
  for (const auto& entry : std::filesystem::directory_iterator(RELAYOPT_SOURCE_DIR "/test/networks")) {
    if (entry.path().extension() == ".relay") networks.push_back(entry.path());
  }
  std::sort(networks.begin(), networks.end());
  for (const std::filesystem::path& path : networks) {
    const ProgramRef network = Network(path);
    RegisterReadAndPrint(path.stem().string(), network);
    RegisterInfer(path.stem().string(), network);
    RegisterPasses(path.stem().string(), network);
  }
  constexpr size_t kMillion = 1'000'000;
  constexpr size_t kForPasses = 100'000;
  for (const bool let : {false, true}) {
    const std::string kind = let ? "let" : "graph";
    RegisterReadAndPrint(kind + "-1M", Chain(kMillion, let));
    RegisterInfer(kind + "-1M", Chain(kMillion, let));
    RegisterPasses(kind + "-100k", Chain(kForPasses, let));
  }
  const auto functions = std::make_shared<Program>([] { return TensorFunctionsSource(10'000); });
  const auto stores = std::make_shared<Program>([] { return TensorStoresSource(100'000); });
  RegisterReadAndPrint("tensor-functions-10k", functions);
  RegisterReadAndPrint("tensor-stores-100k", stores);
  RegisterPasses("tensor-functions-10k", functions, true);
  RegisterPasses("tensor-stores-100k", stores, true);
}

}  // namespace
}  // namespace relayopt

auto main(int argc, char** argv) -> int {
  // As the tool does.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  relayopt::RegisterAllPasses();
  relayopt::tir::RegisterAllPasses();
  relayopt::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
