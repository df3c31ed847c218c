// LowerAutoCopy: copies that blocks leave to the compiler are distributed to threads and done by wide accesses.
//
// A block with the annotation "auto_copy" is a nest of loops around a store that copies one region to another. What is
// done depends on the memory of both:
//
//   from         to           rewrites
//   global       shared       fused, distributed to threads, vectorized (auto_copy_rules.cpp); with "local_stage"
//                             through memory of the thread
//   shared       global       first the loops follow the target, then the same
//   shared       wmma.matrix  T.tvm_load_matrix_sync of tiles (auto_copy_fragments.cpp)
//   wmma.accum.  shared       T.tvm_store_matrix_sync of tiles
//   wmma.accum.  global       the same to shared memory, then as from there
//
//   with T.block("S"):                                   for f_0 in range(4):
//       T.block_attr({"auto_copy": 1,                        for f_1 in T.thread_binding(8, thread="threadIdx.y"):
//                     "vector_bytes": 16})        ->             for f_2 in T.thread_binding(32, ...x):
//       for i, j in T.grid(32, 128):                                 for f_3 in T.vectorized(4):
//           S[i, j] = A[i, j]                                            S[f // 128 % 32, f % 128] = A[...]
//
// where f is ((f_0 * 8 + f_1) * 32 + f_2) * 4 + f_3. Shared memory that these copies access then gets strides with
// which a warp accesses all banks (auto_copy_padding.cpp).
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/annotations.h"
#include "lib/tir/transforms/utils/auto_copy.h"
#include "lib/tir/transforms/utils/block_regions.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kCopyForm{"auto-copy-form", Severity::kError,
                                   "tir.LowerAutoCopy: a block with auto_copy must be a nest of serial loops around "
                                   "one store, with one written region "
                                   "and one read region, or several of which one is a wmma.accumulator"};
constexpr DiagnosticKind kCopyUnsupported{"auto-copy-unsupported", Severity::kError,
                                          "tir.LowerAutoCopy: copies from {} to global memory are not supported"};

enum class MemoryRank : uint8_t { kGlobal, kShared, kFragmentInput, kFragmentResult, kOther };

auto RankOfScope(std::string_view scope) -> MemoryRank {
  if (scope.starts_with("global") && !scope.starts_with("global.texture")) return MemoryRank::kGlobal;
  if (scope.starts_with("shared")) return MemoryRank::kShared;
  if (scope == "wmma.matrix_a" || scope == "wmma.matrix_b") return MemoryRank::kFragmentInput;
  if (scope == "wmma.accumulator" || scope == "m16n8k8.matrixC") return MemoryRank::kFragmentResult;
  return MemoryRank::kOther;
}

auto FindThreadExtents(const PrimFunc& func) -> ThreadExtents {
  ThreadExtents extents;
  Walk(
      func.body(),
      [&](Stmt stmt) {
        const auto block = stmt.As<Block>();
        // The block is executed by whole warps.
        if (block && IntAnnotation(func.context(), block->annotations(), "warp_execution").value_or(0) != 0)
          extents[0] = 32;
        const auto loop = stmt.As<For>();
        if (!loop || loop->for_kind() != ForKind::kThreadBinding) return true;
        const std::string_view tag = func.context().text(func.tables().iter_var(loop->thread_binding()).thread_tag);
        const auto* const at = std::ranges::find(kThreadTags, tag);
        const auto extent = func.terms().AsInt(loop->extent());
        if (at != std::end(kThreadTags) && extent && *extent > 0 && *extent <= 1 << 20)
          extents[static_cast<size_t>(at - std::begin(kThreadTags))] = extent;
        return true;
      },
      [](Stmt) {});
  return extents;
}

class CopyLowerer : public Rewriter {
 public:
  explicit CopyLowerer(const PrimFunc& func)
      : Rewriter(func), threads_(FindThreadExtents(func)), padder_(tables(), threads_) {}

  auto padder() const -> const SharedMemoryPadder& { return padder_; }

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }

  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (const auto loop = stmt.As<For>()) loops_.push_back(stmt.id());
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (failed()) return {};
    if (stmt.is(StmtKind::kFor)) loops_.pop_back();
    const auto block = stmt.As<Block>();
    if (!block || IntAnnotation(context(), block->annotations(), "auto_copy").value_or(0) == 0)
      return Rewriter::Leave(stmt, parts);
    Result<StmtId> made = Lower(*block, parts.stmts.back());
    if (made) return *made;
    Fail(std::move(made).error());
    return {};
  }

 private:
  auto Lower(const Block& block, StmtId body) -> Result<StmtId> {
    const std::vector<BufferRegion> reads = RegionsOf(block, block.reads());
    const std::vector<BufferRegion> writes = RegionsOf(block, block.writes());
    const BufferRegion* read = reads.empty() ? nullptr : &reads[0];
    if (reads.size() > 1) {
      read = nullptr;
      for (const BufferRegion& region : reads) {
        if (tables().Scope(region.buffer) == "wmma.accumulator") read = &region;
      }
    }
    if (read == nullptr || writes.size() != 1) return MakeDiagnostic(kCopyForm, block.range());
    CopyBlock copy{*read, writes[0], 1, false, block.range()};
    copy.vector_bytes =
        std::clamp<int64_t>(IntAnnotation(context(), block.annotations(), "vector_bytes").value_or(1), 1, 1024);
    copy.local_stage = IntAnnotation(context(), block.annotations(), "local_stage").value_or(0) == 1;
    CopyNeeds needs;
    RELAYOPT_TRY(body, Rewrite(copy, body, needs));
    padder_.Need(needs);
    absl::flat_hash_map<PrimExpr, PrimExpr> outer;
    for (const StmtId id : loops_) {
      const For loop(func().stmt(id));
      outer[loop.loop_var()] = loop.min();
    }
    padder_.Analyze(builder().stmt(body), std::move(outer));
    BlockInfo info = block.info();
    info.alloc_buffers.insert(info.alloc_buffers.end(), needs.allocs.begin(), needs.allocs.end());
    const StmtId made = builder().Block(std::move(info), block.exprs(), body);
    if (block.range().valid()) builder().SetRange(made, block.range());
    return made;
  }

  auto Rewrite(const CopyBlock& copy, StmtId body, CopyNeeds& needs) -> Result<StmtId> {
    const std::string_view scope = tables().Scope(copy.read.buffer);
    const MemoryRank from = RankOfScope(scope);
    const MemoryRank to = RankOfScope(tables().Scope(copy.write.buffer));
    const bool to_shared = from == MemoryRank::kGlobal && to == MemoryRank::kShared;
    const bool to_global = from == MemoryRank::kShared && to == MemoryRank::kGlobal;
    const bool is_load = from == MemoryRank::kShared && to == MemoryRank::kFragmentInput;
    const bool is_store = scope == "wmma.accumulator" && to == MemoryRank::kShared;
    const bool is_out = scope == "wmma.accumulator" && to == MemoryRank::kGlobal;
    if (from == MemoryRank::kFragmentResult && to == MemoryRank::kGlobal && !is_out)
      return MakeDiagnostic(kCopyUnsupported, copy.range, scope);
    if (!to_shared && !to_global && !is_load && !is_store && !is_out) return body;
    std::optional<CopyNest> nest = ReadCopyNest(builder().stmt(body));
    if (!nest) return MakeDiagnostic(kCopyForm, copy.range);
    if (is_load || is_store) return CopyFragments(builder(), *std::move(nest), copy, is_load, needs);
    if (is_out) return CopyFragmentsOut(builder(), *std::move(nest), copy, threads_, ThreadLoops(), needs);
    if (to_global) {
      if (std::optional<Diagnostic> fault = InvertCopy(tables(), *nest, copy)) return *std::move(fault);
    }
    if (std::optional<Diagnostic> fault = CoalesceCopy(tables(), *nest, copy, threads_)) return *std::move(fault);
    if (to_shared && copy.local_stage) return StageCopy(builder(), *nest, needs);
    return WriteCopyNest(builder(), *nest);
  }

  // Returns the loops around over threads that share memory.
  auto ThreadLoops() const -> std::vector<CopyLoop> {
    std::vector<CopyLoop> threads;
    for (const StmtId id : loops_) {
      const For loop(func().stmt(id));
      if (loop.for_kind() != ForKind::kThreadBinding) continue;
      const std::string_view tag = context().text(tables().iter_var(loop.thread_binding()).thread_tag);
      if (!tag.starts_with("blockIdx"))
        threads.push_back({loop.loop_var(), loop.min(), loop.extent(), ForKind::kSerial, {}});
    }
    return threads;
  }

  ThreadExtents threads_;
  SharedMemoryPadder padder_;
  // The loops around the statement.
  std::vector<StmtId> loops_;
};

// Gives buffers their strides.
class PaddedBuffers : public Rewriter {
 public:
  PaddedBuffers(const PrimFunc& func, const SharedMemoryPadder& padder) : Rewriter(func), padder_(padder) {}

 protected:
  auto RewriteBuffer(BufferId buffer) -> BufferId override {
    const auto [at, is_new] = padded_.try_emplace(buffer);
    if (is_new) at->second = padder_.Pad(buffer);
    return at->second;
  }

 private:
  const SharedMemoryPadder& padder_;
  absl::flat_hash_map<BufferId, BufferId> padded_;
};

struct LowerAutoCopyPass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    CopyLowerer lowerer(func);
    RELAYOPT_TRY(std::optional<PrimFunc> made, lowerer.RunOrFail());
    if (!made) return made;
    if (std::optional<PrimFunc> padded = PaddedBuffers(*made, lowerer.padder()).Run()) return padded;
    return made;
  }
};

}  // namespace

auto ReadCopyNest(const Stmt& stmt) -> std::optional<CopyNest> {
  CopyNest nest;
  Stmt body = stmt;
  for (auto loop = body.As<For>(); loop; loop = body.As<For>()) {
    if (loop->for_kind() != ForKind::kSerial) return std::nullopt;
    nest.loops.push_back({loop->loop_var(), loop->min(), loop->extent(), ForKind::kSerial, {}});
    body = loop->body();
  }
  const auto store = body.As<BufferStore>();
  if (!store || nest.loops.empty()) return std::nullopt;
  nest.target = store->buffer();
  nest.value = store->value();
  nest.indices.assign(store->indices().begin(), store->indices().end());
  return nest;
}

auto WrapInLoops(StmtBuilder& builder, std::span<const CopyLoop> loops, StmtId body) -> StmtId {
  for (size_t i = loops.size(); i-- > 0;) {
    const CopyLoop& loop = loops[i];
    body = builder.For(loop.var, loop.min, loop.extent, loop.kind, body, loop.thread);
  }
  return body;
}

auto WriteCopyNest(StmtBuilder& builder, const CopyNest& nest) -> StmtId {
  StmtId body = builder.Store(nest.target, nest.value, nest.indices);
  if (nest.guard) body = builder.If(nest.guard, body);
  return WrapInLoops(builder, nest.loops, body);
}

constinit const PassDef kLowerAutoCopyPass = DescribePass<LowerAutoCopyPass>({
    .name = "tir.LowerAutoCopy",
    .summary = "Distribute copies that blocks leave to the compiler to threads, and pad shared memory",
    .details = R"(  with T.block("S"):                                   for f_0 in range(4):
      T.block_attr({"auto_copy": 1,                        for f_1 in T.thread_binding(8, thread="threadIdx.y"):
                    "vector_bytes": 16})        ->             for f_2 in T.thread_binding(32, ...x):
      for i, j in T.grid(32, 128):                                 for f_3 in T.vectorized(4):
          S[i, j] = A[i, j]                                            S[f // 128 % 32, f % 128] = A[...]

Acts on blocks with the annotation auto_copy: between global and shared memory as above, with local_stage through memory of
the thread; between shared memory and wmma fragments by T.tvm_load_matrix_sync and T.tvm_store_matrix_sync; from fragments to
global memory through shared memory. Shared memory that such copies access gets strides with which a warp accesses all banks.

Not supported: copies from fragments in m16n8k8.matrixC memory to global memory, and from shared to global memory other than in the order of
the loops or a permutation of it.)",
    .aliases = "tir.transform.LowerAutoCopy",
});

}  // namespace relayopt::tir
