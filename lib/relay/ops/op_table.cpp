// Look-up of operators by name.
#include "relayopt/relay/ops/op_table.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace relayopt {

auto AllOps() -> std::span<const OpDef* const> {
  static const std::vector<const OpDef*> ops = [] {
    std::vector<const OpDef*> all;
    for (const auto& family : kOpFamilies) {
      for (const OpDef& op : family) all.push_back(&op);
    }
    std::sort(all.begin(), all.end(), [](const OpDef* a, const OpDef* b) { return a->name < b->name; });
    return all;
  }();
  return ops;
}

auto FindOp(std::string_view name) -> const OpDef* {
  static const auto ops = [] {
    absl::flat_hash_map<std::string_view, const OpDef*> by_name;
    for (const auto& family : kOpFamilies) {
      for (const OpDef& op : family) by_name.emplace(op.name, &op);
    }
    return by_name;
  }();
  const auto found = ops.find(name);
  return found == ops.end() ? nullptr : found->second;
}

}  // namespace relayopt
