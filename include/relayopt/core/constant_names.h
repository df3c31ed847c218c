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

// Where a computed constant comes from: the span of the call whose result it is, and the constant with a name that most
// of its elements were computed from. Either may be invalid.
struct ConstantOrigin {
  StringId source;
  ConstantId base;
};

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
  // Records where a constant without a name comes from. A base without a name stands for its own base.
  void SetOrigin(ConstantId constant, ConstantOrigin origin) {
    const std::lock_guard lock(mutex_);
    if (!names_.contains(origin.base)) {
      const auto before = origins_.find(origin.base);
      origin.base = before == origins_.end() ? ConstantId() : before->second.base;
    }
    if (origin.source || origin.base) origins_[constant] = origin;
  }
  auto OriginOf(ConstantId constant) const -> ConstantOrigin {
    const std::lock_guard lock(mutex_);
    const auto found = origins_.find(constant);
    return found == origins_.end() ? ConstantOrigin() : found->second;
  }

 private:
  mutable std::mutex mutex_;
  absl::flat_hash_map<ConstantId, std::string> names_;
  absl::flat_hash_map<ConstantId, ConstantOrigin> origins_;
};

}  // namespace relayopt
