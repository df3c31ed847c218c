// Finding the pass that breaks a program.
#include "relayopt/check/bisect.h"

#include <catch2/catch.hpp>
#include <set>

#include "relayopt/driver/session.h"
#include "relayopt/pass/pass.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt::testing {
namespace {

constexpr const char* kOneCall = R"(#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) { exp(%x) }
)";

// A pass that puts `relu` around the result.
auto Grow(std::string name) -> PassRef {
  return CreateFunctionPass(
      [](const Module&, GlobalId, const Function& function, PassContext&) -> Result<std::optional<Function>> {
        Rebuild rebuild(function);
        return rebuild.Rewrite([&](ExprId id) {
          if (id != function.root()) return ExprId();
          std::vector<ExprId> operands(rebuild.NewOperands(id).begin(), rebuild.NewOperands(id).end());
          operands.back() = EmitCall(rebuild.to(), "nn.relu"_op, {operands.back()});
          return rebuild.to().Copy(function, id, operands);
        });
      },
      0, std::move(name));
}

auto SizeOf(const Module& module) -> size_t { return module.function<Function>(module.FindGlobal("main"))->size(); }

TEST_CASE("the first bad module is found by asking about few") {
  Session session;
  std::optional<Module> module = session.Read("m.relay", kOneCall);
  REQUIRE(module.has_value());
  constexpr uint64_t kPasses = 1000;
  constexpr uint64_t kGuilty = 700;
  std::vector<PassRef> passes;
  for (uint64_t i = 0; i < kPasses; ++i) passes.push_back(Grow("Grow"));
  const Sequential pipeline(passes);
  const size_t limit = SizeOf(*module) + kGuilty;
  std::set<uint64_t> asked;
  JudgeOptions options;
  options.trial.context.opt_level = 4;
  options.property = {.kind = Property::Kind::kResult,
                      .judge = [&](const Module& made, const std::string&, uint64_t number) -> Result<Answer> {
                        asked.insert(number);
                        // Every third module is undecided.
                        if (number % 3 == 2) return Answer::kUnknown;
                        return SizeOf(made) >= limit ? Answer::kBad : Answer::kGood;
                      }};
  const Result<BisectResult> result = Bisect(pipeline, *module, options);
  REQUIRE(result);
  CHECK(result->verdict == BisectResult::Verdict::kFound);
  CHECK(result->guilty.number == kGuilty);
  CHECK(result->guilty.name == "Grow");
  // Run 698, or 701, cannot be judged; 699 can.
  CHECK(result->first_suspect == kGuilty);
  CHECK(SizeOf(result->guilty.after) == limit);
  CHECK(result->others_too == std::optional(true));
  CHECK(asked.size() < 25);
}

TEST_CASE("an error of the predicate ends the search") {
  static constexpr DiagnosticKind kTired = {"tired", Severity::kError, "no more"};
  Session session;
  std::optional<Module> module = session.Read("m.relay", kOneCall);
  REQUIRE(module.has_value());
  const Sequential pipeline({Grow("Grow"), Grow("Grow")});
  JudgeOptions options;
  options.property = {.kind = Property::Kind::kResult,
                      .judge = [](const Module&, const std::string&, uint64_t number) -> Result<Answer> {
                        if (number == 1) return MakeDiagnostic(kTired, {});
                        return number == 0 ? Answer::kGood : Answer::kBad;
                      }};
  const Result<BisectResult> result = Bisect(pipeline, *module, options);
  REQUIRE(!result);
  CHECK(result.error().text == "no more");
}

}  // namespace
}  // namespace relayopt::testing
