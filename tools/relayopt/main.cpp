// The relayopt tool: reads Relay text, runs passes, prints Relay text.
#include <malloc.h>

#include "lib/check/testing/test_passes.h"
#include "lib/driver/driver.h"

auto main(int argc, char** argv) -> int {
  // Every pass makes a table and frees one. Memory that goes back to the system in between must be cleared to be had
  // again, so that the allocator starts with the bounds to which it would work its way up.
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);
  mallopt(M_TRIM_THRESHOLD, 64 * kMegabyte);
  relayopt::RegisterTestPasses();
  return relayopt::RunTool(argc, argv);
}
