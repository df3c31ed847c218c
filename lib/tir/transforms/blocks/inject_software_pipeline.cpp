// InjectSoftwarePipeline: the steps of a loop work on different iterations at the same time.
//
// A loop with the annotations "software_pipeline_stage" and "software_pipeline_order" has a sequence of statements as
// its body, each with a stage and an order. In the new loop the statements are in that order, and each works on the
// iteration that its stage is behind. Thus a load may run ahead of the computation that needs it:
//
//   for i in T.serial(16, annotations=                    with T.block(""):
//           {"software_pipeline_stage": [0, 1],               S = T.alloc_buffer((2, 1, 8))
//            "software_pipeline_order": [0, 1]}):             load S[0, 0, j] for i = 0
//       with T.block(""):                              ->     for i in range(15):
//           S = T.alloc_buffer((1, 8))                            load S[(i + 1) % 2, 0, j] for i + 1
//           load S[0, j]                                          use S[i % 2, 0, j] for i
//           use S[0, j]                                       use S[1, 0, j] for i = 15
//
// Inner loops come first. For each loop:
//
//   1. Its statements become blocks; those of a block that is a sequence count one by one (ReadSteps).
//   2. Accesses that depend on each other must stay in order (pipeline_dependences.cpp).
//   3. Buffers that are written while they are still read get several versions (pipeline_versions.cpp).
//   4. Prologue, loop and epilogue are made (pipeline_loops.cpp).
//
// The body triples, so nested pipelines grow without bound; a loop whose statements would become too many stays a loop.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "lib/tir/transforms/utils/annotations.h"
#include "lib/tir/transforms/utils/block_regions.h"
#include "lib/tir/transforms/utils/software_pipeline.h"
#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

constexpr std::string_view kPipelineStage = "software_pipeline_stage";
constexpr std::string_view kPipelineOrder = "software_pipeline_order";
constexpr std::string_view kPipelineAsync = "software_pipeline_async_stages";
constexpr std::string_view kPipelineKeys[] = {kPipelineStage, kPipelineOrder, kPipelineAsync};

constexpr int64_t kMaxStage = 4096;
constexpr size_t kMaxSteps = 1024;
// The statements that pipelines may add to a function.
constexpr size_t kMaxAddedStatements = 500'000;

constexpr DiagnosticKind kPipelineMissing{"pipeline-missing", Severity::kError,
                                          "tir.InjectSoftwarePipeline: the loop has {}, but not {}"};
constexpr DiagnosticKind kPipelineList{"pipeline-list", Severity::kError,
                                       "tir.InjectSoftwarePipeline: {} must be a list of integers"};
constexpr DiagnosticKind kPipelineBody{
    "pipeline-body", Severity::kError,
    "tir.InjectSoftwarePipeline: the body of a software pipeline must be a sequence of statements"};
constexpr DiagnosticKind kPipelineCount{"pipeline-count", Severity::kError,
                                        "tir.InjectSoftwarePipeline: {} has {} entries for {} statements"};
constexpr DiagnosticKind kPipelineOrders{
    "pipeline-orders", Severity::kError,
    "tir.InjectSoftwarePipeline: the orders of {} statements must be the numbers from 0 to {}, each once"};
constexpr DiagnosticKind kPipelineStages{"pipeline-stages", Severity::kError,
                                         "tir.InjectSoftwarePipeline: stages must be from 0 to {}, found {}"};
constexpr DiagnosticKind kPipelineBlock{"pipeline-block", Severity::kError,
                                        "tir.InjectSoftwarePipeline: a block still has {}: run {} first"};
constexpr DiagnosticKind kPipelineGuard{
    "pipeline-guard", Severity::kError,
    "tir.InjectSoftwarePipeline: the block around the statements of a software pipeline must not have a condition"};
constexpr DiagnosticKind kPipelineKind{"pipeline-kind", Severity::kError,
                                       "tir.InjectSoftwarePipeline: only serial and unrolled loops can be pipelined"};
constexpr DiagnosticKind kPipelineDoubleBuffer{
    "pipeline-double-buffer", Severity::kError,
    "tir.InjectSoftwarePipeline: double_buffer_scope must be the index of a written buffer, from 0 to {}"};
constexpr DiagnosticKind kPipelineLarge{
    "pipeline-large", Severity::kWarning,
    "tir.InjectSoftwarePipeline: this loop is not pipelined, because more than {} statements would be added"};

class PipelineInjector : public Rewriter {
 public:
  PipelineInjector(const PrimFunc& func, DiagnosticSink& sink)
      : Rewriter(func), fragments_(CollectFragmentSizes(func)), sink_(sink) {
    for (const BufferBinding& binding : func.buffer_map()) {
      known_[tables().buffer(binding.buffer).data] = binding.buffer;
    }
  }

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }

  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (const auto block = stmt.As<Block>()) {
      for (const BufferId buffer : block->alloc_buffers()) known_[tables().buffer(buffer).data] = buffer;
      NoteDoubleBuffer(*block);
    }
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (const auto block = stmt.As<Block>()) {
      for (const BufferId buffer : block->alloc_buffers()) known_.erase(tables().buffer(buffer).data);
    }
    const auto loop = stmt.As<For>();
    if (!loop || failed() || !IsPipelined(*loop)) return Rewriter::Leave(stmt, parts);
    if (!HasRoom(parts.stmts[0])) {
      sink_.Report(MakeDiagnostic(kPipelineLarge, stmt.range(), kMaxAddedStatements));
      const ObjectId rest = WithoutAnnotations(context(), loop->annotations(), kPipelineKeys);
      return builder().For(loop->loop_var(), loop->min(), loop->extent(), loop->for_kind(), parts.stmts[0],
                           loop->thread_binding(), rest);
    }
    Result<StmtId> made = Pipeline(*loop, parts.stmts[0]);
    if (made) return *made;
    Fail(std::move(made).error());
    return {};
  }

 private:
  void NoteDoubleBuffer(const Block& block) {
    const ObjectId value = FindAnnotation(context(), block.annotations(), "double_buffer_scope");
    if (!value) return;
    const auto index = IntAnnotation(context(), block.annotations(), "double_buffer_scope");
    if (!index || *index < 0 || static_cast<size_t>(*index) >= block.writes().size()) {
      Fail(MakeDiagnostic(kPipelineDoubleBuffer, block.range(), static_cast<int64_t>(block.writes().size()) - 1));
      return;
    }
    doubled_.insert(block.writes()[static_cast<size_t>(*index)].buffer);
  }

  auto IsPipelined(const For& loop) -> bool {
    const bool stage = HasAnnotation(context(), loop.annotations(), kPipelineStage);
    const bool order = HasAnnotation(context(), loop.annotations(), kPipelineOrder);
    if (stage != order) {
      Fail(MakeDiagnostic(kPipelineMissing, loop.range(), stage ? kPipelineStage : kPipelineOrder,
                          stage ? kPipelineOrder : kPipelineStage));
    }
    return stage && order;
  }

  // Whether twice the statement may be added to the function.
  auto HasRoom(StmtId body) -> bool {
    size_t count = 0;
    const size_t room = (kMaxAddedStatements - added_) / 2;
    Walk(
        builder().stmt(body), [&](Stmt) { return ++count <= room; }, [](Stmt) {});
    if (count > room) return false;
    added_ += 2 * count;
    return true;
  }

  auto Pipeline(const For& loop, StmtId body) -> Result<StmtId> {
    if (loop.for_kind() != ForKind::kSerial && loop.for_kind() != ForKind::kUnrolled) {
      return MakeDiagnostic(kPipelineKind, loop.range());
    }
    SoftwarePipeline pipeline{loop.loop_var(), loop.min(), loop.extent(), loop.for_kind(), {}, loop.range(), {}, {}};
    pipeline.annotations = WithoutAnnotations(context(), loop.annotations(), kPipelineKeys);
    if (std::optional<Diagnostic> fault = ReadSteps(body, pipeline)) return *std::move(fault);
    if (std::optional<Diagnostic> fault = ReadAnnotations(loop, pipeline)) return *std::move(fault);
    for (PipelineStep& step : pipeline.steps) {
      const Block block(builder().stmt(step.block));
      step.reads = RegionsOf(block, block.reads());
      step.writes = RegionsOf(block, block.writes());
    }
    if (std::optional<Diagnostic> fault = CheckDependences(tables(), pipeline)) return *std::move(fault);
    const VersionedBuffers versions = MakeVersions(tables(), pipeline, doubled_);
    return BuildPipeline(builder(), pipeline, versions, fragments_, known_);
  }

  // Fills in the blocks of the pipeline and its buffers.
  auto ReadSteps(StmtId body, SoftwarePipeline& pipeline) -> std::optional<Diagnostic> {
    const SourceRange range = pipeline.range;
    if (const auto realize = builder().stmt(body).As<BlockRealize>()) {
      if (!terms().IsInt(realize->predicate(), 1)) return MakeDiagnostic(kPipelineGuard, range);
      if (std::optional<Diagnostic> fault = OpenBlock(realize->block(), pipeline)) return fault;
      body = realize->block().body().id();
    }
    if (builder().stmt(body).kind() != StmtKind::kSeq) return MakeDiagnostic(kPipelineBody, range);
    // Creating blocks may reallocate the table of parts.
    const std::span<const StmtId> parts = builder().stmt(body).parts();
    for (const StmtId part : std::vector<StmtId>(parts.begin(), parts.end())) {
      const auto realize = builder().stmt(part).As<BlockRealize>();
      const bool is_sequence =
          realize && terms().IsInt(realize->predicate(), 1) && realize->block().body().is(StmtKind::kSeq);
      if (!is_sequence) {
        if (std::optional<Diagnostic> fault = AddStep(part, pipeline)) return fault;
        continue;
      }
      if (std::optional<Diagnostic> fault = OpenBlock(realize->block(), pipeline)) return fault;
      const std::span<const StmtId> inner = realize->block().body().parts();
      for (const StmtId step : std::vector<StmtId>(inner.begin(), inner.end())) {
        if (std::optional<Diagnostic> fault = AddStep(step, pipeline)) return fault;
      }
    }
    return std::nullopt;
  }

  // Parts of a block that earlier passes must have removed.
  auto CheckBlock(const Block& block, SourceRange range) -> std::optional<Diagnostic> {
    if (!block.axes().empty())
      return MakeDiagnostic(kPipelineBlock, range, "iteration variables", "tir.ConvertBlocksToOpaque");
    if (block.has_init()) return MakeDiagnostic(kPipelineBlock, range, "an initialisation", "tir.LowerInitBlock");
    return std::nullopt;
  }

  // The block goes, its buffers become those of the pipeline.
  auto OpenBlock(const Block& block, SoftwarePipeline& pipeline) -> std::optional<Diagnostic> {
    if (std::optional<Diagnostic> fault = CheckBlock(block, pipeline.range)) return fault;
    if (!block.match_buffers().empty())
      return MakeDiagnostic(kPipelineBlock, pipeline.range, "match_buffers", "tir.LowerMatchBuffer");
    for (const BufferId buffer : block.alloc_buffers()) {
      pipeline.allocs.push_back(buffer);
      known_[tables().buffer(buffer).data] = buffer;
    }
    return std::nullopt;
  }

  auto AddStep(StmtId stmt, SoftwarePipeline& pipeline) -> std::optional<Diagnostic> {
    const auto realize = builder().stmt(stmt).As<BlockRealize>();
    if (!realize || !terms().IsInt(realize->predicate(), 1)) {
      pipeline.steps.push_back({OpaqueBlock(builder(), stmt, known_)});
      return std::nullopt;
    }
    pipeline.steps.push_back({realize->block().id()});
    return CheckBlock(realize->block(), pipeline.range);
  }

  auto ReadAnnotations(const For& loop, SoftwarePipeline& pipeline) -> std::optional<Diagnostic> {
    const size_t count = pipeline.steps.size();
    std::vector<int64_t> lists[2];
    for (const size_t i : {size_t{0}, size_t{1}}) {
      const std::string_view key = kPipelineKeys[i];
      const auto list = IntList(context(), FindAnnotation(context(), loop.annotations(), key));
      if (!list) return MakeDiagnostic(kPipelineList, loop.range(), key);
      if (list->size() != count || count > kMaxSteps)
        return MakeDiagnostic(kPipelineCount, loop.range(), key, list->size(), std::min(count, kMaxSteps));
      lists[i] = *list;
    }
    std::vector<int64_t> async;
    if (const ObjectId value = FindAnnotation(context(), loop.annotations(), kPipelineAsync)) {
      const auto list = IntList(context(), value);
      if (!list) return MakeDiagnostic(kPipelineList, loop.range(), kPipelineAsync);
      async = *list;
    }
    std::vector<bool> taken(count);
    for (size_t i = 0; i < count; ++i) {
      const int64_t stage = lists[0][i];
      const int64_t order = lists[1][i];
      if (stage < 0 || stage > kMaxStage) return MakeDiagnostic(kPipelineStages, loop.range(), kMaxStage, stage);
      if (order < 0 || static_cast<size_t>(order) >= count || taken[static_cast<size_t>(order)])
        return MakeDiagnostic(kPipelineOrders, loop.range(), count, count - 1);
      taken[static_cast<size_t>(order)] = true;
      PipelineStep& step = pipeline.steps[i];
      step.stage = stage;
      step.order = order;
      step.is_async = std::ranges::find(async, stage) != async.end();
    }
    return std::nullopt;
  }

  FragmentSizes fragments_;
  DiagnosticSink& sink_;
  // Buffers that are visible here.
  BuffersByData known_;
  // As TVM: the buffers that a block up to here declares as double buffered.
  absl::flat_hash_set<BufferId> doubled_;
  size_t added_ = 0;
};

struct InjectSoftwarePipelinePass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext& context) const
      -> Result<std::optional<PrimFunc>> {
    RELAYOPT_TRY(std::optional<PrimFunc> made, PipelineInjector(func, context.diagnostics()).RunOrFail());
    if (std::optional<PrimFunc> single = ConvertSSA(made ? *made : func)) return single;
    return made;
  }
};

}  // namespace

constinit const PassDef kInjectSoftwarePipelinePass = DescribePass<InjectSoftwarePipelinePass>({
    .name = "tir.InjectSoftwarePipeline",
    .summary = "Let the statements of a loop work on different iterations at the same time",
    .details = R"(  for i in T.serial(16, annotations=                    with T.block(""):
          {"software_pipeline_stage": [0, 1],               S = T.alloc_buffer((2, 1, 8))
           "software_pipeline_order": [0, 1]}):             load S[0, 0, j] for i = 0
      with T.block(""):                              ->     for i in range(15):
          S = T.alloc_buffer((1, 8))                            load S[(i + 1) % 2, 0, j] for i + 1
          load S[0, j]                                          use S[i % 2, 0, j] for i
          use S[0, j]                                       use S[1, 0, j] for i = 15

Each statement of the body has a stage, the number of iterations that it is behind, and an order, its position in the new
loop. Buffers that the body allocates get several versions where they need them, and two where a block asks for it
(double_buffer_scope). What the stages in "software_pipeline_async_stages" write is committed and waited for
(async_commit_queue_scope, async_wait_queue_scope). Stages that break a dependence are an error.

Every definition then gets a variable of its own, as by tir.ConvertSSA.)",
    .aliases = "tir.transform.InjectSoftwarePipeline",
    .idempotent = true,
});

}  // namespace relayopt::tir
