// Tensors by their contents.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/constant.h"

namespace relayopt {

// Different tensors, numbered from 0 in the order in which they were added. All elements of one are read only where
// samples of them agree with those of another one, and then once, so that many large ones that hardly differ cost no
// more than their size.
class TensorTable {
 public:
  auto size() const -> size_t { return tensors_.size(); }
  // Returns the number of the tensor that has the element type, the shape and the bytes of this one, or adds it. A
  // view has to stay valid as long as the table.
  auto FindOrAdd(const Constant& tensor) -> size_t;

 private:
  auto Add(const Constant& tensor) -> size_t;
  auto FindOrAddByElements(const Constant& tensor, const ElementBytes& elements, size_t number) -> size_t;

  std::vector<Constant> tensors_;
  // The tensor with this hash of samples while it is the only one, and kShared afterwards.
  static constexpr size_t kShared = SIZE_MAX;
  absl::flat_hash_map<uint64_t, size_t> by_samples_;
  // Those whose samples agree with another one's, by a hash of all elements. Where hashes of different ones are equal,
  // the later one takes the next that is free.
  absl::flat_hash_map<uint64_t, size_t> by_elements_;
};

}  // namespace relayopt
