// Statistics, remarks and debug counters through the C++ interface.
#include <catch2/catch.hpp>
#include <thread>

#include "relayopt/pass/pass.h"
#include "relayopt/pass/remarks.h"
#include "test_module.h"

namespace relayopt {

namespace {

constexpr Statistic kSeen = {"P", "seen", "things seen", true};

// A pass that counts and reports every function that its debug counter allows.
auto CountingPass() -> PassRef {
  return CreateFunctionPass(
      [](const Module& module, GlobalId id, const Function&, PassContext& context) -> Result<std::optional<Function>> {
        if (!context.Allows(kSeen)) return std::nullopt;
        context.Count(kSeen);
        context.Report(Remark(RemarkKind::kAnalysis, "P", "Seen", module.name(id), {}).Text("saw ").Arg("What", "it"));
        return std::nullopt;
      },
      0, "P");
}

auto ThreeFunctions() -> Module {
  Module module;
  for (const char* name : {"c", "a", "b"}) testing::AddIdentity(module, name);
  return module;
}

TEST_CASE("passes count where the context says, and nowhere otherwise", "[reports]") {
  const auto statistics = std::make_shared<Statistics>();
  const PassContextRef context = *PassContext::Create({.statistics = statistics});
  REQUIRE((*CountingPass())(ThreeFunctions(), *context));
  CHECK(statistics->Render() == "=== relayopt statistics ===\n         3 P.seen - things seen\n");
  CHECK(statistics->RenderJson().find("\"count\": 3") != std::string::npos);
  PassContext plain;
  REQUIRE((*CountingPass())(ThreeFunctions(), plain));
}

TEST_CASE("threads may count together", "[reports][threads]") {
  Statistics statistics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) statistics.Add("P", "seen", "", 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(statistics.Render().find("      4000 P.seen") != std::string::npos);
}

TEST_CASE("functions that are run again on several threads count once", "[reports][threads]") {
  const auto statistics = std::make_shared<Statistics>();
  const auto log = std::make_shared<RemarkLog>();
  const PassContextRef context =
      *PassContext::Create({.threads = 3, .instruments = {log}, .statistics = statistics, .remarks = log});
  const PassRef pass = CreateFunctionPass(
      [](const Module& module, GlobalId id, const Function&, PassContext& to) -> Result<std::optional<Function>> {
        if (module.name(id) != "a") static_cast<void>(to.NextFreshName());
        to.Count(kSeen);
        to.Report(Remark(RemarkKind::kPassed, "P", "Seen", module.name(id), {}));
        return std::nullopt;
      },
      0, "P");
  REQUIRE((*pass)(ThreeFunctions(), *context));
  CHECK(statistics->Render().find(" 3 P.seen") != std::string::npos);
  CHECK(log->Take().size() == 3);
}

TEST_CASE("a debug counter lets only its numbers through", "[reports]") {
  const auto statistics = std::make_shared<Statistics>();
  const PassContextRef context =
      *PassContext::Create({.statistics = statistics, .debug_counters = {{&kSeen, *NumberSet::Parse("2-")}}});
  REQUIRE((*CountingPass())(ThreeFunctions(), *context));
  CHECK(context->debug_counts() == std::vector<uint64_t>{3});
  CHECK(statistics->Render().find(" 2 P.seen") != std::string::npos);
}

TEST_CASE("remarks come by run of a pass and by function", "[reports]") {
  const auto log = std::make_shared<RemarkLog>();
  const PassContextRef context = *PassContext::Create({.instruments = {log}, .remarks = log});
  const Module module = ThreeFunctions();
  REQUIRE((*CountingPass())(module, *context));
  REQUIRE((*CountingPass())(module, *context));
  std::string order;
  for (const Remark& remark : log->Take()) order += remark.function;
  CHECK(order == "abcabc");
  CHECK(log->Take().empty());
}

TEST_CASE("remarks are YAML", "[reports]") {
  const Remark remark =
      Remark(RemarkKind::kMissed, "P", "Odd", "it's", {}).Text("a \"quoted\"\n").Arg("Key", "back\\slash");
  CHECK(remark.message() == "a \"quoted\"\nback\\slash");
  CHECK(ToYaml(remark, nullptr) ==
        "--- !Missed\nPass:            'P'\nName:            'Odd'\nFunction:        'it''s'\nArgs:\n"
        "  - String: \"a \\\"quoted\\\"\\x0A\"\n  - Key: 'back\\slash'\n...\n");
}

}  // namespace

}  // namespace relayopt
