// Loops over several threads, which take the next index from one counter.
#include "relayopt/support/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "relayopt/support/signals.h"

namespace relayopt {

void ParallelFor(size_t count, size_t threads, const std::function<void(size_t)>& body) {
  threads = std::min(threads, count);
  if (threads <= 1) {
    for (size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (failure == nullptr) failure = std::current_exception();
      next = count;
    }
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
  for (std::jthread& helper : helpers) helper.join();
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace relayopt
