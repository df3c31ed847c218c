// Loops over several threads, which take the next index from one counter.
#include "relayopt/support/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "signal_stack.h"

namespace relayopt {

void ParallelFor(size_t count, size_t threads, const std::function<void(size_t)>& body) {
  threads = std::min(threads, count);
  if (threads <= 1) {
    for (size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::jthread> helpers;
  helpers.reserve(threads - 1);
  for (size_t i = 1; i < threads; ++i) {
    try {
      helpers.emplace_back([&work] {
        const SignalStack stack;
        work();
      });
    } catch (const std::system_error&) {
      // No more threads to be had: those that run do the work.
      break;
    }
  }
  work();
}

}  // namespace relayopt
