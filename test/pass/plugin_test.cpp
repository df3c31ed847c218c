// Plugins that are refused.
#include "relayopt/pass/plugin.h"

#include <catch2/catch.hpp>

namespace relayopt {

namespace {

TEST_CASE("a plugin is for one version of relayopt", "[pass]") {
  const Result<std::string> loaded = LoadPassPlugin(OLD_PLUGIN, "2.0");
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().kind->id == "plugin-version");
  CHECK_THAT(loaded.error().text, Catch::EndsWith("was built for relayopt 1.0 (plugin ABI 1), and this is relayopt 2.0 "
                                                  "(plugin ABI 1): build it again"));
}

TEST_CASE("a plugin whose passes cannot be registered is refused", "[pass]") {
  const Result<std::string> loaded = LoadPassPlugin(OLD_PLUGIN, "1.0");
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().kind->id == "plugin-not-registered");
  CHECK(loaded.error().text == "plugin 'refused' cannot register its passes: a name is taken");
}

}  // namespace

}  // namespace relayopt
