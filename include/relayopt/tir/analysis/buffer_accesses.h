// Where buffers are accessed: regions of blocks, and the innermost scope around all accesses.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// A part of a buffer: a range for each dimension.
struct BufferRegion {
  BufferId buffer;
  std::vector<Range> ranges;
};

// Buffers by their data variable.
using BuffersByData = absl::flat_hash_map<PrimExpr, BufferId>;

struct BlockAccesses {
  std::vector<BufferRegion> reads;
  std::vector<BufferRegion> writes;
  // Buffers whose pointer is used otherwise: they are in `reads` and `writes` as a whole.
  std::vector<BufferId> opaque;
};

// The regions that a block with this body reads and writes, of the buffers whose data variable is in `known`; in the
// order in which they are met. Loops in the body are passed through, conditions narrow them, and blocks in it count as
// they say. `body` may stand in any table; where
// it is a Block, its own match_buffers count as the buffers that they are views of, and what its initialisation writes
// is not read.
auto DetectBlockAccesses(Stmt body, const BuffersByData& known) -> BlockAccesses;

// For each buffer that the function accesses the innermost loop or block with all accesses; none where they have only
// the function in common. Views (match_buffers) are left out. Buffers of the device's global memory lie no deeper
// than the outermost loop over blocks of threads. An access whose position depends on an opaque iteration variable of
// its block, whose values are carried from iteration to iteration, counts where the loops of that variable stand.
auto DetectBufferAccessLCA(const PrimFunc& func) -> absl::flat_hash_map<BufferId, StmtId>;

}  // namespace relayopt::tir
