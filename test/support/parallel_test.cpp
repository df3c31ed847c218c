#include "relayopt/support/parallel.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

namespace relayopt {

TEST_CASE("ParallelFor calls its body once for every index", "[threads]") {
  for (const size_t threads : {size_t{0}, size_t{1}, size_t{3}, size_t{200}}) {
    std::vector<std::atomic<int>> calls(100);
    ParallelFor(calls.size(), threads, [&](size_t i) { ++calls[i]; });
    for (const auto& count : calls) CHECK(count == 1);
  }
}

TEST_CASE("ParallelFor with nothing to do calls nothing") {
  ParallelFor(0, 4, [](size_t) { FAIL(); });
}

}  // namespace relayopt
