// Blocks that are created around statements, and the regions of blocks as values.
#include "lib/tir/transforms/utils/block_regions.h"

namespace relayopt::tir {

auto RegionsOf(const Block& block, std::span<const BlockRegion> regions) -> std::vector<BufferRegion> {
  std::vector<BufferRegion> result;
  for (const BlockRegion& region : regions) {
    BufferRegion& made = result.emplace_back(BufferRegion{region.buffer, {}});
    const Bounds bounds = block.bounds(region);
    for (size_t i = 0; i + 1 < bounds.size(); i += 2) made.ranges.push_back({bounds[i], bounds[i + 1]});
  }
  return result;
}

void AppendRegions(std::span<const BufferRegion> regions, std::vector<BlockRegion>& list,
                   std::vector<PrimExpr>& exprs) {
  for (const BufferRegion& region : regions) {
    list.push_back({region.buffer, static_cast<uint32_t>(exprs.size()), static_cast<uint32_t>(region.ranges.size())});
    for (const Range& range : region.ranges) exprs.insert(exprs.end(), {range.min, range.extent});
  }
}

auto OpaqueBlock(StmtBuilder& builder, StmtId body, const BuffersByData& known, std::vector<BufferId> allocs)
    -> StmtId {
  const BlockAccesses accesses = DetectBlockAccesses(builder.stmt(body), known);
  BlockInfo info;
  info.name = builder.context().Intern("");
  info.alloc_buffers = std::move(allocs);
  std::vector<PrimExpr> exprs;
  AppendRegions(accesses.reads, info.reads, exprs);
  AppendRegions(accesses.writes, info.writes, exprs);
  return builder.Block(std::move(info), exprs, body);
}

auto RealizeBlock(StmtBuilder& builder, StmtId block) -> StmtId {
  return builder.BlockRealize({}, builder.terms().Bool(true), block);
}

auto WithBody(StmtBuilder& builder, StmtId block, StmtId body) -> StmtId {
  const Stmt stmt = builder.stmt(block);
  // The expressions are copied first, because the table grows.
  const std::vector<PrimExpr> exprs(stmt.exprs().begin(), stmt.exprs().end());
  return builder.Copy(stmt, {&body, 1}, exprs);
}

}  // namespace relayopt::tir
