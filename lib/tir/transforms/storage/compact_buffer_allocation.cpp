// CompactBufferAllocation: shrinks buffers to the region that is accessed.
//
// First the region that all accesses of a buffer cover is computed (access_regions.h). The buffer gets that extent, and
// accesses are shifted by its beginning:
//
//   for i in range(16):                     for i in range(16):
//       B = T.alloc_buffer((16, 16))  ->        B = T.alloc_buffer((1, 16))
//       for j in range(16):                     for j in range(16):
//           B[i, j] = A[i, j]                       B[i - i, j] = A[i, j]
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/access_regions.h"
#include "lib/tir/transforms/utils/storage_align.h"
#include "relayopt/arith/fold.h"
#include "relayopt/tir/analysis/buffer_accesses.h"
#include "relayopt/tir/ir/flatten.h"

namespace relayopt::tir {

namespace {

class BufferCompactor : public Rewriter {
 public:
  BufferCompactor(const PrimFunc& func, const AccessedRegions& regions) : Rewriter(func), regions_(regions) {
    const StorageAligns aligns = CollectStorageAligns(func);
    for (const auto& [data, region] : regions) {
      Buffer made = tables().buffer(region.buffer);
      for (size_t i = 0; i < made.ndim(); ++i) made.shape[i] = region.ranges[i].extent;
      const auto found = aligns.find(data);
      made.strides.clear();
      if (found != aligns.end()) made.strides = AlignedStrides(made.shape, found->second);
      buffers_[data] = tables().Add(std::move(made));
    }
  }

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (const auto store = stmt.As<BufferStore>()) {
      const auto* region = RegionOf(store->buffer());
      if (region == nullptr) return Rewriter::Leave(stmt, parts);
      return builder().Store(RewriteBuffer(store->buffer()), parts.exprs[0], Shift(*region, parts.exprs.subspan(1)));
    }
    if (const auto alloc = stmt.As<Allocate>()) {
      const auto found = buffers_.find(alloc->buffer_var());
      if (found == buffers_.end()) return Rewriter::Leave(stmt, parts);
      const std::vector<PrimExpr> extents = AllocationShape(terms(), tables().buffer(found->second));
      return builder().Allocate(alloc->buffer_var(), alloc->dtype(), extents, parts.exprs.back(), parts.stmts[0],
                                alloc->annotations());
    }
    if (const auto block = stmt.As<Block>()) ShiftRegions(*block, parts.exprs);
    return Rewriter::Leave(stmt, parts);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (terms().kind(made) != PrimKind::kBufferLoad) return Rewriter::RewriteNode(old, made);
    const BufferId buffer = terms().buffer(made);
    const auto* region = RegionOf(buffer);
    if (region == nullptr) return made;
    return terms().BufferLoad(RewriteBuffer(buffer), Shift(*region, terms().operands(made)), terms().dtype(made));
  }

  auto RewriteBuffer(BufferId buffer) -> BufferId override {
    const auto found = buffers_.find(tables().buffer(buffer).data);
    return found == buffers_.end() ? buffer : found->second;
  }

 private:
  auto RegionOf(BufferId buffer) const -> const AccessedRegion* {
    const auto found = regions_.find(tables().buffer(buffer).data);
    return found == regions_.end() ? nullptr : &found->second;
  }

  auto Shift(const AccessedRegion& region, std::span<const PrimExpr> indices) const -> std::vector<PrimExpr> {
    std::vector<PrimExpr> shifted;
    shifted.reserve(indices.size());
    for (size_t i = 0; i < indices.size(); ++i) {
      shifted.push_back(arith::Sub(terms(), indices[i], region.ranges[i].min));
    }
    return shifted;
  }

  void ShiftRegions(const Block& block, std::span<PrimExpr> exprs) const {
    const auto shift = [&](const BlockRegion& region) {
      const auto* accessed = RegionOf(region.buffer);
      if (accessed == nullptr) return;
      for (size_t i = 0; i < region.ndim; ++i) {
        PrimExpr& min = exprs[region.first + 2 * i];
        min = arith::Sub(terms(), min, accessed->ranges[i].min);
      }
    };
    for (const BlockRegion& region : block.reads()) shift(region);
    for (const BlockRegion& region : block.writes()) shift(region);
    for (const BlockMatch& match : block.match_buffers()) shift(match.source);
  }

  // From the innermost dimension outwards; an aligned stride is `offset` modulo `factor`.
  auto AlignedStrides(std::span<const PrimExpr> shape, std::span<const StorageAlign> aligns) const
      -> std::vector<PrimExpr> {
    std::vector<PrimExpr> strides(shape.size());
    if (shape.empty()) return strides;
    PrimExpr stride = arith::MakeConst(terms(), terms().dtype(shape[0]), 1);
    for (size_t i = shape.size(); i-- > 0;) {
      StorageAlign align;
      for (const StorageAlign& candidate : aligns) {
        if (candidate.dimension == static_cast<int64_t>(i)) align = candidate;
      }
      if (align.factor != 0) {
        const PrimExpr factor = arith::MakeConst(terms(), terms().dtype(stride), align.factor);
        const PrimExpr offset = arith::MakeConst(terms(), terms().dtype(stride), align.offset);
        const PrimExpr missing =
            arith::Sub(terms(), arith::Add(terms(), factor, offset), arith::FloorMod(terms(), stride, factor));
        stride = arith::Add(terms(), stride, arith::FloorMod(terms(), missing, factor));
      }
      strides[i] = stride;
      stride = arith::Mul(terms(), stride, shape[i]);
    }
    return strides;
  }

  const AccessedRegions& regions_;
  BuffersByData buffers_;
};

struct CompactOptions {
  bool is_strict = true;
  static constexpr auto Fields() {
    return std::array{Option<&CompactOptions::is_strict>("what is outside of the shape does not count")};
  }
};

struct CompactBufferAllocationPass {
  using Options = CompactOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (func.IntAttr("from_legacy_te_schedule") != 0) return std::optional<PrimFunc>();
    RELAYOPT_TRY(const AccessedRegions regions, CollectAccessedRegions(func, options.is_strict));
    return BufferCompactor(func, regions).Run();
  }
};

}  // namespace

constinit const PassDef kCompactBufferAllocationPass = DescribePass<CompactBufferAllocationPass>({
    .name = "tir.CompactBufferAllocation",
    .summary = "Shrink buffers to the regions that are accessed",
    .details = R"(  for i in range(16):                     for i in range(16):
      B = T.alloc_buffer((16, 16))  ->        B = T.alloc_buffer((1, 16))
      for j in range(16):                     for j in range(16):
          B[i, j] = A[i, j]                       B[i - i, j] = A[i, j]

Loops inside of the allocation count with all their iterations, so do threads that share the memory; conditions narrow them.
Annotations buffer_dim_align give the buffer strides. Blocks have neither iteration variables nor an initialisation any more.)",
    .aliases = "tir.transform.CompactBufferAllocation",
});

}  // namespace relayopt::tir
