// Buffers whose dimensions stay apart when they are flattened.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// Finds the buffers with axis separators that are declared or accessed on allocated memory: the memory has to have as
// many dimensions as they will have.
class SeparatedBuffers {
 public:
  explicit SeparatedBuffers(const PrimFunc& func) : func_(func) {}

  // Returns a buffer with separators that covers the allocation, dimension by dimension, or invalid if there is none.
  auto On(const Allocate& alloc) -> BufferId;

 private:
  void Collect();

  const PrimFunc& func_;
  bool is_collected_ = false;
  // By the data variable, in the order of the text.
  absl::flat_hash_map<PrimExpr, std::vector<BufferId>> buffers_;
};

}  // namespace relayopt::tir
