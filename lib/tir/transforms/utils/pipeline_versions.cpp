// How many versions of its buffers a software pipeline needs, and accesses to the version of an iteration.
//
// A buffer that is written in stage d and read last in stage u is in use for u - d + 1 iterations of the new loop, so
// it gets that many versions. Two of them are only needed if a step reads what an earlier step of the same iteration
// of the new loop writes for the next one.
//
//   S[0, j]   ->   S[(i - min) % 2, 0, j]
#include <algorithm>

#include "lib/tir/transforms/utils/block_regions.h"
#include "lib/tir/transforms/utils/software_pipeline.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kPipelineAccess{
    "pipeline-access", Severity::kError,
    "tir.InjectSoftwarePipeline: {} needs several versions, and this statement accesses its memory by {}"};

// The operands of an intrinsic that are a pointer to a buffer and an offset from it.
struct PointerRow {
  std::string_view op;
  uint32_t pointer;
  uint32_t offset;
  // Whether the offset counts fragments.
  bool is_fragment;
};
constexpr PointerRow kPointerRows[] = {
    {"tir.tvm_load_matrix_sync"_intrin, 0, 4, true},
    {"tir.tvm_store_matrix_sync"_intrin, 0, 4, true},
    {"tir.tvm_fill_fragment"_intrin, 0, 4, true},
    {"tir.tvm_mma_sync"_intrin, 0, 1, true},
    {"tir.tvm_mma_sync"_intrin, 2, 3, true},
    {"tir.tvm_mma_sync"_intrin, 4, 5, true},
    {"tir.tvm_mma_sync"_intrin, 6, 7, true},
    {"tir.tvm_access_ptr"_intrin, 1, 2, false},
    {"tir.ptx_mma"_intrin, 6, 7, false},
    {"tir.ptx_mma"_intrin, 8, 9, false},
    {"tir.ptx_mma"_intrin, 10, 11, false},
    {"tir.ptx_ldmatrix"_intrin, 3, 4, false},
};

class VersionSelector {
 public:
  VersionSelector(StmtBuilder& builder, const SoftwarePipeline& pipeline, const VersionedBuffers& versions,
                  const FragmentSizes& fragments)
      : builder_(builder),
        terms_(builder.terms()),
        tables_(builder.tables()),
        versions_(versions),
        fragments_(fragments),
        iteration_(arith::Sub(terms_, pipeline.var, pipeline.min)),
        access_all_(std::ranges::max(pipeline.steps, {}, &PipelineStep::stage).stage != 1),
        exprs_(terms_, [this](PrimExpr old, PrimExpr made) { return Node(old, made); }) {
    for (const auto& [buffer, versioned] : versions) by_data_[tables_.buffer(buffer).data] = buffer;
    for (const PointerRow& row : kPointerRows) rows_.emplace_back(terms_.Intrinsic(row.op), &row);
  }

  auto Run(StmtId root) -> Result<StmtId> {
    std::vector<StmtId> done;
    Walk(
        builder_.stmt(root), [this](Stmt stmt) { return Check(stmt), !fault_; },
        [&](Stmt stmt) {
          if (fault_) return;
          const StmtId made = Leave(stmt, std::span(done).last(stmt.num_parts()));
          done.resize(done.size() - stmt.num_parts());
          done.push_back(made);
        });
    if (fault_) return *std::move(fault_);
    return done.back();
  }

 private:
  // Accesses that no version could be selected for.
  void Check(Stmt stmt) {
    range_ = stmt.range().valid() ? stmt.range() : range_;
    if (const auto store = stmt.As<BufferStore>()) CheckBuffer(store->buffer());
    if (const auto realize = stmt.As<BufferRealize>()) Fail(realize->buffer(), "T.realize");
    if (const auto decl = stmt.As<DeclBuffer>()) Fail(decl->buffer(), "T.decl_buffer");
    if (const auto prefetch = stmt.As<Prefetch>()) Fail(prefetch->buffer(), "T.prefetch");
    if (const auto attr = stmt.As<AttrStmt>()) {
      if (const PrimExpr node = attr->node().expr()) CheckExpr(node);
      if (const BufferId buffer = attr->node().buffer()) Fail(buffer, "an attribute");
    }
    if (const auto block = stmt.As<Block>()) {
      for (const BlockMatch& match : block->match_buffers()) {
        Fail(match.source.buffer, "match_buffer: run tir.LowerMatchBuffer first");
      }
    }
    for (const PrimExpr expr : stmt.exprs()) CheckExpr(expr);
  }

  void CheckExpr(PrimExpr root) {
    std::vector<PrimExpr> stack = {root};
    while (!stack.empty()) {
      const PrimExpr e = stack.back();
      stack.pop_back();
      if (!checked_.insert(e).second) continue;
      if (terms_.is_var(e)) {
        if (const auto found = by_data_.find(e); found != by_data_.end()) Fail(found->second, "its pointer");
        continue;
      }
      if (terms_.kind(e) == PrimKind::kBufferLoad) CheckBuffer(terms_.buffer(e));
      const auto operands = terms_.operands(e);
      for (size_t i = 0; i < operands.size(); ++i) {
        if (!IsPointer(e, i)) stack.push_back(operands[i]);
      }
    }
  }

  // Whether the operand is a pointer whose offset this class rewrites.
  auto IsPointer(PrimExpr call, size_t operand) const -> bool {
    if (terms_.kind(call) != PrimKind::kCall || !terms_.is_var(terms_.operand(call, operand))) return false;
    return std::ranges::any_of(rows_, [&](const auto& row) {
      return row.second->pointer == operand && terms_.IsCall(call, row.first) &&
             row.second->offset < terms_.num_operands(call);
    });
  }

  void CheckBuffer(BufferId buffer) {
    if (!versions_.contains(buffer)) Fail(buffer, "another buffer");
  }

  // Fails if the memory of the buffer has several versions.
  void Fail(BufferId buffer, std::string_view how) {
    const auto found = by_data_.find(tables_.buffer(buffer).data);
    if (found == by_data_.end() || fault_) return;
    const StringId name = tables_.buffer(found->second).name;
    fault_ = MakeDiagnostic(kPipelineAccess, range_, builder_.context().text(name), how);
  }

  auto Version(BufferId versioned) -> PrimExpr {
    return arith::FloorMod(terms_, iteration_, tables_.buffer(versioned).shape[0]);
  }

  auto Node(PrimExpr, PrimExpr made) -> PrimExpr {
    if (terms_.kind(made) == PrimKind::kBufferLoad) {
      const auto found = versions_.find(terms_.buffer(made));
      if (found == versions_.end()) return made;
      std::vector<PrimExpr> indices = {Version(found->second)};
      const auto old = terms_.operands(made);
      indices.insert(indices.end(), old.begin(), old.end());
      return terms_.BufferLoad(found->second, indices, terms_.dtype(made));
    }
    return terms_.kind(made) == PrimKind::kCall ? Call(made) : made;
  }

  auto Call(PrimExpr call) -> PrimExpr {
    std::vector<PrimExpr> args(terms_.operands(call).begin(), terms_.operands(call).end());
    for (const auto& [op, row] : rows_) {
      if (!terms_.IsCall(call, op) || row->offset >= args.size()) continue;
      const auto found = by_data_.find(args[row->pointer]);
      if (found == by_data_.end()) continue;
      const BufferId versioned = versions_.at(found->second);
      const PrimExpr step = row->is_fragment ? FragmentStep(found->second) : ElementStep(found->second, versioned);
      const PrimExpr start = arith::Mul(terms_, Version(versioned), step);
      args[row->offset] = arith::Add(terms_, args[row->offset], start);
    }
    return terms_.WithOperands(call, args);
  }

  auto NumElements(BufferId id) -> PrimExpr {
    PrimExpr product = terms_.Int32(1);
    for (const PrimExpr extent : tables_.buffer(id).shape) product = arith::Mul(terms_, product, extent);
    return product;
  }

  // Returns the distance of two versions, in fragments.
  auto FragmentStep(BufferId id) -> PrimExpr {
    const auto found = fragments_.find(tables_.buffer(id).data);
    if (found == fragments_.end()) {
      Fail(id, "fragments of unknown size");
      return terms_.Int32(0);
    }
    return arith::FloorDiv(terms_, NumElements(id), terms_.Int32(found->second));
  }

  // The same in elements.
  auto ElementStep(BufferId id, BufferId versioned) -> PrimExpr {
    const Buffer& buffer = tables_.buffer(versioned);
    const PrimExpr step = buffer.strides.empty() ? NumElements(id) : buffer.strides[0];
    const std::string_view scope = tables_.Scope(id);
    if (scope != "m16n8k8.matrixA" && scope != "m16n8k8.matrixB") return step;
    // The 32 threads of a warp share such memory.
    const auto elements = terms_.AsInt(step);
    if (!elements || *elements % 32 != 0) Fail(id, "elements that a warp cannot share evenly");
    return arith::FloorDiv(terms_, step, terms_.Int32(32));
  }

  auto Leave(Stmt stmt, std::span<const StmtId> parts) -> StmtId {
    auto exprs = MapToVector<PrimExpr>(stmt.exprs(), [&](PrimExpr expr) { return exprs_(expr); });
    if (const auto block = stmt.As<Block>()) return LeaveBlock(*block, exprs, parts);
    const auto store = stmt.As<BufferStore>();
    const auto found = store ? versions_.find(store->buffer()) : versions_.end();
    if (found == versions_.end()) return builder_.Copy(stmt, parts, exprs);
    exprs.insert(exprs.begin() + 1, Version(found->second));
    const SourceRange range = stmt.range();
    const StmtId made = builder_.Store(found->second, exprs[0], std::span(exprs).subspan(1));
    if (range.valid()) builder_.SetRange(made, range);
    return made;
  }

  auto LeaveBlock(const Block& block, std::span<const PrimExpr> old, std::span<const StmtId> parts) -> StmtId {
    BlockInfo info = block.info();
    const auto num_axis_exprs = static_cast<ptrdiff_t>(2 * info.axes.size());
    std::vector<PrimExpr> exprs(old.begin(), old.begin() + num_axis_exprs);
    const auto take = [&](BlockRegion& region) {
      const auto bounds = old.subspan(region.first, size_t{2} * region.ndim);
      region.first = static_cast<uint32_t>(exprs.size());
      if (const auto found = versions_.find(region.buffer); found != versions_.end()) {
        const PrimExpr all = tables_.buffer(found->second).shape[0];
        const Range range = access_all_ ? Range{terms_.Int32(0), all} : Range{Version(found->second), terms_.Int32(1)};
        exprs.insert(exprs.end(), {range.min, range.extent});
        region.buffer = found->second;
        ++region.ndim;
      }
      exprs.insert(exprs.end(), bounds.begin(), bounds.end());
    };
    for (BlockRegion& region : info.reads) take(region);
    for (BlockRegion& region : info.writes) take(region);
    for (BlockMatch& match : info.match_buffers) take(match.source);
    const SourceRange range = block.range();
    const StmtId made = builder_.Block(std::move(info), exprs, parts.back(), parts.size() == 2 ? parts[0] : StmtId());
    if (range.valid()) builder_.SetRange(made, range);
    return made;
  }

  StmtBuilder& builder_;
  Terms& terms_;
  Tables& tables_;
  const VersionedBuffers& versions_;
  const FragmentSizes& fragments_;
  PrimExpr iteration_;
  // As TVM: regions name the version only if all stages are 0 or 1; otherwise they cover all versions.
  bool access_all_;
  ExprRewriter exprs_;
  // The buffers with several versions.
  BuffersByData by_data_;
  std::vector<std::pair<arith::CallOpId, const PointerRow*>> rows_;
  absl::flat_hash_set<PrimExpr> checked_;
  SourceRange range_;
  std::optional<Diagnostic> fault_;
};

// Counts the versions that buffers need.
class VersionCounter {
 public:
  VersionCounter(Terms& terms, const SoftwarePipeline& pipeline) : analyzer_(terms), pipeline_(pipeline) {
    for (const PipelineStep& step : pipeline.steps) {
      for (const BufferRegion& write : step.writes) {
        Use& use = uses_[write.buffer];
        use.first_write = use.first_write < 0 ? step.stage : std::min(use.first_write, step.stage);
      }
      for (const BufferRegion& read : step.reads) {
        Use& use = uses_[read.buffer];
        use.last_read = std::max(use.last_read, step.stage);
      }
    }
  }

  auto Count(BufferId buffer) -> int64_t {
    const auto found = uses_.find(buffer);
    if (found == uses_.end() || found->second.first_write < 0) return 1;
    const int64_t most = found->second.last_read - found->second.first_write + 1;
    return most == 2 && !IsReadLater(buffer) ? 1 : std::max<int64_t>(most, 1);
  }

 private:
  // The stages of the first write and the last read of a buffer; -1: none.
  struct Use {
    int64_t first_write = -1;
    int64_t last_read = -1;
  };

  static auto Find(const std::vector<BufferRegion>& regions, BufferId buffer) -> const BufferRegion* {
    const auto found = std::ranges::find(regions, buffer, &BufferRegion::buffer);
    return found == regions.end() ? nullptr : &*found;
  }

  // Whether a step reads what an earlier step of an earlier stage may write.
  auto IsReadLater(BufferId buffer) -> bool {
    for (const PipelineStep& writer : pipeline_.steps) {
      const BufferRegion* write = Find(writer.writes, buffer);
      if (write == nullptr) continue;
      for (const PipelineStep& reader : pipeline_.steps) {
        if (writer.order >= reader.order || writer.stage >= reader.stage) continue;
        const BufferRegion* read = Find(reader.reads, buffer);
        if (read != nullptr && MayOverlap(*write, *read)) return true;
      }
    }
    return false;
  }

  auto MayOverlap(const BufferRegion& a, const BufferRegion& b) -> bool {
    Terms& terms = analyzer_.terms();
    for (size_t i = 0; i < a.ranges.size() && i < b.ranges.size(); ++i) {
      const arith::IntSet sets[] = {arith::SetFromRange(terms, a.ranges[i]), arith::SetFromRange(terms, b.ranges[i])};
      if (arith::IsEmptySet(terms, arith::IntersectSets(analyzer_, sets))) return false;
    }
    return true;
  }

  arith::Analyzer analyzer_;
  const SoftwarePipeline& pipeline_;
  absl::flat_hash_map<BufferId, Use> uses_;
};

auto WithVersions(Tables& tables, BufferId id, int64_t versions) -> BufferId {
  Terms& terms = tables.terms();
  Buffer buffer = tables.buffer(id);
  if (!buffer.strides.empty()) {
    const PrimExpr stride = arith::Mul(terms, buffer.strides[0], buffer.shape[0]);
    buffer.strides.insert(buffer.strides.begin(), stride);
  }
  buffer.shape.insert(buffer.shape.begin(), terms.Int32(versions));
  for (int32_t& separator : buffer.axis_separators) ++separator;
  return tables.Add(std::move(buffer));
}

}  // namespace

auto CollectFragmentSizes(const PrimFunc& func) -> FragmentSizes {
  Terms& terms = func.terms();
  const arith::CallOpId ops[] = {terms.Intrinsic("tir.tvm_load_matrix_sync"_intrin),
                                 terms.Intrinsic("tir.tvm_store_matrix_sync"_intrin),
                                 terms.Intrinsic("tir.tvm_fill_fragment"_intrin)};
  FragmentSizes sizes;
  ForEachTerm(func.body(), [&](PrimExpr e) {
    if (terms.kind(e) != PrimKind::kCall || std::ranges::find(ops, terms.call_op(e)) == std::end(ops)) return;
    const auto args = terms.operands(e);
    if (args.size() < 4 || !terms.is_var(args[0])) return;
    const auto m = terms.AsInt(args[1]);
    const auto n = terms.AsInt(args[2]);
    const auto k = terms.AsInt(args[3]);
    if (!m || !n || !k) return;
    const std::string_view scope = ScopeOf(terms, func.context(), args[0]);
    int64_t size = 0;
    const bool overflow = scope == "wmma.matrix_a"   ? __builtin_mul_overflow(*m, *k, &size)
                          : scope == "wmma.matrix_b" ? __builtin_mul_overflow(*n, *k, &size)
                                                     : __builtin_mul_overflow(*m, *n, &size);
    if (!overflow && size > 0 && size <= INT32_MAX) sizes[args[0]] = size;
  });
  return sizes;
}

auto MakeVersions(Tables& tables, const SoftwarePipeline& pipeline, const absl::flat_hash_set<BufferId>& doubled)
    -> VersionedBuffers {
  VersionedBuffers versions;
  VersionCounter counter(tables.terms(), pipeline);
  for (const BufferId buffer : pipeline.allocs) {
    int64_t count = counter.Count(buffer);
    if (count == 1 && doubled.contains(buffer)) count = 2;
    if (count > 1) versions[buffer] = WithVersions(tables, buffer, count);
  }
  return versions;
}

auto SelectVersions(StmtBuilder& builder, const SoftwarePipeline& pipeline, const VersionedBuffers& versions,
                    const FragmentSizes& fragments, StmtId block) -> Result<StmtId> {
  return VersionSelector(builder, pipeline, versions, fragments).Run(block);
}

}  // namespace relayopt::tir
