// Benchmarks: reading, inferring types, printing, and every pass, on the networks in test/networks and on generated
// programs. Names are STEP/PROGRAM; `--benchmark_filter=FuseOps` picks some of them.
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

#include "relayopt/pass/registry.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {
namespace {

// Ends the run: a benchmark of what failed would say nothing.
[[noreturn]] void Fail(const Diagnostic& diagnostic, const SourceText* source) {
  fmt::print(stderr, "{}", Render(diagnostic, source));
  std::exit(1);
}

auto Read(const std::shared_ptr<const SourceText>& source) -> Module {
  DiagnosticSink sink;
  std::optional<Module> module = ReadModule(source, sink);
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
  auto typed() -> const Module& {
    if (!typed_) typed_ = Run(*InferTypePass(), untyped());
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

void RegisterReadInferPrint(const std::string& name, const ProgramRef& program) {
  Register("read", name, [program](benchmark::State& state) {
    const Program::Source& source = program->source();
    for (auto _ : state) benchmark::DoNotOptimize(Read(source));
    CountBytes(state, program->source()->text().size());
  });
  Register("infer", name, [program](benchmark::State& state) {
    const Module& module = program->untyped();
    for (auto _ : state) benchmark::DoNotOptimize(Run(*InferTypePass(), module));
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

void RegisterPasses(const std::string& name, const ProgramRef& program) {
  for (const PassDef* def : AllPasses()) {
    // Those that fail or crash on purpose.
    if (def->hidden) continue;
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
    RegisterReadInferPrint(path.stem().string(), network);
    RegisterPasses(path.stem().string(), network);
  }
  constexpr size_t kMillion = 1'000'000;
  RegisterReadInferPrint("graph-1M", Chain(kMillion, false));
  RegisterReadInferPrint("let-1M", Chain(kMillion, true));
  constexpr size_t kForPasses = 100'000;
  RegisterPasses("graph-100k", Chain(kForPasses, false));
  RegisterPasses("let-100k", Chain(kForPasses, true));
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
  relayopt::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
