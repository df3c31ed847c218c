// ManifestSharedMemoryLocalStage: stores of a block to shared memory go through local memory of the thread first, so
// that all loads are under way before the first store waits for one.
//
// A block with the annotation "tir.manifest_shared_memory_local_stage" is a store to shared memory in a nest of serial
// and vectorized loops. The block that allocates this memory is around the nest. It also gets a buffer with one element
// for each iteration, and in front of the nest a copy that fills the buffer:
//
//   S = T.alloc_buffer((64,), scope="shared")        S = T.alloc_buffer((64,), scope="shared")
//   for i in range(4):                               S_local = T.alloc_buffer((4,), scope="local")
//       with T.block("S"):                           for i in range(4):
//           T.block_attr({"tir.manifest_...": 1})        with T.block(""):
//           S[i * 16 + tx] = A[i * 16 + tx]      ->          S_local[i] = A[i * 16 + tx]
//                                                    for i in range(4):
//                                                        with T.block("S"):
//                                                            S[i * 16 + tx] = S_local[i]
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/annotations.h"
#include "lib/tir/transforms/utils/block_regions.h"
#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

constexpr std::string_view kLocalStage = "tir.manifest_shared_memory_local_stage";

constexpr DiagnosticKind kStageStore{
    "local-stage-store", Severity::kError,
    "tir.ManifestSharedMemoryLocalStage: the body of the block must be a store to shared memory"};
constexpr DiagnosticKind kStageLoop{
    "local-stage-loop", Severity::kError,
    "tir.ManifestSharedMemoryLocalStage: loops around the block must be serial or vectorized"};
constexpr DiagnosticKind kStageNest{
    "local-stage-nest", Severity::kError,
    "tir.ManifestSharedMemoryLocalStage: a loop around the block must contain nothing but the nest"};
constexpr DiagnosticKind kStageHome{"local-stage-home", Severity::kError,
                                    "tir.ManifestSharedMemoryLocalStage: {} is not allocated by the block around the "
                                    "loops"};

class LocalStageInserter : public Rewriter {
 public:
  explicit LocalStageInserter(const PrimFunc& func) : Rewriter(func), parents_(Parents(func.stmts())) {}

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }

  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    const auto block = stmt.As<Block>();
    if (!block) return Descent::Into();
    starts_.push_back({stages_.size()});
    if (!HasAnnotation(context(), block->annotations(), kLocalStage)) return Descent::Into();
    starts_.pop_back();
    return Descent::Done(Stage(*block));
  }

  void EnterPart(Stmt stmt, size_t part, Exprs) override {
    // The stages of each statement of the body of a block are in front of it.
    if (stmt.is(StmtKind::kSeq) && IsBody(stmt)) starts_.back().elements.resize(part + 1, stages_.size());
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (failed()) return {};
    if (stmt.is(StmtKind::kSeq) && IsBody(stmt)) return LeaveBody(stmt, parts);
    const auto block = stmt.As<Block>();
    if (!block) return Rewriter::Leave(stmt, parts);
    const size_t start = starts_.back().block;
    starts_.pop_back();
    BlockInfo info = block->info();
    std::vector<StmtId> steps;
    for (size_t i = start; i < stages_.size(); ++i) {
      if (!Allocates(*block, stages_[i].target)) continue;
      info.alloc_buffers.push_back(stages_[i].buffer);
      if (!block->body().is(StmtKind::kSeq)) steps.push_back(stages_[i].made);
    }
    if (info.alloc_buffers.size() == block->alloc_buffers().size()) return Rewriter::Leave(stmt, parts);
    steps.push_back(parts.stmts.back());
    const StmtId made = builder().Block(std::move(info), parts.exprs, builder().Seq(steps),
                                        parts.stmts.size() == 2 ? parts.stmts[0] : StmtId());
    if (stmt.range().valid()) builder().SetRange(made, stmt.range());
    return made;
  }

 private:
  struct LocalStage {
    // The shared memory.
    BufferId target;
    BufferId buffer;
    // Fills the buffer.
    StmtId made;
  };
  // The number of stages at the beginning of an open block, and of each statement of its body.
  struct Starts {
    size_t block;
    std::vector<size_t> elements;
  };

  auto IsBody(Stmt stmt) const -> bool {
    const StmtId parent = parents_[stmt.id()];
    const auto block = parent ? func().stmt(parent).As<Block>() : std::nullopt;
    return block && block->body() == stmt;
  }

  static auto Allocates(const Block& block, BufferId buffer) -> bool {
    return std::ranges::find(block.alloc_buffers(), buffer) != block.alloc_buffers().end();
  }

  auto LeaveBody(Stmt seq, Parts parts) -> StmtId {
    const Block block(func().stmt(parents_[seq.id()]));
    const std::vector<size_t>& elements = starts_.back().elements;
    std::vector<StmtId> steps;
    for (size_t i = 0; i < parts.stmts.size(); ++i) {
      const size_t end = i + 1 < elements.size() ? elements[i + 1] : stages_.size();
      for (size_t k = elements[i]; k < end; ++k) {
        if (Allocates(block, stages_[k].target)) steps.push_back(stages_[k].made);
      }
      steps.push_back(parts.stmts[i]);
    }
    return builder().Seq(steps);
  }

  auto Fail(Diagnostic fault) -> StmtId {
    Rewriter::Fail(std::move(fault));
    return {};
  }

  // Returns the marked block, which takes its value from a new stage.
  auto Stage(const Block& block) -> StmtId {
    const auto store = block.body().As<BufferStore>();
    if (!store || !tables().Scope(store->buffer()).starts_with("shared"))
      return Fail(MakeDiagnostic(kStageStore, block.range()));
    const BufferId target = store->buffer();
    const std::vector<For> loops = Nest(block, target);
    if (failed()) return {};
    std::vector<PrimExpr> indices;
    std::vector<PrimExpr> shape;
    for (const For& loop : loops) {
      indices.push_back(arith::Sub(terms(), loop.loop_var(), loop.min()));
      shape.push_back(loop.extent());
    }
    // A store of several elements takes as many of the stage.
    const DataType value = terms().dtype(store->value());
    if (const int lanes = value.lanes / tables().buffer(target).dtype.lanes; lanes > 1) {
      const DataType index = DataType::Int(32);
      indices.push_back(terms().Ramp(terms().IntImm(index, 0), terms().IntImm(index, 1), lanes));
      shape.push_back(terms().IntImm(index, lanes));
    }
    const BufferId local = LocalBuffer(target, shape);
    stages_.push_back({target, local, MakeStage(block, *store, local, indices, loops)});
    BlockInfo info = block.info();
    info.annotations = WithoutAnnotations(context(), block.annotations(), {{kLocalStage}});
    const PrimExpr load = terms().BufferLoad(local, indices, value);
    const StmtId made = builder().Block(std::move(info), block.exprs(), builder().Store(target, load, store->indices()),
                                        block.has_init() ? builder().CopyTree(block.init()) : StmtId());
    if (block.range().valid()) builder().SetRange(made, block.range());
    return made;
  }

  // Returns the loops between the block and the one that allocates the target, outermost first.
  auto Nest(const Block& block, BufferId target) -> std::vector<For> {
    std::vector<For> loops;
    const auto home_fault = [&] {
      Fail(MakeDiagnostic(kStageHome, block.range(), context().text(tables().buffer(target).name)));
      return std::vector<For>();
    };
    // The realization of the block.
    StmtId id = parents_[parents_[block.id()]];
    for (; id && !func().stmt(id).is(StmtKind::kBlock); id = parents_[id]) {
      const auto loop = func().stmt(id).As<For>();
      if (!loop) {
        // Another statement of the block around.
        const bool is_body = func().stmt(id).is(StmtKind::kSeq) && IsBody(func().stmt(id));
        if (is_body) continue;
        Fail(MakeDiagnostic(kStageNest, block.range()));
        return {};
      }
      if (loop->for_kind() != ForKind::kSerial && loop->for_kind() != ForKind::kVectorized) {
        Fail(MakeDiagnostic(kStageLoop, loop->range()));
        return {};
      }
      loops.push_back(*loop);
    }
    if (!id || !Allocates(Block(func().stmt(id)), target)) return home_fault();
    std::reverse(loops.begin(), loops.end());
    return loops;
  }

  auto LocalBuffer(BufferId target, std::vector<PrimExpr> shape) -> BufferId {
    Buffer buffer = tables().buffer(target);
    const auto& data = terms().var(buffer.data);
    buffer.data = terms().Var(fmt::format("{}_local", context().text(data.name)),
                              VarType::Pointer(data.type.dtype, context().Intern("local")));
    buffer.name = context().Intern(fmt::format("{}_local", context().text(buffer.name)));
    buffer.shape = std::move(shape);
    buffer.strides.clear();
    buffer.axis_separators.clear();
    return tables().Add(std::move(buffer));
  }

  auto MakeStage(const Block& block, const BufferStore& store, BufferId local, std::span<const PrimExpr> indices,
                 const std::vector<For>& loops) -> StmtId {
    BlockInfo info;
    info.name = context().Intern("");
    std::vector<PrimExpr> exprs;
    AppendRegions(RegionsOf(block, block.reads()), info.reads, exprs);
    BufferRegion written{local, {}};
    for (const PrimExpr index : indices) {
      const DataType type = terms().dtype(index);
      const PrimExpr first = type.lanes > 1 ? terms().operand(index, 0) : index;
      written.ranges.push_back({first, arith::MakeConst(terms(), arith::ElementOf(type), int64_t{type.lanes})});
    }
    AppendRegions({&written, 1}, info.writes, exprs);
    StmtId made = builder().Block(std::move(info), exprs, builder().Store(local, store.value(), indices));
    const BlockRealize realize(func().stmt(parents_[block.id()]));
    made = builder().BlockRealize({}, realize.predicate(), made);
    VarMap copies;
    for (size_t i = loops.size(); i-- > 0;) {
      const For& loop = loops[i];
      const PrimExpr var = terms().CopyVar(loop.loop_var(), context().text(terms().var(loop.loop_var()).name));
      copies[loop.loop_var()] = var;
      made = builder().For(var, loop.min(), loop.extent(), loop.for_kind(), made, {}, loop.annotations());
    }
    return Substitute(builder(), builder().stmt(made), copies);
  }

  SideTable<StmtId, StmtId> parents_;
  std::vector<LocalStage> stages_;
  std::vector<Starts> starts_;
};

}  // namespace

constinit const PassDef kManifestSharedMemoryLocalStagePass = DescribePass<RewriterPass<LocalStageInserter>>({
    .name = "tir.ManifestSharedMemoryLocalStage",
    .summary = "Load to memory of the thread before storing to shared memory, where blocks ask for it",
    .details = R"(  S = T.alloc_buffer((64,), scope="shared")        S = T.alloc_buffer((64,), scope="shared")
  for i in range(4):                               S_local = T.alloc_buffer((4,), scope="local")
      with T.block("S"):                           for i in range(4):
          T.block_attr({"tir.manifest_...": 1})        with T.block(""):
          S[i * 16 + tx] = A[i * 16 + tx]      ->          S_local[i] = A[i * 16 + tx]
                                                   for i in range(4):
                                                       with T.block("S"):
                                                           S[i * 16 + tx] = S_local[i]

Acts on blocks with the annotation tir.manifest_shared_memory_local_stage. Such a block is a store to shared memory that the
block around its loops allocates; these loops are serial or vectorized.)",
    .aliases = "tir.transform.ManifestSharedMemoryLocalStage",
    .idempotent = true,
});

}  // namespace relayopt::tir
