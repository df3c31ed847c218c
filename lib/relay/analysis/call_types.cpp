// Caches the results of type rules.
#include "call_types.h"

namespace relayopt {

auto CallTypes::KeyOf(OpInstanceId op, std::span<const TypeId> inputs) -> std::optional<Key> {
  if (inputs.size() > kMaxInputs) return std::nullopt;
  Key key;
  key.ids.fill(TypeId::kNone);
  key.ids[0] = op.value();
  for (size_t i = 0; i < inputs.size(); ++i) key.ids[i + 1] = inputs[i].value();
  return key;
}

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
