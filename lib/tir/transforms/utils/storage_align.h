// Annotations that align the dimensions of buffers.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// The key of the annotation, of blocks and of allocations: a list of [index, dimension, factor, offset], where the
// index is that of a write region of the block, and -1 on allocations.
inline constexpr std::string_view kBufferDimAlign = "buffer_dim_align";

// One entry of the list: the stride of the dimension is `offset` modulo `factor`.
struct StorageAlign {
  int64_t dimension = 0;
  int64_t factor = 0;
  int64_t offset = 0;
};

using StorageAligns = absl::flat_hash_map<PrimExpr, std::vector<StorageAlign>>;

// Keyed by the data variable of the buffer. Malformed entries are ignored.
auto CollectStorageAligns(const PrimFunc& func) -> StorageAligns;

}  // namespace relayopt::tir
