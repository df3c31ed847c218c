#include <catch2/catch.hpp>
#include <set>
#include <string_view>

#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

TEST_CASE("Every pass is listed once, with a summary and details") {
  RegisterAllPasses();
  std::set<std::string_view> names;
  for (const PassDef* def : AllPasses()) {
    INFO(def->name);
    CHECK(names.insert(def->name).second);
    CHECK_FALSE(def->summary.empty());
    if (!def->hidden) CHECK_FALSE(def->details.empty());
  }
}

TEST_CASE("Every named pipeline can be built") {
  RegisterAllPasses();
  for (const NamedPipeline* pipeline : NamedPipelines()) {
    INFO(pipeline->name);
    const Result<Pipeline> parsed = ParsePipeline(fmt::format("default<{}>", pipeline->name));
    REQUIRE(parsed);
    CHECK(BuildPipeline(*parsed));
  }
}

}  // namespace relayopt
