// Counts the tensors of types, each type once.
#include "large_tuples.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

namespace {

constexpr uint64_t kMostTensors = 100'000;

class TensorCounter {
 public:
  explicit TensorCounter(const Context& context) : context_(context) {}

  // Returns the number of tensors, at most one more than allowed.
  auto Count(TypeId root) -> uint64_t {
    if (const auto known = counts_.find(root); known != counts_.end()) return known->second;
    std::vector<TypeId> pending = {root};
    while (!pending.empty()) {
      const TypeId id = pending.back();
      const Type& type = context_.type(id);
      const size_t before = pending.size();
      for (const TypeId part : Parts(type)) {
        if (!counts_.contains(part)) pending.push_back(part);
      }
      if (pending.size() != before) continue;
      pending.pop_back();
      uint64_t count = type.is_tuple() ? 0 : 1;
      for (const TypeId part : Parts(type)) count = std::min(count + counts_.at(part), kMostTensors + 1);
      counts_.try_emplace(id, count);
    }
    return counts_.at(root);
  }

 private:
  static auto Parts(const Type& type) -> std::span<const TypeId> {
    return type.is_tuple() ? std::span<const TypeId>(type.args) : std::span<const TypeId>();
  }

  const Context& context_;
  absl::flat_hash_map<TypeId, uint64_t> counts_;
};

}  // namespace

auto TooManyTensors() -> std::string { return fmt::format("it has more than {} tensors", kMostTensors); }

auto FindLargeTuple(const Module& module) -> std::optional<SourceRange> {
  TensorCounter counter(module.context());
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    for (const ExprId expr : function.ids()) {
      const TypeId type = function.type(expr);
      if (type && counter.Count(type) > kMostTensors) return function.range(expr);
    }
  }
  return std::nullopt;
}

}  // namespace relayopt
