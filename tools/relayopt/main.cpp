// The relayopt tool: reads Relay text, runs passes, prints Relay text.
#include <malloc.h>

#include "lib/check/testing/test_passes.h"
#include "lib/driver/cleanup.h"
#include "lib/driver/driver.h"

namespace {

// Before the tables of the library are made, which takes memory. Sanitizers have handlers of their own.
[[gnu::constructor(101)]] void Begin() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  relayopt::InstallCleanup();
#endif
}

}  // namespace

auto main(int argc, char** argv) -> int {
  // Every pass makes a table and frees one. Memory that goes back to the system in between must be cleared to be had
  // again, so that the allocator starts with the bounds to which it would work its way up.
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);
  mallopt(M_TRIM_THRESHOLD, 64 * kMegabyte);
  relayopt::RegisterTestPasses();
  return relayopt::RunTool(argc, argv);
}
