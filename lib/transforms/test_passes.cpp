// Passes that misbehave on purpose: they test what the tool does about it. Lists do not show them.
#include <cstdlib>

#include "relayopt/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kTestFailure = {"test-failure", Severity::kError, "TestFail was asked to fail"};

struct TestCrash {
  auto Run(const Module&, PassContext&) const -> Result<std::optional<Module>> { std::abort(); }
};

struct TestFail {
  auto Run(const Module&, PassContext&) const -> Result<std::optional<Module>> {
    return MakeDiagnostic(kTestFailure, {});
  }
};

// Returns a variable that nothing binds.
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

}  // namespace

constinit const PassDef kTestCrashPass = DescribePass<TestCrash>({
    .name = "TestCrash",
    .summary = "crashes",
    .details = "Aborts the process, as a bug of a pass would.",
    .hidden = true,
});

constinit const PassDef kTestFailPass = DescribePass<TestFail>({
    .name = "TestFail",
    .summary = "fails",
    .details = "Returns an error.",
    .hidden = true,
});

constinit const PassDef kTestBreakIRPass = DescribePass<TestBreakIR>({
    .name = "TestBreakIR",
    .summary = "makes a malformed function",
    .details = "Returns a variable that nothing binds from every function.",
    .exactness = Exactness::kChanges,
    .hidden = true,
});

}  // namespace relayopt
