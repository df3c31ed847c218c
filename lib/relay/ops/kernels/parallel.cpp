// Splits the work of a kernel over threads.
#include "parallel.h"

#include <algorithm>
#include <thread>

#include "relayopt/support/parallel.h"

namespace relayopt {

namespace {

// Starting a thread costs as much as this many element operations, roughly.
constexpr int64_t kWorkPerThread = 200'000;

}  // namespace

void SplitWork(int64_t count, int64_t work, const std::function<void(int64_t)>& body) {
  const int64_t processors = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  const int64_t threads = std::min(processors, work / kWorkPerThread + 1);
  ParallelFor(static_cast<size_t>(count), static_cast<size_t>(threads),
              [&body](size_t i) { body(static_cast<int64_t>(i)); });
}

}  // namespace relayopt
