#include "relayopt/module/analyses.h"

namespace relayopt {

auto ModuleAnalyses::Get(const void* kind, const std::function<std::shared_ptr<const void>()>& make) -> const void* {
  const std::lock_guard lock(mutex_);
  for (const auto& [existing, result] : results_) {
    if (existing == kind) return result.get();
  }
  return results_.emplace_back(kind, make()).second.get();
}

}  // namespace relayopt
