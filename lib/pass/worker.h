// The private data of a thread that runs a function pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "relayopt/pass/pass_context.h"
#include "relayopt/pass/remarks.h"

namespace relayopt {

// One function on its way through a pass, on a thread of its own. Its messages and random numbers are kept apart, so
// that the caller can put it in the order of the functions.
struct Worker {
  // An addition to a statistic.
  struct Count {
    std::string pass;
    std::string name;
    std::string doc;
    uint64_t count;
  };

  explicit Worker(const PassContext& context) : context(&context) {}

  // Delivers the collected remarks and counts to `context`. Not called for a function that is run again, whose second
  // run repeats them.
  void Deliver(PassContext& context) const;

  const PassContext* context;
  DiagnosticSink diagnostics;
  std::vector<Remark> remarks;
  std::vector<Count> counts;
  // The function drew a number for a name; which one it would have been is known only when those before it have run.
  bool drew_names = false;

  // Returns the worker of the calling thread; null outside of parallel passes.
  static auto Current() -> Worker*&;
};

// Makes a worker that of the calling thread for as long as it lives.
class WorkerScope {
 public:
  explicit WorkerScope(Worker& worker) { Worker::Current() = &worker; }
  WorkerScope(const WorkerScope&) = delete;
  auto operator=(const WorkerScope&) -> WorkerScope& = delete;
  ~WorkerScope() { Worker::Current() = nullptr; }
};

}  // namespace relayopt
