// The pass infrastructure in one sitting: a module pass, a function pass, a sequence of both, a context with
// instruments. A test runs this program and compares what it prints with pass_infrastructure.expected.
#include <cstdio>

#include "relayopt/pass/instruments.h"
#include "relayopt/pass/pass.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr const char* kProgram = R"(#[version = "0.0.5"]
def @main(%x: Tensor[(5, 10), float32]) {
  @double(%x)
}

def @double(%x: Tensor[(5, 10), float32]) -> Tensor[(5, 10), float32] {
  add(%x, %x)
}
)";

// fn (%x: Tensor[(5, 10), float32]) { op(%x) }
auto UnaryFunction(Context& context, const OpDef* op) -> FunctionRef {
  FunctionBuilder builder(context);
  const ExprId x = builder.Var({context.Intern("x"), context.Tensor({5, 10}, DataType::Float(32)), {}});
  const ExprId body = EmitCall(builder, op, {x});
  return std::make_shared<const Function>(Relayout(builder.Finish(builder.Lambda({}, {&x, 1}, body))));
}

// A module pass gets the whole module and returns a new one: this one adds a function @abs. Nothing means that nothing
// changed.
auto AddAbs(const Module& module, PassContext&) -> Result<std::optional<Module>> {
  if (const GlobalId id = module.FindGlobal("abs"); id && module.function<Function>(id) != nullptr) return std::nullopt;
  Module result = module;
  result.SetFunction(result.NameGlobal("abs"), UnaryFunction(module.context(), "abs"_op));
  return result;
}

// A function pass is asked about each function by itself: this one replaces every function by a relu. Types are
// inferred afterwards without being asked for.
auto ReplaceByRelu(const Module& module, GlobalId, const Function&, PassContext&) -> Result<std::optional<Function>> {
  return *UnaryFunction(module.context(), "nn.relu"_op);
}

// An instrument sees passes run; it may also keep them from running.
class Trace final : public PassInstrument {
 public:
  auto EnterPassContext() -> std::optional<Diagnostic> override {
    std::puts("enter the context");
    return std::nullopt;
  }
  auto ExitPassContext() -> std::optional<Diagnostic> override {
    std::puts("leave the context");
    return std::nullopt;
  }
  auto RunBeforePass(const Module&, const PassInfo& info) -> std::optional<Diagnostic> override {
    std::printf("run %s (level %d)\n", info.name.c_str(), info.opt_level);
    return std::nullopt;
  }
};

class StdoutSink final : public TextSink {
 public:
  void Write(std::string_view text) override { std::fwrite(text.data(), 1, text.size(), stdout); }
};

auto Fail(const Diagnostic& error) -> int {
  std::printf("%s", Render(error, nullptr).c_str());
  return 1;
}

auto Run() -> int {
  RegisterAllPasses();
  DiagnosticSink diagnostics;
  std::optional<Module> module = ReadModule(SourceText::FromString("program", kProgram), diagnostics);
  if (!module || !InferTypes(*module, diagnostics)) return 1;

  const PassRef add_abs = CreateModulePass(AddAbs, /*opt_level=*/1, "AddAbs");
  const PassRef replace = CreateFunctionPass(ReplaceByRelu, /*opt_level=*/1, "ReplaceByRelu", {"InferType"});
  // A pass may be called like a function, in the context that surrounds it: it gives back a module and leaves its input
  // alone.
  const Result<Module> with_abs = (*add_abs)(*module);
  if (!with_abs) return Fail(with_abs.error());
  std::printf("functions: %zu before, %zu after\n", module->SortedFunctions().size(),
              with_abs->SortedFunctions().size());

  // A sequence runs the passes that its context enables, here those up to level 1, after those that they require.
  const PassRef too_high = CreateModulePass(AddAbs, /*opt_level=*/3, "NeverRuns");
  const PassRef sequence =
      std::make_shared<Sequential>(std::vector<PassRef>{add_abs, too_high, replace}, PassInfo{0, "example", {}});
  StdoutSink out;
  PassContextOptions options;
  options.opt_level = 1;
  options.instruments = {
      std::make_shared<Trace>(),
      std::make_shared<PrintIRInstrument>(PrintIRInstrument::Options{.after = {"AddAbs", "ReplaceByRelu"}}, out)};
  const Result<PassContextRef> context = PassContext::Create(std::move(options));
  if (!context) return Fail(context.error());
  With<PassContext> scope(*context);
  if (scope.error()) return Fail(*scope.error());
  const Result<Module> result = (*sequence)(*module);
  return result ? 0 : Fail(result.error());
}

}  // namespace

}  // namespace relayopt

auto main() -> int { return relayopt::Run(); }
