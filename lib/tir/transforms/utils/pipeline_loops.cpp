// The loops of a software pipeline: prologue, body and epilogue, each a loop in which every step works on the iteration
// that its stage is behind.
//
// The step of stage s works on iteration i - s while the loop is at i. Steps whose iteration is outside of the loop are
// left out if that is provable, and guarded otherwise. The prologue runs from the first iteration for as many
// iterations as there are stages, the epilogue as long after the last one.
//
// Steps of asynchronous stages are enclosed in `async_commit_queue_scope`, and a step that reads what they write waits
// (`async_wait_queue_scope`) until at most as many commits are under way as the producer is ahead of it:
//
//   stage 0, asynchronous: S[i % 4] = A[i]           with T.attr(0, "async_commit_queue_scope", 0):
//   stage 3:               C[i] = S[i % 4]               with T.attr(0, "async_scope", 1): S[(i + 3) % 4] = A[i + 3]
//                                                ->  with T.attr(0, "async_wait_queue_scope", 0):
//                                                        with T.attr(0, "async_wait_inflight_count", 3): C[i] = S[i %
//                                                        4]
#include <algorithm>
#include <map>

#include "lib/tir/transforms/utils/block_regions.h"
#include "lib/tir/transforms/utils/software_pipeline.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kPipelineAsyncStages{
    "pipeline-async-stages", Severity::kError,
    "tir.InjectSoftwarePipeline: a statement reads what several asynchronous stages write: {} and {}"};

class PipelineBuilder {
 public:
  PipelineBuilder(StmtBuilder& builder, const SoftwarePipeline& pipeline, const VersionedBuffers& versions,
                  BuffersByData& known)
      : builder_(builder),
        terms_(builder.terms()),
        pipeline_(pipeline),
        versions_(versions),
        known_(known),
        analyzer_(terms_) {
    for (const PipelineStep& step : pipeline.steps) max_stage_ = std::max(max_stage_, step.stage);
  }

  // `blocks` are those of the steps, in the order of the new loop.
  auto Run(std::vector<StmtId> blocks, std::vector<const PipelineStep*> steps) -> Result<StmtId> {
    blocks_ = std::move(blocks);
    steps_ = std::move(steps);
    const PrimExpr min = pipeline_.min;
    const PrimExpr end = Add(min, pipeline_.extent);
    const PrimExpr filled = Add(min, Literal(max_stage_));
    std::vector<StmtId> parts = {Emit(min, filled, ForKind::kUnrolled, {})};
    parts.push_back(Emit(filled, end, pipeline_.kind, {}));
    // The work of the middle stages in the prologue must not be repeated if the loop has fewer iterations than stages:
    // the epilogue begins where the prologue ends, at the earliest.
    PrimExpr epilogue = end;
    PrimExpr lower_bound;
    const bool has_inner = std::ranges::any_of(pipeline_.steps, [this](const auto& step) { return IsInner(step); });
    if (has_inner && !analyzer_.CanProveGreaterEqual(pipeline_.extent, max_stage_)) {
      if (terms_.AsInt(end)) {
        epilogue = arith::Max(terms_, end, filled);
      } else {
        lower_bound = filled;
      }
    }
    parts.push_back(Emit(epilogue, Add(end, Literal(max_stage_)), ForKind::kUnrolled, lower_bound));
    if (fault_) return *std::move(fault_);
    return Enclose(builder_.Seq(parts));
  }

 private:
  // The state of an asynchronous stage across prologue, body and epilogue.
  struct AsyncStage {
    absl::flat_hash_set<BufferId> written;
    // The iteration that was written last; invalid if it is not known.
    PrimExpr head;
  };

  // The same within one of them.
  struct AsyncPart {
    // The position of the step that waits, and how many commits may be under way; invalid: none waits.
    size_t waiting = 0;
    PrimExpr wait_count;
    // The buffers that this iteration has written so far.
    absl::flat_hash_set<BufferId> seen;
    PrimExpr head;
    // Under which condition the stage works; invalid if it does not occur.
    PrimExpr predicate;
    // The positions of steps that are committed together.
    std::vector<std::vector<size_t>> groups;
    bool consumed = false;
  };

  // A step in one of the loops.
  struct Placed {
    const PipelineStep* step;
    StmtId block;
    PrimExpr predicate;
    // The iteration it works on.
    PrimExpr iteration;
  };

  auto Add(PrimExpr a, PrimExpr b) -> PrimExpr { return arith::Add(terms_, a, b); }
  auto Literal(int64_t value) -> PrimExpr { return arith::MakeConst(terms_, terms_.dtype(pipeline_.var), value); }

  auto IsInner(const PipelineStep& step) const -> bool { return step.stage > 0 && step.stage < max_stage_; }

  auto StageState(int64_t stage) -> AsyncStage& {
    return stages_.try_emplace(stage, AsyncStage{{}, terms_.Int32(-1)}).first->second;
  }

  auto Emit(PrimExpr start, PrimExpr end, ForKind kind, PrimExpr lower_bound) -> StmtId {
    const PrimExpr extent = arith::Sub(terms_, end, start);
    const DataType type = terms_.dtype(extent);
    if (analyzer_.CanProve(arith::Le(terms_, extent, arith::MakeZero(terms_, type)))) return Nothing();
    const bool is_unit = analyzer_.CanProveEqual(extent, arith::MakeConst(terms_, type, 1));
    arith::Analyzer normalized(terms_);
    PrimExpr var = start;
    if (!is_unit) {
      var = terms_.CopyVar(pipeline_.var, builder_.context().text(terms_.var(pipeline_.var).name));
      analyzer_.Bind(var, Range{start, extent});
      normalized.Bind(var, Range{pipeline_.min, extent});
    }
    placed_.clear();
    parts_.clear();
    group_of_.clear();
    for (size_t i = 0; i < steps_.size(); ++i) Place(i, var, is_unit ? PrimExpr() : start, lower_bound, normalized);
    CountWaits(normalized);
    if (fault_ || placed_.empty()) return Nothing();
    StmtId made = builder_.Seq(Complete(normalized));
    if (!is_unit) made = builder_.For(var, pipeline_.min, extent, kind, made, {}, pipeline_.annotations);
    AdvanceHeads(normalized, extent);
    return RealizeBlock(builder_, MakeBlock(made));
  }

  auto Nothing() -> StmtId { return RealizeBlock(builder_, OpaqueBlock(builder_, builder_.NoOp(), {})); }

  // Returns the block that the statement is, or one around it.
  auto MakeBlock(StmtId body) -> StmtId {
    const auto realize = builder_.stmt(body).As<BlockRealize>();
    if (realize && terms_.IsInt(realize->predicate(), 1)) return realize->block().id();
    return OpaqueBlock(builder_, body, known_);
  }

  // Adds a step to the loop over `var`, which covers [start, ...) but will begin at the minimum of the pipeline.
  // Without `start` there is no loop.
  void Place(size_t position, PrimExpr var, PrimExpr start, PrimExpr lower_bound, arith::Analyzer& normalized) {
    const PipelineStep& step = *steps_[position];
    const PrimExpr skewed = arith::Sub(terms_, var, Literal(step.stage));
    const PrimExpr begun = analyzer_.Simplify(arith::Le(terms_, pipeline_.min, skewed));
    const PrimExpr end = Add(pipeline_.min, pipeline_.extent);
    PrimExpr inbound = arith::And(terms_, begun, arith::Lt(terms_, skewed, end));
    if (lower_bound && IsInner(step)) {
      inbound = analyzer_.Simplify(arith::And(terms_, inbound, arith::Ge(terms_, var, lower_bound)));
    }
    if (analyzer_.CanProve(arith::Not(terms_, inbound))) return;
    PrimExpr iteration = skewed;
    if (start) {
      const PrimExpr delta = arith::Sub(terms_, start, pipeline_.min);
      iteration = Add(skewed, delta);
      inbound = Substitute(terms_, inbound, {{var, arith::CastTo(terms_, terms_.dtype(var), Add(var, delta))}});
    }
    const PrimExpr index = arith::CastTo(terms_, terms_.dtype(pipeline_.var), iteration);
    const StmtId block = Substitute(builder_, builder_.stmt(blocks_[position]), {{pipeline_.var, index}});
    placed_.push_back({&step, block, inbound, iteration});
    if (step.is_async) NoteAsync(placed_.size() - 1, normalized);
    for (const BlockRegion& read : Block(builder_.stmt(block)).reads()) {
      for (const auto& [stage, state] : stages_) {
        if (stage <= step.stage && state.written.contains(read.buffer)) parts_[stage].consumed = true;
      }
    }
  }

  // The step at this position, the last one so far, works asynchronously.
  void NoteAsync(size_t position, arith::Analyzer& normalized) {
    Placed& placed = placed_[position];
    AsyncPart& part = parts_[placed.step->stage];
    // A commit comprises consecutive steps, and ends when something waits for it.
    if (part.groups.empty() || part.consumed || part.groups.back().back() + 1 != position) part.groups.emplace_back();
    part.groups.back().push_back(position);
    for (const BlockRegion& write : Block(builder_.stmt(placed.block)).writes()) {
      StageState(placed.step->stage).written.insert(write.buffer);
      group_of_[write.buffer] = part.groups.size() - 1;
    }
    part.head = placed.iteration;
    if (!part.predicate || normalized.CanProve(part.predicate)) {
      part.predicate = placed.predicate;
    } else {
      part.predicate = normalized.Simplify(arith::BitwiseAnd(terms_, part.predicate, placed.predicate));
    }
    const StmtId body = Block(builder_.stmt(placed.block)).body().id();
    const StmtId scope = builder_.Attr(terms_.Int32(0), "async_scope", terms_.Int32(1), body);
    placed.block = WithBody(builder_, placed.block, scope);
  }

  // Determines which steps wait for asynchronous stages.
  void CountWaits(arith::Analyzer& normalized) {
    for (size_t i = 0; i < placed_.size(); ++i) {
      const Block block(builder_.stmt(placed_[i].block));
      const int64_t stage = placed_[i].step->stage;
      if (placed_[i].step->is_async) {
        for (const BlockRegion& write : block.writes()) parts_[stage].seen.insert(write.buffer);
      }
      std::optional<int64_t> producer;
      for (const BlockRegion& read : block.reads()) {
        for (const auto& [from, state] : stages_) {
          if (from > stage || !state.written.contains(read.buffer)) continue;
          if (producer && *producer != from && !fault_) {
            fault_ = MakeDiagnostic(kPipelineAsyncStages, pipeline_.range, *producer, from);
          }
          producer = from;
        }
      }
      if (!producer) continue;
      AsyncPart& part = parts_[*producer];
      const PrimExpr count = WaitCount(placed_[i], block, *producer, part, normalized);
      if (!part.wait_count) {
        part.waiting = i;
        part.wait_count = count;
      } else if (analyzer_.CanProve(arith::Lt(terms_, count, part.wait_count))) {
        part.wait_count = count;
      }
    }
  }

  // How many commits of the producer may be under way when the step begins.
  auto WaitCount(const Placed& placed, const Block& block, int64_t producer, const AsyncPart& part,
                 arith::Analyzer& normalized) -> PrimExpr {
    std::vector<PrimExpr> heads;
    if (part.groups.empty()) {
      // The producer has completed all of its iterations.
      heads.push_back(StageState(producer).head);
    } else {
      std::vector<bool> counted(part.groups.size());
      for (const BlockRegion& read : block.reads()) {
        if (!StageState(producer).written.contains(read.buffer)) continue;
        const auto group = group_of_.find(read.buffer);
        if (group == group_of_.end() || counted[group->second]) continue;
        counted[group->second] = true;
        // Data that this iteration writes later was last written by the previous iteration.
        heads.push_back(part.seen.contains(read.buffer) ? part.head : arith::Sub(terms_, part.head, Literal(1)));
      }
    }
    PrimExpr sum = terms_.Int32(0);
    for (const PrimExpr head : heads) {
      if (!head) return terms_.Int32(0);
      const PrimExpr zero = arith::MakeZero(terms_, terms_.dtype(head));
      if (!normalized.CanProve(arith::Ge(terms_, head, zero))) return terms_.Int32(0);
      sum = Add(sum, analyzer_.Simplify(arith::Sub(terms_, head, placed.iteration)));
    }
    return sum;
  }

  // Returns the statements of the loop.
  auto Complete(arith::Analyzer& normalized) -> std::vector<StmtId> {
    std::vector<int64_t> commits(placed_.size(), -1);
    for (const auto& [stage, part] : parts_) {
      for (const std::vector<size_t>& group : part.groups) {
        for (const size_t position : group) commits[position] = stage;
      }
      if (part.wait_count) Wait(stage, part, normalized);
    }
    std::vector<StmtId> stmts;
    for (size_t i = 0; i < placed_.size();) {
      const PrimExpr predicate = placed_[i].predicate;
      if (commits[i] < 0) {
        stmts.push_back(builder_.BlockRealize({}, predicate, placed_[i++].block));
        continue;
      }
      const int64_t stage = commits[i];
      std::vector<StmtId> bodies;
      std::vector<BufferId> allocs;
      for (; i < placed_.size() && commits[i] == stage; ++i) {
        const Block block(builder_.stmt(placed_[i].block));
        bodies.push_back(block.body().id());
        allocs.insert(allocs.end(), block.alloc_buffers().begin(), block.alloc_buffers().end());
      }
      const StmtId commit =
          builder_.Attr(terms_.Int32(0), "async_commit_queue_scope", terms_.Int32(stage), builder_.Seq(bodies));
      stmts.push_back(builder_.BlockRealize({}, predicate, OpaqueBlock(builder_, commit, known_, std::move(allocs))));
    }
    return stmts;
  }

  // Lets the step that was found wait for the stage.
  void Wait(int64_t stage, const AsyncPart& part, arith::Analyzer& normalized) {
    PrimExpr count = part.wait_count;
    if (part.predicate && !normalized.CanProve(part.predicate)) {
      // Where the stage does not work nothing may be under way.
      const PrimExpr args[] = {part.predicate, count, terms_.Int32(0)};
      count = terms_.Call(DataType::Int(32), terms_.ops().if_then_else, args);
    }
    StmtId& block = placed_[part.waiting].block;
    const StmtId body = Block(builder_.stmt(block)).body().id();
    const StmtId inner = builder_.Attr(terms_.Int32(0), "async_wait_inflight_count", count, body);
    const StmtId outer = builder_.Attr(terms_.Int32(0), "async_wait_queue_scope", terms_.Int32(stage), inner);
    block = WithBody(builder_, block, outer);
  }

  void AdvanceHeads(arith::Analyzer& normalized, PrimExpr extent) {
    for (const auto& [stage, part] : parts_) {
      AsyncStage& state = StageState(stage);
      const bool all = part.predicate && normalized.CanProve(part.predicate);
      state.head = all && state.head ? Add(state.head, extent) : PrimExpr();
    }
  }

  // Returns the block of the whole pipeline.
  auto Enclose(StmtId body) -> StmtId {
    std::vector<BufferId> allocs;
    for (const BufferId buffer : pipeline_.allocs) {
      const auto found = versions_.find(buffer);
      allocs.push_back(found == versions_.end() ? buffer : found->second);
      known_.erase(builder_.tables().buffer(buffer).data);
    }
    return RealizeBlock(builder_, OpaqueBlock(builder_, body, known_, std::move(allocs)));
  }

  StmtBuilder& builder_;
  Terms& terms_;
  const SoftwarePipeline& pipeline_;
  const VersionedBuffers& versions_;
  BuffersByData& known_;
  // Knows the variables of the new loops.
  arith::Analyzer analyzer_;
  int64_t max_stage_ = 0;
  std::vector<StmtId> blocks_;
  std::vector<const PipelineStep*> steps_;
  std::map<int64_t, AsyncStage> stages_;
  // Of the loop that is being made.
  std::vector<Placed> placed_;
  std::map<int64_t, AsyncPart> parts_;
  absl::flat_hash_map<BufferId, size_t> group_of_;
  std::optional<Diagnostic> fault_;
};

}  // namespace

auto BuildPipeline(StmtBuilder& builder, const SoftwarePipeline& pipeline, const VersionedBuffers& versions,
                   const FragmentSizes& fragments, BuffersByData& known) -> Result<StmtId> {
  std::vector<const PipelineStep*> steps(pipeline.steps.size());
  for (const PipelineStep& step : pipeline.steps) steps[static_cast<size_t>(step.order)] = &step;
  std::vector<StmtId> blocks;
  for (const PipelineStep* step : steps) {
    const Result<StmtId> block = SelectVersions(builder, pipeline, versions, fragments, step->block);
    if (!block) return block.error();
    blocks.push_back(*block);
  }
  return PipelineBuilder(builder, pipeline, versions, known).Run(std::move(blocks), std::move(steps));
}

}  // namespace relayopt::tir
