// Interns operator instances.
#include "relayopt/relay/ops/op_instance.h"

#include <utility>

#include "absl/container/flat_hash_map.h"

namespace relayopt {

struct OpInstances::Ids {
  absl::flat_hash_map<std::pair<const OpDef*, AttrsId>, OpInstanceId> map;
};

OpInstances::OpInstances(Context&) : ids_(std::make_unique<Ids>()) {}
OpInstances::~OpInstances() = default;

auto OpInstances::Intern(const OpInstance& instance) -> OpInstanceId {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = ids_->map.try_emplace({instance.op, instance.attrs});
  if (is_new) entry->second = instances_.Append(instance);
  return entry->second;
}

}  // namespace relayopt
