// The layout of a buffer in memory, given the values of the variables in its fields.
#pragma once

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

using Numbers = absl::flat_hash_map<PrimExpr, int64_t>;

// Returns the value of an integer term for the values of variables in `numbers`, or nothing if it has none.
auto EvaluateIndex(const Terms& terms, PrimExpr expr, const Numbers& numbers) -> std::optional<int64_t>;

struct Layout {
  std::vector<int64_t> shape;
  // In elements of the buffer's type, like the offset.
  std::vector<int64_t> strides;
  int64_t offset = 0;
  // The number of elements in the memory, counting lanes.
  int64_t count = 0;
  bool is_compact = true;

  auto num_elements() const -> int64_t;
};
// Returns nothing if an extent, a stride or the offset has no value, or is negative.
auto LayoutOf(const Terms& terms, const Buffer& buffer, const Numbers& numbers) -> std::optional<Layout>;

}  // namespace relayopt::tir
