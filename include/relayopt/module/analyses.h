// The results of analyses that belong to the value of a module.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace relayopt {

// Several threads may ask.
class ModuleAnalyses {
 public:
  // Returns the result of this kind, computed by `make` on first use. Its address is stable.
  auto Get(const void* kind, const std::function<std::shared_ptr<const void>()>& make) -> const void*;

 private:
  std::mutex mutex_;
  // A short list: one entry for each kind of analysis.
  std::vector<std::pair<const void*, std::shared_ptr<const void>>> results_;
};

}  // namespace relayopt
