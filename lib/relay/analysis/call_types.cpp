// Caches the results of type rules.
#include "call_types.h"

namespace relayopt {

auto CallTypes::Find(const Key& key) const -> TypeId {
  const std::lock_guard lock(mutex_);
  const auto found = results_.find(key);
  return found == results_.end() ? TypeId() : found->second;
}

void CallTypes::Remember(const Key& key, TypeId result) {
  const std::lock_guard lock(mutex_);
  if (results_.size() >= kMaxEntries) results_.clear();
  results_.emplace(key, result);
}

}  // namespace relayopt
