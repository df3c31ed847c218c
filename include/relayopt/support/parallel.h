// Loops over several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace relayopt {

// Calls `body(i)` once for every i < count, on at most `threads` threads including the calling one, and returns when
// all calls have returned. With one thread, or one call, no thread is started. Calls start in ascending order and end
// in any order; they must not write to the same memory.
void ParallelFor(size_t count, size_t threads, const std::function<void(size_t)>& body);

}  // namespace relayopt
