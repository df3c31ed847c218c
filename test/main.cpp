// The main function of the unit tests: that of Catch2, with all that has to be registered.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "lib/check/testing/test_passes.h"
#include "relayopt/relay/transforms/all_passes.h"

auto main(int argc, char** argv) -> int {
  relayopt::RegisterAllPasses();
  relayopt::RegisterTestPasses();
  return Catch::Session().run(argc, argv);
}
