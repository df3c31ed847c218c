// Recognizes reductions: the combiner, the initial values and the updates of a block with an initialization.
#pragma once

#include <vector>

#include "relayopt/support/result.h"
#include "relayopt/tir/ir/stmt.h"

namespace relayopt::tir {

// The reduction that a block does. All lists have one element for each buffer that it reduces into, in the order of the
// combiner.
struct BlockReduction {
  ReducerId reducer;
  std::vector<BufferId> buffers;
  // The values that an iteration combines with the contents of the buffers.
  std::vector<PrimExpr> values;
  // The element of the buffers, the same for all.
  std::vector<PrimExpr> indices;
};

// Recognizes the reduction of a block that has an initialization:
//
//   with T.init():                      with T.init():
//       B[vi] = T.float32(0)                I[vi] = -1
//   B[vi] = B[vi] + A[vi, vk]               V[vi] = T.float32(-3.4028234663852886e+38)
//                                       v0: T.int32 = T.Select(V[vi] >= A[vi, vk], I[vi], vk)
//                                       v1: T.float32 = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])
//                                       I[vi] = v0
//                                       V[vi] = v1
//
// The combiners are those of TVM: sum, product, minimum, maximum, two sums, and the position and value of a
// maximum or minimum. Returns a diagnostic with the reason when the block has another form.
auto FindBlockReduction(Tables& tables, Block block) -> Result<BlockReduction>;

}  // namespace relayopt::tir
