// Loops over several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace relayopt {

// Calls `body(i)` once for every i < count, on at most `threads` threads, the calling one among them; returns when all
// calls have. With one thread, or one call, no thread is started. Calls start in ascending order but end in any; what
// they write must be apart.
void ParallelFor(size_t count, size_t threads, const std::function<void(size_t)>& body);

}  // namespace relayopt
