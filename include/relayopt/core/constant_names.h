// Names of constants that came from a file of tensors.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/ids.h"

namespace relayopt {

class Context;

// The names, as a part of the context. Most constants have no name, and a name is not a property of the program:
// printing and comparing ignore it. Thread-safe.
class ConstantNames {
 public:
  explicit ConstantNames(Context&) {}

  void Set(ConstantId constant, std::string_view name) {
    const std::lock_guard lock(mutex_);
    names_[constant] = name;
  }
  auto Find(ConstantId constant) const -> std::optional<std::string> {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(constant);
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex mutex_;
  absl::flat_hash_map<ConstantId, std::string> names_;
};

}  // namespace relayopt
