// The relayopt tool: reads Relay text, runs passes, prints Relay text.
#include "lib/check/testing/test_passes.h"
#include "lib/driver/cleanup.h"
#include "lib/driver/driver.h"
#include "relayopt/support/process.h"

namespace {

// Before the tables of the library are made, which takes memory. Sanitizers have handlers of their own.
[[gnu::constructor(101)]] void Begin() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  relayopt::InstallCleanup();
#endif
}

}  // namespace

auto main(int argc, char** argv) -> int {
  relayopt::TuneAllocator();
  relayopt::RegisterTestPasses();
  return relayopt::RunTool(argc, argv);
}
