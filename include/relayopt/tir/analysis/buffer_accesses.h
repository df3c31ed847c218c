// Finds where buffers are accessed: the regions accessed by a block, and the innermost statement around all accesses.
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

// Buffers, keyed by their data variable.
using BuffersByData = absl::flat_hash_map<PrimExpr, BufferId>;

// The accesses of a block.
struct BlockAccesses {
  std::vector<BufferRegion> reads;
  std::vector<BufferRegion> writes;
  // Buffers whose pointer is used in other ways; `reads` and `writes` contain them as a whole.
  std::vector<BufferId> opaque;
};

// The regions that a block with this body reads and writes, for the buffers whose data variable is in `known`, in the
// order of first access. Regions cover all iterations of loops in the body, are narrowed by conditions, and take nested
// blocks by their declared regions. `body` may be in any table. If it is a Block, accesses to its own match_buffers
// count for the buffers that these are views of, and what its initialization writes does not count as read.
auto DetectBlockAccesses(Stmt body, const BuffersByData& known) -> BlockAccesses;

// For each accessed buffer, the innermost loop or block that contains all its accesses; returns invalid if only the
// function as a whole does. Views (match_buffers) are left out. A buffer in the device's global memory is placed no
// deeper than the outermost loop that is bound to blocks of threads. An access whose position depends on an opaque
// iteration variable of its block counts as an access in the loops of that variable, because values may be carried from
// iteration to iteration.
auto DetectBufferAccessLCA(const PrimFunc& func) -> absl::flat_hash_map<BufferId, StmtId>;

}  // namespace relayopt::tir
