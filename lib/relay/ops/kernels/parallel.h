// Splits the work of a kernel over threads.
#pragma once

#include <cstdint>
#include <functional>

namespace relayopt {

// Calls body(0), body(1), ..., body(count - 1) in any order, on as many threads as there are processors, and returns
// when all are done. `work` is the approximate total number of element operations: small amounts stay on the calling
// thread. The result must not depend on the order, and `count` must not depend on the number of threads.
void SplitWork(int64_t count, int64_t work, const std::function<void(int64_t)>& body);

}  // namespace relayopt
