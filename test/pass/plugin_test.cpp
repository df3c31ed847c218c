// Plugins that are refused.
#include "relayopt/pass/plugin.h"

#include <catch2/catch.hpp>

#include <cstdlib>

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

TEST_CASE("a plugin that throws or leaves something out is refused", "[pass]") {
  const auto error_of = [](const std::string& behavior) {
    ::setenv("FAULTY_PLUGIN", behavior.c_str(), 1);
    const Result<std::string> loaded = LoadPassPlugin(FAULTY_PLUGIN, "1.0");
    REQUIRE_FALSE(loaded);
    const bool throws = behavior.find("throws") != std::string::npos;
    CHECK(loaded.error().kind->id == (throws ? "plugin-failed" : "plugin-incomplete"));
    return loaded.error().text.substr(loaded.error().text.rfind("' ") + 2);
  };
  CHECK(error_of("describe-throws") == "failed: no description");
  CHECK(error_of("register-throws") == "failed: no passes");
  CHECK(error_of("register-throws-a-number") == "failed: an exception that is no std::exception");
  CHECK(error_of("null") == "does not describe itself: relayopt_pass_plugin returns null");
  for (const char* missing : {"no-version", "no-name", "no-function"}) {
    CHECK(error_of(missing) == "does not describe itself: its version, its name or its function register_all is null");
  }
}

}  // namespace

}  // namespace relayopt
