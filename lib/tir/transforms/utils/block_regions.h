// Creating blocks around statements, and reading and writing the regions of blocks.
#pragma once

#include <span>
#include <vector>

#include "relayopt/tir/analysis/buffer_accesses.h"

namespace relayopt::tir {

// Returns regions of a block with their ranges.
auto RegionsOf(const Block& block, std::span<const BlockRegion> regions) -> std::vector<BufferRegion>;
// Appends regions to `list`, and their ranges to `exprs`, the expressions of the block.
void AppendRegions(std::span<const BufferRegion> regions, std::vector<BlockRegion>& list, std::vector<PrimExpr>& exprs);
// Creates a block without axes around `body`, which is in the builder's table. It allocates `allocs` and reads and
// writes what the body accesses of the buffers in `known`.
auto OpaqueBlock(StmtBuilder& builder, StmtId body, const BuffersByData& known, std::vector<BufferId> allocs = {})
    -> StmtId;
// Creates the realization of a block without axes.
auto RealizeBlock(StmtBuilder& builder, StmtId block) -> StmtId;
// Copies a block of the builder's table with another body.
auto WithBody(StmtBuilder& builder, StmtId block, StmtId body) -> StmtId;

}  // namespace relayopt::tir
