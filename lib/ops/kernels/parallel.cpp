// Work split over threads.
#include "parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "lib/support/signal_stack.h"

namespace relayopt {

namespace {

// Starting a thread costs as much as this many element operations, roughly.
constexpr int64_t kWorkPerThread = 200'000;

}  // namespace

void ParallelFor(int64_t count, int64_t work, const std::function<void(int64_t)>& body) {
  std::atomic<int64_t> next = 0;
  const auto run = [&] {
    for (int64_t i = next++; i < count; i = next++) body(i);
  };
  const int64_t processors = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  const int64_t wanted = std::min({processors, count, work / kWorkPerThread + 1});
  std::vector<std::thread> threads;
  for (int64_t i = 1; i < wanted; ++i) {
    try {
      threads.emplace_back([&run] {
        const SignalStack stack;
        run();
      });
    } catch (const std::system_error&) {
      // No more threads to be had: those that run do the work.
      break;
    }
  }
  run();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace relayopt
