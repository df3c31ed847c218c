// FlattenBuffer: buffers get as many dimensions as their memory has.
//
// Every buffer has a flat form, created once. Loads and stores use it, and their indices are combined (flatten.h) and
// simplified with the loops and conditions around (iteration maps); so what was split and fused before comes back to
// its simplest form:
//
//   for i, j in T.grid(16, 8):          A_1 = T.Buffer((128,), data=A.data)
//       A[i, j] = B[i, j]          ->   for i, j in T.grid(16, 8):
//                                           A_1[i * 8 + j] = B_1[i * 8 + j]
//
// Buffers of parameters stay in the signature, and the body
// uses flat ones on the same data. Booleans are kept as int8.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/analyzed_rewriter.h"
#include "lib/tir/transforms/utils/separated_buffers.h"
#include "relayopt/arith/fold.h"
#include "relayopt/tir/ir/flatten.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kMatchBuffers{
    "flatten-buffer-match", Severity::kError,
    "tir.FlattenBuffer: a block still has match_buffers: run tir.LowerMatchBuffer first"};
constexpr DiagnosticKind kSeparators{
    "flatten-buffer-separators", Severity::kError,
    "tir.FlattenBuffer: the buffer declared right inside of an allocation has axis separators and another shape"};

class BufferFlattener : public AnalyzedRewriter {
 public:
  explicit BufferFlattener(const PrimFunc& func) : AnalyzedRewriter(func), plain_(func.terms()) {
    MarkBufferMapShapes();
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (const auto block = stmt.As<Block>()) {
      if (!block->match_buffers().empty()) Fail(MakeDiagnostic(kMatchBuffers, stmt.range()));
      // Uses the knowledge from outside of the block.
      regions_.push_back(FlattenRegions(*block));
    }
    if (const auto alloc = stmt.As<Allocate>()) CheckAllocate(*alloc);
    return AnalyzedRewriter::Enter(stmt);
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    switch (stmt.kind()) {
      case StmtKind::kStore: return LeaveStore(BufferStore(stmt), parts);
      case StmtKind::kDeclBuffer: return parts.stmts[0];
      case StmtKind::kAllocate: return LeaveAllocate(Allocate(stmt), parts);
      case StmtKind::kBlock: return LeaveBlock(Block(stmt), parts);
      default: return AnalyzedRewriter::Leave(stmt, parts);
    }
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (terms().kind(made) != PrimKind::kBufferLoad) return AnalyzedRewriter::RewriteNode(old, made);
    const BufferId buffer = terms().buffer(made);
    const DataType type = terms().dtype(made);
    const std::vector<PrimExpr> indices = FlatIndices(buffer, terms().operands(made));
    if (type != DataType::Bool()) return terms().BufferLoad(Flat(buffer), indices, type);
    return arith::CastTo(terms(), type, terms().BufferLoad(Flat(buffer), indices, DataType::Int(8)));
  }

 private:
  struct Regions {
    std::vector<Range> reads;
    std::vector<Range> writes;
  };

  // As TVM: a new buffer also where nothing changes.
  auto Flat(BufferId id) -> BufferId {
    BufferId& flat = flat_[id];
    if (flat) return flat;
    Buffer made = tables().buffer(FlattenedBuffer(tables(), id));
    if (made.dtype == DataType::Bool()) made.dtype = DataType::Int(8);
    CountOffset(terms(), made);
    for (PrimExpr& extent : made.shape) extent = analyzer().CanonicalSimplify(extent);
    return flat = tables().Add(std::move(made));
  }

  auto FlatIndices(BufferId id, std::span<const PrimExpr> indices) -> std::vector<PrimExpr> {
    return SimplifyIndices(ElemOffset(plain_, tables().buffer(id), indices));
  }

  auto LeaveStore(BufferStore store, Parts parts) -> StmtId {
    PrimExpr value = parts.exprs[0];
    if (terms().dtype(value) == DataType::Bool()) value = arith::CastTo(terms(), DataType::Int(8), value);
    const std::vector<PrimExpr> indices = FlatIndices(store.buffer(), parts.exprs.subspan(1));
    return builder().Store(Flat(store.buffer()), value, indices);
  }

  // Whether the declaration directly inside of an allocation covers the whole allocation.
  auto Matches(const Allocate& alloc, const Buffer& buffer) const -> bool {
    return buffer.dtype == alloc.dtype() && std::ranges::equal(alloc.extents(), buffer.shape);
  }

  void CheckAllocate(const Allocate& alloc) {
    const auto decl = alloc.body().As<DeclBuffer>();
    if (alloc.extents().size() == 1 || !decl || failed()) return;
    const Buffer& buffer = tables().buffer(decl->buffer());
    if (!Matches(alloc, buffer) && !buffer.axis_separators.empty()) Fail(MakeDiagnostic(kSeparators, alloc.range()));
  }

  auto FlatExtents(const Allocate& alloc) -> std::vector<PrimExpr> {
    const std::span<const PrimExpr> extents = alloc.extents();
    if (extents.size() == 1) return {extents.begin(), extents.end()};
    const auto decl = alloc.body().As<DeclBuffer>();
    if (decl && Matches(alloc, tables().buffer(decl->buffer()))) return tables().buffer(Flat(decl->buffer())).shape;
    if (const BufferId buffer = separated_.On(alloc)) return tables().buffer(Flat(buffer)).shape;
    PrimExpr product = terms().Int32(1);
    for (const PrimExpr extent : extents) product = arith::Mul(terms(), product, extent);
    return {product};
  }

  auto LeaveAllocate(Allocate alloc, Parts parts) -> StmtId {
    const DataType type = alloc.dtype() == DataType::Bool() ? DataType::Int(8) : alloc.dtype();
    std::vector<PrimExpr> extents(parts.exprs.begin(), parts.exprs.end() - 1);
    if (extents.size() != 1) extents = FlatExtents(alloc);
    return builder().Allocate(alloc.buffer_var(), type, extents, parts.exprs.back(), parts.stmts[0],
                              alloc.annotations());
  }

  void FlattenRegion(const Block& block, const BlockRegion& region, std::vector<Range>& ranges) {
    const Bounds bounds = block.bounds(region);
    std::vector<PrimExpr> mins, maxs;
    for (size_t i = 0; i < region.ndim; ++i) {
      const PrimExpr end = arith::Add(terms(), bounds[2 * i], bounds[2 * i + 1]);
      mins.push_back(bounds[2 * i]);
      maxs.push_back(arith::Sub(terms(), end, terms().Int32(1)));
    }
    mins = FlatIndices(region.buffer, mins);
    maxs = FlatIndices(region.buffer, maxs);
    for (size_t i = 0; i < mins.size(); ++i) {
      // As TVM: not simplified.
      const PrimExpr end = arith::Add(terms(), maxs[i], terms().Int32(1));
      ranges.push_back({mins[i], terms().IsInt(mins[i], 0) ? end : arith::Sub(terms(), end, mins[i])});
    }
  }

  auto FlattenRegions(const Block& block) -> Regions {
    Regions made;
    for (const BlockRegion& region : block.reads()) FlattenRegion(block, region, made.reads);
    for (const BlockRegion& region : block.writes()) FlattenRegion(block, region, made.writes);
    for (std::vector<Range>* ranges : {&made.reads, &made.writes}) {
      for (Range& range : *ranges) range = {RewriteExpr(block, range.min), RewriteExpr(block, range.extent)};
    }
    return made;
  }

  auto LeaveBlock(Block block, Parts parts) -> StmtId {
    const Regions regions = std::move(regions_.back());
    regions_.pop_back();
    BlockInfo info = block.info();
    std::vector<PrimExpr> exprs(parts.exprs.begin(),
                                parts.exprs.begin() + static_cast<ptrdiff_t>(2 * info.axes.size()));
    const auto fill = [&](std::vector<BlockRegion>& list, const std::vector<Range>& ranges) {
      auto range = ranges.begin();
      for (BlockRegion& region : list) {
        region.buffer = Flat(region.buffer);
        region.first = static_cast<uint32_t>(exprs.size());
        region.ndim = static_cast<uint32_t>(tables().buffer(region.buffer).ndim());
        for (uint32_t i = 0; i < region.ndim; ++i, ++range) exprs.insert(exprs.end(), {range->min, range->extent});
      }
    };
    fill(info.reads, regions.reads);
    fill(info.writes, regions.writes);
    info.match_buffers.clear();
    for (BufferId& buffer : info.alloc_buffers) buffer = Flat(buffer);
    return builder().Block(std::move(info), exprs, parts.stmts.back(),
                           parts.stmts.size() == 2 ? parts.stmts[0] : StmtId());
  }

  // Has no knowledge of the program.
  arith::Analyzer plain_;
  SeparatedBuffers separated_{func()};
  absl::flat_hash_map<BufferId, BufferId> flat_;
  std::vector<Regions> regions_;
};

}  // namespace

constinit const PassDef kFlattenBufferPass = DescribePass<RewriterPass<BufferFlattener, OlderSchedules::kStay>>({
    .name = "tir.FlattenBuffer",
    .summary = "Access buffers of several dimensions through flat ones",
    .details = R"(  for i, j in T.grid(16, 8):          A_1 = T.Buffer((128,), data=A.data)
      A[i, j] = B[i, j]          ->   for i, j in T.grid(16, 8):
                                          A_1[i * 8 + j] = B_1[i * 8 + j]

Buffers of parameters stay as they are, flat ones stand beside them. Axis separators are kept: there the flat buffer has as many
dimensions. Indices are simplified with the loops and conditions around them, branches with a literal condition are decided,
booleans are stored as int8. match_buffers must be gone.)",
    .aliases = "tir.transform.FlattenBuffer",
});

}  // namespace relayopt::tir
