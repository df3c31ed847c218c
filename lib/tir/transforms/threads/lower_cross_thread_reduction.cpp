// LowerCrossThreadReduction: a block that reduces over loops bound to threads becomes a reduction among threads.
//
// A block is lowered if it has an initialization, its axes are an affine map of the loops, no other block writes its
// buffers, no axis of the reduction indexes them, and a loop of the reduction is bound to a thread. It becomes up to
// four statements, inside of the loops of the reduction that are threads:
//
//   for i in range(4):                             for i in range(4):
//       for ko in range(2):                            for ki in T.thread_binding(16, thread="threadIdx.x"):
//           for ki in T.thread_binding(16, ...):           with T.block("B_in_thread_init"):
//               with T.block("B"):                             in_thread_B[0] = T.float32(0)
//                   vi = T.axis.spatial(4, i)              for ko in range(2):
//                   vk = T.axis.reduce(32, ko * 16 + ki)       with T.block("B_in_thread"):
//                   with T.init():              ->                 ...
//                       B[vi] = T.float32(0)                       in_thread_B[0] = in_thread_B[0] + A[vi, vk]
//                   B[vi] = B[vi] + A[vi, vk]              with T.block("B_cross_thread"):
//                                                              T.tvm_thread_allreduce(T.uint32(1), in_thread_B[0],
//                                                                  T.bool(True), cross_thread_B[0], ki)
//                                                          with T.block("B_write_back"):
//                                                              vi = T.axis.spatial(4, i)
//                                                              T.where(ki == 0)
//                                                              B[vi] = cross_thread_B[0]
//
// The first two are left out when all loops of the reduction are threads and the block has no condition. Every thread
// writes the result back if its memory is local. The surrounding block allocates both buffers.
//
// A later block of the same kernel that reads the result and writes other than local memory is run by one thread only:
// it gets a loop over each thread of the reduction that it is not bound to, and the condition that it is the first one.
//
// Traced: at B, `loops_` is (i, ko, ki), its axes give the loops of the reduction (ko, ki), of which ki is a thread.
// The plan is made, B is rewritten in place (its stores go to in_thread_B, the initialization goes), and leaving ki
// drops that loop. Leaving ko, the first loop of the reduction, puts the four statements together.
//
// Where TVM drops a condition on axes that are not reduced, or takes conditions apart that are not conjunctions, the
// write-back keeps it.
#include <algorithm>
#include <ranges>
#include <utility>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/cross_thread_statements.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/iter_map.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/analysis/storage_scope.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kReductionLoops{"cross-thread-reduction", Severity::kError,
                                         "the reduction of block {} over threads cannot be lowered: {}"};

// A thread of a reduction.
struct ReductionThread {
  int dimension = 0;
  Range range;
};

class ReductionLowerer : public Rewriter {
 public:
  explicit ReductionLowerer(const PrimFunc& func) : Rewriter(func) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    stack_.push_back(stmt);
    if (const auto loop = stmt.As<For>()) loops_.push_back(*loop);
    if (stmt.is(StmtKind::kBlock)) blocks_.push_back(stmt);
    if (const auto realize = stmt.As<BlockRealize>()) return EnterRealize(*realize);
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    stack_.pop_back();
    if (const auto loop = stmt.As<For>()) return LeaveLoop(*loop, parts);
    if (const auto block = stmt.As<Block>()) return LeaveBlock(*block, parts);
    if (const auto realize = stmt.As<BlockRealize>()) return LeaveRealize(*realize, parts);
    if (const auto store = stmt.As<BufferStore>()) {
      if (const BufferId partial = PartialOf(store->buffer()))
        return ReductionStatements::StoreFirst(builder(), partial, parts.exprs[0]);
    }
    return Rewriter::Leave(stmt, parts);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (terms().kind(made) == PrimKind::kBufferLoad) {
      if (const BufferId partial = PartialOf(terms().buffer(made)))
        return ReductionStatements::LoadFirst(tables(), partial);
    }
    return Rewriter::RewriteNode(old, made);
  }

 private:
  // Recognizes the reduction of a block and decides whether it is lowered.

  auto EnterRealize(BlockRealize realize) -> Descent {
    const std::vector<For> loops = blocks_.empty() ? std::vector<For>() : ReductionLoops(realize);
    if (loops.empty() || !MayRewrite(realize.range(), "a reduction over threads", "a reduction among threads")) {
      free_threads_.push_back(FreeThreads(realize));
      return Descent::Into();
    }
    Plan(realize, loops);
    if (failed() || open_->partial.empty()) {
      stack_.pop_back();
      return Descent::Done({});
    }
    free_threads_.emplace_back();
    is_inside_ = true;
    ForgetExprs();
    return Descent::Into();
  }

  // Returns the loops of the reduction if one of them is bound to a thread; otherwise none.
  auto ReductionLoops(BlockRealize realize) -> std::vector<For> {
    const Block block = realize.block();
    if (!block.has_init()) return {};
    absl::flat_hash_set<PrimExpr> reduced;
    for (size_t i = 0; i < block.axes().size(); ++i) {
      const IterType type = block.axes()[i].type;
      if (type != IterType::kDataPar && type != IterType::kCommReduce) return {};
      if (type == IterType::kDataPar) continue;
      TermVisitor(terms()).Visit(realize.values()[i], [&](PrimExpr e) {
        if (terms().is_var(e)) reduced.insert(e);
      });
    }
    std::vector<For> found;
    for (const For loop : loops_) {
      if (reduced.contains(loop.loop_var())) found.push_back(loop);
    }
    if (std::ranges::none_of(found, IsThreadLoop)) return {};
    if (!IsAffine(realize) || !IsOnlyWriter(block) || !KeepsElements(block)) return {};
    return found;
  }

  static auto IsThreadLoop(For loop) -> bool { return loop.for_kind() == ForKind::kThreadBinding; }

  // Whether the values of the axes are an affine map of the loops between the block and the one around it.
  auto IsAffine(BlockRealize realize) -> bool {
    const auto iters = MapToVector<arith::IterRange>(LoopsInScope(), [&](For loop) {
      return arith::IterRange{loop.loop_var(), {loop.min(), loop.extent()}};
    });
    if (iters.empty()) return true;
    if (realize.values().empty()) return false;
    arith::Analyzer analyzer(terms());
    const auto map =
        arith::DetectIterMap(analyzer, realize.values(), iters, realize.predicate(), arith::IterMapLevel::kSurjective);
    return map && std::ranges::all_of(*map, [&](const arith::IterSum& sum) {
             return sum.pieces.empty() || terms().IsInt(sum.pieces[0].scale, 1);
           });
  }

  auto LoopsInScope() const -> std::span<const For> {
    const auto first = std::ranges::find_if(loops_, [&](For loop) { return blocks_.back().Contains(loop); });
    return {first, loops_.end()};
  }

  auto IsOnlyWriter(Block block) -> bool {
    const auto [at, is_new] = writers_.try_emplace(blocks_.back().id());
    if (is_new) {
      Walk(
          Block(blocks_.back()).body(),
          [&](Stmt stmt) {
            const auto inner = stmt.As<Block>();
            if (!inner) return true;
            for (const BlockRegion& region : inner->writes()) ++at->second[region.buffer];
            return false;
          },
          [](Stmt) {});
    }
    return std::ranges::all_of(block.writes(),
                               [&](const BlockRegion& region) { return at->second[region.buffer] == 1; });
  }

  // Whether no axis of the reduction is in the indices of a store.
  auto KeepsElements(Block block) -> bool {
    absl::flat_hash_set<PrimExpr> axes;
    for (const BlockAxis& axis : block.axes()) {
      if (axis.type == IterType::kCommReduce) axes.insert(axis.var);
    }
    const Stmt body = block.body();
    for (StmtId id = body.table().first(body.id()); id <= body.id(); ++id) {
      const auto store = func().stmt(id).As<BufferStore>();
      if (!store) continue;
      for (const PrimExpr index : store->indices()) {
        if (arith::UsesVar(terms(), index, [&](PrimExpr var) { return axes.contains(var); })) return false;
      }
    }
    return true;
  }

  // Initializes `open_`.
  void Plan(BlockRealize realize, const std::vector<For>& loops) {
    const Block block = realize.block();
    if (std::string_view why = RefuseLoops(realize, loops); !why.empty()) {
      Fail(MakeDiagnostic(kReductionLoops, block.range(), context().text(block.name()), why));
      return;
    }
    Result<BlockReduction> reduction = FindBlockReduction(tables(), block);
    if (!reduction) {
      Fail(std::move(reduction).error());
      return;
    }
    ReductionPlan plan{realize, *std::move(reduction), loops, {}, {}};
    const auto is_local = [&](BufferId buffer) { return tables().Scope(buffer) == "local"; };
    const bool all_local = std::ranges::all_of(plan.reduction.buffers, is_local);
    if (!all_local && std::ranges::any_of(plan.reduction.buffers, is_local)) {
      Fail(MakeDiagnostic(kReductionLoops, block.range(), context().text(block.name()),
                          "only some of its buffers are local"));
      return;
    }
    std::vector<BufferId>& allocated = allocated_[blocks_.back().id()];
    plan.results = Scratch(plan.reduction.buffers, "cross_thread_", allocated);
    const bool one_value = std::ranges::all_of(loops, IsThreadLoop) && terms().IsInt(realize.predicate(), 1);
    if (!one_value) plan.partial = Scratch(plan.reduction.buffers, "in_thread_", allocated);
    std::vector<ReductionThread> threads;
    for (const For loop : loops) {
      if (IsThreadLoop(loop)) threads.push_back({ScopeOfThread(loop)->dimension, {loop.min(), loop.extent()}});
    }
    for (const BufferId buffer : plan.reduction.buffers) reduced_over_[buffer] = threads;
    open_ = std::move(plan);
  }

  // Returns why the loops of the reduction cannot be lowered.
  auto RefuseLoops(BlockRealize realize, const std::vector<For>& loops) const -> std::string_view {
    size_t deepest = 0;
    for (size_t i = stack_.size() - 1; i-- > 0;) {
      if (stack_[i].is(StmtKind::kSeq)) continue;
      if (std::ranges::find(loops, stack_[i]) == loops.end()) break;
      ++deepest;
    }
    if (deepest != loops.size()) return "another statement lies between the loops of the reduction and the block";
    for (const For loop : loops) {
      if (!IsThreadLoop(loop)) continue;
      const auto scope = ScopeOfThread(loop);
      if (!scope || scope->rank != 1 || scope->dimension < 0) {
        return "a loop of the reduction is bound to something else than threadIdx.x, threadIdx.y or threadIdx.z";
      }
    }
    for (StmtId id(realize.id().value() + 1); id < loops[0].id(); ++id) {
      const bool is_around = func().stmts().Contains(id, realize.id());
      if (!is_around) return "another statement comes after it in the loops of the reduction";
    }
    return {};
  }

  auto ScopeOfThread(For loop) const -> std::optional<ThreadScope> {
    return ParseThreadScope(context().text(tables().iter_var(loop.thread_binding()).thread_tag));
  }

  auto Scratch(const std::vector<BufferId>& buffers, std::string_view prefix, std::vector<BufferId>& allocated)
      -> std::vector<BufferId> {
    std::vector<BufferId> made;
    for (const BufferId id : buffers) {
      const Buffer& buffer = tables().buffer(id);
      const std::string name = fmt::format("{}{}", prefix, context().text(buffer.name));
      const PrimExpr one = terms().Int32(1);
      made.push_back(
          tables().Add(Buffer{.data = terms().Var(name, VarType::Pointer(buffer.dtype, context().Intern("local"))),
                              .dtype = buffer.dtype,
                              .name = context().Intern(name),
                              .shape = {one},
                              .strides = {one}}));
      allocated.push_back(made.back());
    }
    return made;
  }

  // The block itself: what each thread adds up.

  // Returns the partial result that replaces a buffer inside of the block; invalid elsewhere.
  auto PartialOf(BufferId buffer) const -> BufferId {
    if (!is_inside_) return {};
    const auto at = std::ranges::find(open_->reduction.buffers, buffer);
    if (at == open_->reduction.buffers.end()) return {};
    return open_->partial[static_cast<size_t>(at - open_->reduction.buffers.begin())];
  }

  auto LeaveBlock(Block block, Parts parts) -> StmtId {
    blocks_.pop_back();
    if (is_inside_) return ReductionStatements(builder(), *open_).InThread(parts.exprs, parts.stmts.back());
    const auto allocated = allocated_.find(block.id());
    if (allocated == allocated_.end()) return Rewriter::Leave(block, parts);
    BlockInfo info = builder().stmt(Rewriter::Leave(block, parts)).As<Block>()->info();
    info.alloc_buffers.insert(info.alloc_buffers.end(), allocated->second.begin(), allocated->second.end());
    const bool has_init = parts.stmts.size() == 2;
    return builder().Block(std::move(info), parts.exprs, parts.stmts.back(), has_init ? parts.stmts[0] : StmtId());
  }

  auto LeaveRealize(BlockRealize realize, Parts parts) -> StmtId {
    if (std::exchange(is_inside_, false)) ForgetExprs();
    const StmtId made = Rewriter::Leave(realize, parts);
    const std::vector<ReductionThread> threads = std::move(free_threads_.back());
    free_threads_.pop_back();
    return threads.empty() ? made : OnFirstThread(threads, made);
  }

  // The loops, and the statements in them.

  auto LeaveLoop(For loop, Parts parts) -> StmtId {
    loops_.pop_back();
    StmtId made = parts.stmts[0];
    const bool of_reduction = open_ && std::ranges::find(open_->loops, loop) != open_->loops.end();
    if (!of_reduction) {
      made = Rewriter::Leave(loop, parts);
    } else if (const auto rest = builder().stmt(made).As<Evaluate>(); rest && terms().IsInt(rest->value(), 0)) {
      // Nothing is left inside.
    } else if (!IsThreadLoop(loop) || !Reduces(loop)) {
      // As TVM: a loop over threads stays around blocks that reduce nothing, inside of the new one.
      made = Rewriter::Leave(loop, parts);
    }
    if (of_reduction && open_->loops[0] == loop) {
      made = ReductionStatements(builder(), *open_).Assemble(made);
      open_.reset();
    }
    LeaveKernel(loop);
    return made;
  }

  // Whether a block that stays in the loop has an axis of a reduction.
  auto Reduces(For loop) const -> bool {
    if (!open_->partial.empty()) return true;
    for (StmtId id = func().stmts().first(loop.id()); id < loop.id(); ++id) {
      const auto block = func().stmt(id).As<Block>();
      if (!block || *block == open_->realize.block()) continue;
      if (std::ranges::find(block->axes(), IterType::kCommReduce, &BlockAxis::type) != block->axes().end()) return true;
    }
    return false;
  }

  // Reductions of one kernel are not visible in the next one.
  void LeaveKernel(For loop) {
    const auto scope = IsThreadLoop(loop) ? ScopeOfThread(loop) : std::nullopt;
    if (!scope) return;
    const auto encloses = [&](For other) {
      const auto outer = IsThreadLoop(other) ? ScopeOfThread(other) : std::nullopt;
      return outer && (outer->rank == 0 || outer->dimension >= 0);
    };
    if (scope->rank == 0 || (scope->dimension >= 0 && std::ranges::none_of(loops_, encloses))) reduced_over_.clear();
  }

  // A block that reads results of a reduction: only one thread runs it if it writes memory that others see.

  auto OnFirstThread(const std::vector<ReductionThread>& threads, StmtId made) -> StmtId {
    const BlockRealize old(builder().stmt(made));
    const std::vector<PrimExpr> values(old.values().begin(), old.values().end());
    PrimExpr condition = old.predicate();
    std::vector<PrimExpr> vars;
    for (const ReductionThread& thread : threads) {
      const char name[] = {'t', static_cast<char>('x' + thread.dimension)};
      vars.push_back(terms().Var(std::string_view(name, 2), terms().dtype(thread.range.min)));
      condition = arith::And(terms(), arith::Eq(terms(), vars.back(), thread.range.min), condition);
    }
    StmtId body = builder().BlockRealize(values, condition, old.block().id());
    for (size_t i = 0; i < threads.size(); ++i) {
      const std::string tag = fmt::format("threadIdx.{}", static_cast<char>('x' + threads[i].dimension));
      const IterVarId iter = tables().Add(
          IterVar{terms().Var("", terms().dtype(vars[i])), {}, IterType::kThreadIndex, context().Intern(tag)});
      body = builder().For(vars[i], threads[i].range.min, threads[i].range.extent, ForKind::kThreadBinding, body, iter);
    }
    return body;
  }

  // As TVM: the thread that was met last comes first.
  auto FreeThreads(BlockRealize realize) const -> std::vector<ReductionThread> {
    if (reduced_over_.empty()) return {};
    const Block block = realize.block();
    for (const BlockRegion& region : block.writes()) {
      if (tables().Scope(region.buffer) == "local") return {};
    }
    std::vector<ReductionThread> threads;
    for (const BlockRegion& region : block.reads()) {
      const auto found = reduced_over_.find(region.buffer);
      if (found == reduced_over_.end()) continue;
      for (const ReductionThread& thread : found->second) {
        const auto same = std::ranges::find(threads, thread.dimension, &ReductionThread::dimension);
        if (same == threads.end())
          threads.insert(threads.begin(), thread);
        else
          same->range = thread.range;
      }
    }
    std::erase_if(threads, [&](const ReductionThread& thread) {
      return std::ranges::any_of(loops_, [&](For loop) {
        const auto scope = IsThreadLoop(loop) ? ScopeOfThread(loop) : std::nullopt;
        return scope && scope->rank == 1 && scope->dimension == thread.dimension;
      });
    });
    return threads;
  }

  // The statements that are open.
  std::vector<Stmt> stack_;
  std::vector<For> loops_;
  std::vector<Stmt> blocks_;
  // How many of the blocks directly inside of a block write each buffer.
  absl::flat_hash_map<StmtId, absl::flat_hash_map<BufferId, int>> writers_;
  // From the block until its first loop of the reduction is left.
  std::optional<ReductionPlan> open_;
  // Whether the statement is in the block of `open_`.
  bool is_inside_ = false;
  // For each open realization of a block, the threads of which it has to be the first one.
  std::vector<std::vector<ReductionThread>> free_threads_;
  // The buffers that blocks have to allocate.
  absl::flat_hash_map<StmtId, std::vector<BufferId>> allocated_;
  // The threads that have reduced into a buffer, in this kernel.
  absl::flat_hash_map<BufferId, std::vector<ReductionThread>> reduced_over_;
};

}  // namespace

constinit const PassDef kLowerCrossThreadReductionPass = DescribePass<
    RewriterPass<ReductionLowerer, OlderSchedules::kStay>>({
    .name = "tir.LowerCrossThreadReduction",
    .summary = "Lower reductions of blocks over threads to reductions among threads",
    .details =
        R"(  for k in T.thread_binding(32, thread="threadIdx.x"):   for k in T.thread_binding(32, thread="threadIdx.x"):
      with T.block("B"):                                     with T.block("B_cross_thread"):
          vi, vk = T.axis.remap("SR", [i, k])                    ... T.tvm_thread_allreduce(T.uint32(1), A[vi, vk],
          with T.init():                              ->                 T.bool(True), cross_thread_B[0], k)
              B[vi] = T.float32(0)                           with T.block("B_write_back"):
          B[vi] = B[vi] + A[vi, vk]                              T.where(k == 0)
                                                                 B[vi] = cross_thread_B[0]

Where other loops reduce, too, or the block has a condition, each thread first reduces its own values (in_thread_B). The loops of the
reduction have to be directly around the block, and the combiner one that is known: sum, product, minimum, maximum, two sums, or the
position and value of a minimum or maximum.)",
    .aliases = "tir.transform.LowerCrossThreadReduction",
    // The order of the values changes.
    .exactness = Exactness::kReorders,
    .idempotent = true,
});

}  // namespace relayopt::tir
