// Passes that misbehave on purpose: they test how the tool reacts.
#include "test_passes.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "relayopt/pass/registry.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/parallel.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kTestFailure = {"test-failure", Severity::kError, "TestFail was asked to fail"};

struct TestCrashOptions {
  bool in_thread = false;
  bool use_up_stack = false;
  std::string in_function;
  static constexpr auto Fields() {
    return std::array{
        Option<&TestCrashOptions::in_thread>("crash in a thread of its own"),
        Option<&TestCrashOptions::use_up_stack>("crash because a working thread has no stack left"),
        Option<&TestCrashOptions::in_function>("crash only in the function of this name"),
    };
  }
};

[[noreturn]] void UseUpStack() {
  for (;;) *static_cast<volatile char*>(__builtin_alloca(512)) = 0;
}

// The calling thread takes part in the work; it waits for the other one to crash.
void UseUpStackOfWorker() {
  const std::thread::id caller = std::this_thread::get_id();
  ParallelFor(2, 2, [caller](size_t) {
    while (std::this_thread::get_id() == caller) std::this_thread::sleep_for(std::chrono::seconds(1));
    UseUpStack();
  });
}

struct TestCrash {
  using Options = TestCrashOptions;
  Options options;

  auto Run(const Module& module, GlobalId id, const Function&, PassContext&) const -> Result<std::optional<Function>> {
    if (!options.in_function.empty() && options.in_function != module.name(id)) return std::nullopt;
    if (options.use_up_stack) UseUpStackOfWorker();
    if (!options.in_thread) std::abort();
    std::thread([] { std::abort(); }).join();
    return std::nullopt;
  }
};

struct TestFail {
  auto Run(const Module&, PassContext&) const -> Result<std::optional<Module>> {
    return MakeDiagnostic(kTestFailure, {});
  }
};

// Makes a function whose body is a variable that nothing binds.
struct TestBreakIR {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    FunctionBuilder builder(function.context());
    VarInfo info;
    info.name = function.context().Intern("unbound");
    info.annotation = function.context().Scalar(DataType::Int(32));
    const ExprId free = builder.Var(info);
    return builder.Finish(builder.Lambda({}, {}, free));
  }
};

struct TestMiscompileOptions {
  bool both_ways = false;
  bool every_second = false;
  static constexpr auto Fields() {
    return std::array{
        Option<&TestMiscompileOptions::both_ways>("make every subtract an add, too"),
        Option<&TestMiscompileOptions::every_second>("leave every other function alone, counted over all runs"),
    };
  }
};

// Adds become subtractions.
struct TestMiscompile {
  using Options = TestMiscompileOptions;
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    static std::atomic<uint64_t> functions = 0;
    if (options.every_second && functions++ % 2 == 1) return std::nullopt;
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) {
      if (function.kind(id) != ExprKind::kOpCall) return ExprId();
      const bool is_add = function.op(id) == "add"_op;
      if (!is_add && !(options.both_ways && function.op(id) == "subtract"_op)) return ExprId();
      return EmitCall(rebuild.to(), is_add ? "subtract"_op : "add"_op, rebuild.NewOperands(id), function.attrs(id));
    });
  }
};

// The hyperbolic tangent of NaN becomes that of 0.
struct TestLoseNaN {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    Rebuild rebuild(function);
    return rebuild.Rewrite([&](ExprId id) {
      if (function.kind(id) != ExprKind::kOpCall || function.op(id) != "tanh"_op) return ExprId();
      const ExprId operand = rebuild.NewOperands(id)[0];
      const ExprId is_nan = EmitCall(rebuild.to(), "isnan"_op, {operand});
      const ExprId zeros = EmitCall(rebuild.to(), "zeros_like"_op, {operand});
      return EmitCall(rebuild.to(), "tanh"_op, {EmitCall(rebuild.to(), "where"_op, {is_nan, zeros, operand})});
    });
  }
};

struct TestShiftQuantizedOptions {
  int64_t steps = 1;
  static constexpr auto Fields() { return std::array{Option<&TestShiftQuantizedOptions::steps>("by how many steps")}; }
};

// Adds steps to what qnn.quantize returns.
struct TestShiftQuantized {
  using Options = TestShiftQuantizedOptions;
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) {
      if (function.kind(id) != ExprKind::kOpCall || function.op(id) != "qnn.quantize"_op) return ExprId();
      const DataType dtype = function.context().type(function.type(id)).dtype;
      const ExprId steps = EmitScalar(rebuild.to(), dtype, options.steps);
      return EmitCall(rebuild.to(), "add"_op, {rebuild.Copy(id), steps});
    });
  }
};

struct TestSleepOptions {
  int64_t ms = 1000;
  static constexpr auto Fields() {
    return std::array{Option<&TestSleepOptions::ms>("how long in each function, in milliseconds")};
  }
};

struct TestSleep {
  using Options = TestSleepOptions;
  Options options;

  auto Run(const Module&, GlobalId, const Function&, PassContext&) const -> Result<std::optional<Function>> {
    std::this_thread::sleep_for(std::chrono::milliseconds(options.ms));
    return std::nullopt;
  }
};

struct TestAllocateOptions {
  int64_t mb = 100;
  static constexpr auto Fields() { return std::array{Option<&TestAllocateOptions::mb>("how much, in MiB")}; }
};

// Touches its memory piece by piece, so that it is really used.
struct TestAllocate {
  using Options = TestAllocateOptions;
  Options options;

  auto Run(const Module&, PassContext&) const -> Result<std::optional<Module>> {
    constexpr size_t kPiece = size_t{1} << 20;
    std::vector<std::unique_ptr<volatile char[]>> pieces;
    for (int64_t i = 0; i < options.mb; ++i) {
      pieces.emplace_back(new volatile char[kPiece]);
      for (size_t k = 0; k < kPiece; k += 1024) pieces.back()[k] = 1;
    }
    return std::nullopt;
  }
};

constexpr PassDef kTestCrashPass = DescribePass<TestCrash>({
    .name = "TestCrash",
    .summary = "crashes",
    .details = "Aborts the process, as a bug of a pass would, in the first function or in the one that is named.",
    .hidden = true,
});

constexpr PassDef kTestFailPass = DescribePass<TestFail>({
    .name = "TestFail",
    .summary = "fails",
    .details = "Returns an error.",
    .hidden = true,
});

constexpr PassDef kTestBreakIRPass = DescribePass<TestBreakIR>({
    .name = "TestBreakIR",
    .summary = "makes a malformed function",
    .details = "Returns a variable that nothing binds from every function.",
    .exactness = Exactness::kChanges,
    .hidden = true,
});

constexpr PassDef kTestMiscompilePass = DescribePass<TestMiscompile>({
    .name = "TestMiscompile",
    .summary = "makes another program, and says that it is the same",
    .details = "Makes every add a subtract, and the other way round when asked. Types stay, so only running the "
               "program shows the fault.",
    .hidden = true,
});

constexpr PassDef kTestLoseNaNPass = DescribePass<TestLoseNaN>({
    .name = "TestLoseNaN",
    .summary = "makes a number of NaN, and says that it only rounds differently",
    .details = "tanh(x) becomes tanh(where(isnan(x), 0, x)). Only arguments that are NaN show the fault.",
    .exactness = Exactness::kApproximate,
    .hidden = true,
});

constexpr PassDef kTestShiftQuantizedPass = DescribePass<TestShiftQuantized>({
    .name = "TestShiftQuantized",
    .summary = "shifts quantized numbers, and says that it only rounds to other steps",
    .details = "qnn.quantize(x, ...) becomes add(qnn.quantize(x, ...), steps).",
    .exactness = Exactness::kQuantizes,
    .hidden = true,
});

constexpr PassDef kTestSleepPass = DescribePass<TestSleep>({
    .name = "TestSleep",
    .summary = "takes time",
    .details = "Sleeps in every function and changes nothing.",
    .idempotent = true,
    .hidden = true,
});

constexpr PassDef kTestAllocatePass = DescribePass<TestAllocate>({
    .name = "TestAllocate",
    .summary = "takes memory",
    .details = "Allocates memory, uses it, and gives it back.",
    .idempotent = true,
    .hidden = true,
});

constexpr const PassDef* kPasses[] = {
    &kTestAllocatePass,     &kTestBreakIRPass,        &kTestCrashPass,      &kTestFailPass,
    &kTestLoseNaNPass,      &kTestShiftQuantizedPass, &kTestMiscompilePass, &kTestMiscompilePrimFuncPass,
    &kTestPlantedFaultPass, &kTestTirFaultPass,       &kTestSleepPass};

}  // namespace

void RegisterTestPasses() {
  RegisterPasses(kPasses);
  RegisterPlantedFaults();
}

}  // namespace relayopt
