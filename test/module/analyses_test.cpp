// Which values of a module share the results of an analysis, and when one is computed anew.
#include <catch2/catch.hpp>

#include "pass/test_module.h"
#include "relayopt/module/module.h"

namespace relayopt {

namespace {

// How often it was computed.
int g_runs = 0;

struct CountFunctions {
  explicit CountFunctions(const Module& module) : count(module.SortedFunctions().size()) { ++g_runs; }
  size_t count;
};

struct CountNames {
  explicit CountNames(const Module& module) : count(module.globals().size()) {}
  size_t count;
};

TEST_CASE("copies of a module share an analysis", "[module]") {
  g_runs = 0;
  const Module module = testing::MainModule();
  const CountFunctions& first = module.Analysis<CountFunctions>();
  const Module copy = module;
  CHECK(&copy.Analysis<CountFunctions>() == &first);
  CHECK(g_runs == 1);
}

TEST_CASE("a second analysis leaves the first where it is", "[module]") {
  const Module module = testing::MainModule();
  const CountFunctions& functions = module.Analysis<CountFunctions>();
  CHECK(module.Analysis<CountNames>().count == 1);
  CHECK(&module.Analysis<CountFunctions>() == &functions);
  CHECK(functions.count == 1);
}

TEST_CASE("setting a function asks for a new analysis of this module alone", "[module]") {
  Module module = testing::MainModule();
  const Module before = module;
  REQUIRE(module.Analysis<CountFunctions>().count == 1);
  testing::AddIdentity(module, "other");
  CHECK(module.Analysis<CountFunctions>().count == 2);
  CHECK(before.Analysis<CountFunctions>().count == 1);
}

TEST_CASE("naming a global asks for a new analysis", "[module]") {
  Module module = testing::MainModule();
  REQUIRE(module.Analysis<CountNames>().count == 1);
  module.NameGlobal("other");
  CHECK(module.Analysis<CountNames>().count == 2);
  module.NameGlobal("other");
  CHECK(module.Analysis<CountNames>().count == 2);
}

TEST_CASE("setting the function that is there keeps an analysis", "[module]") {
  Module module = testing::MainModule();
  g_runs = 0;
  module.Analysis<CountFunctions>();
  const GlobalId main = module.FindGlobal("main");
  module.SetFunction(main, module.function(main));
  module.Analysis<CountFunctions>();
  CHECK(g_runs == 1);
}

}  // namespace

}  // namespace relayopt
