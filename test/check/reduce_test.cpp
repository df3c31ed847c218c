// Making modules smaller while they show something.
#include "relayopt/check/reduce.h"

#include <catch2/catch.hpp>

#include "relayopt/driver/session.h"
#include "relayopt/module/print.h"

namespace relayopt::testing {
namespace {

constexpr const char* kNetwork = R"(#[version = "0.0.5"]
def @unused(%a: Tensor[(4, 8), float32]) { exp(%a) }

def @main(%x: Tensor[(4, 8), float32], %w: Tensor[(8, 8), float32]) {
  %0 = nn.dense(%x, %w, units=None);
  let %y = nn.relu(%0);
  %1 = fn (%z: Tensor[(4, 8), float32]) {
    %2 = tanh(%z);
    multiply(%2, %y)
  };
  (%1(%0), %y)
}
)";

auto Holds(const FaultyCase& candidate, std::string_view word) -> bool {
  return PrintModule(candidate.module).find(word) != std::string::npos;
}

auto Given() -> FaultyCase {
  Session session;
  std::optional<Module> module = session.Read("m.relay", kNetwork);
  REQUIRE(module.has_value());
  Result<Pipeline> pipeline = ParsePipeline("FoldConstant,fixpoint<max=3>(SimplifyExpr,FastMath),default<O1>");
  REQUIRE(pipeline);
  return {*std::move(module), *std::move(pipeline)};
}

TEST_CASE("what is in a closure that nothing else needs is the result of the whole") {
  ReduceOptions options;
  size_t kept = 0;
  options.is_interesting = [](const FaultyCase& candidate) -> Result<bool> { return Holds(candidate, "tanh("); };
  options.keep = [&](const FaultyCase&) {
    ++kept;
    return std::nullopt;
  };
  const Result<ReduceResult> result = Reduce(Given(), options);
  REQUIRE(result);
  CHECK(result->was_interesting);
  CHECK(kept == result->kept + 1);
  CHECK(result->best.pipeline.empty());
  CHECK(CallsAndStatements(result->best.module) == 1);
  const std::string text = PrintModule(result->best.module);
  CHECK(text.find("Tensor[(1, 1), float32]") != std::string::npos);
  CHECK(text.find("unused") == std::string::npos);
}

TEST_CASE("passes that matter stay, out of what stands around them, with options that matter") {
  ReduceOptions options;
  options.is_interesting = [](const FaultyCase& candidate) -> Result<bool> {
    return ToString(candidate.pipeline).find("FastMath") != std::string::npos;
  };
  const Result<ReduceResult> result = Reduce(Given(), options);
  REQUIRE(result);
  CHECK(ToString(result->best.pipeline) == "FastMath");
}

TEST_CASE("a case that does not show it is left as it is, and an error ends the work") {
  static constexpr DiagnosticKind kTired = {"tired", Severity::kError, "no more"};
  ReduceOptions options;
  options.is_interesting = [](const FaultyCase&) -> Result<bool> { return false; };
  const Result<ReduceResult> result = Reduce(Given(), options);
  REQUIRE(result);
  CHECK(!result->was_interesting);
  CHECK(result->kept == 0);
  size_t asked = 0;
  options.is_interesting = [&](const FaultyCase&) -> Result<bool> {
    if (++asked == 3) return MakeDiagnostic(kTired, {});
    return true;
  };
  const Result<ReduceResult> failed = Reduce(Given(), options);
  REQUIRE(!failed);
  CHECK(failed.error().text == "no more");
  CHECK(asked == 3);
}

}  // namespace
}  // namespace relayopt::testing
