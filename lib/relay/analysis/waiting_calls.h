// The calls and projections that wait for types.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

class WaitingCalls {
 public:
  // Whatever binds the incomplete type wakes the call.
  void WaitFor(TypeId incomplete, ExprId call) { waiting_[incomplete].push_back(call); }

  void Wake(std::span<const TypeId> bound) {
    for (const TypeId type : bound) {
      const auto found = waiting_.find(type);
      if (found == waiting_.end()) continue;
      ready_.insert(ready_.end(), found->second.begin(), found->second.end());
      waiting_.erase(found);
    }
  }

  // Returns the one that was woken first, or none if there is none.
  auto TakeReady() -> ExprId {
    if (ready_.empty()) return {};
    const ExprId call = ready_.front();
    ready_.pop_front();
    return call;
  }

 private:
  absl::flat_hash_map<TypeId, std::vector<ExprId>> waiting_;
  std::deque<ExprId> ready_;
};

}  // namespace relayopt
