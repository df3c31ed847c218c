// Splits the work of a kernel over threads.
#pragma once

#include <cstdint>
#include <functional>

namespace relayopt {

// body(0), body(1), ... body(count - 1), in any order, on as many threads as there are processors; returns when all are
// done. `work` is about the number of element operations in all: little work stays on this thread. The body must not
// depend on the order, nor may the way work is cut into bodies depend on the number of threads.
void SplitWork(int64_t count, int64_t work, const std::function<void(int64_t)>& body);

}  // namespace relayopt
