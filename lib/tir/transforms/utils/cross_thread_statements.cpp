#include "lib/tir/transforms/utils/cross_thread_statements.h"

#include <fmt/core.h>

#include <ranges>

#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

namespace {

// A new block with regions of an old one.
struct BlockParts {
  BlockParts(Block block, std::span<const PrimExpr> old) : block(block), old(old) {}
  void AddAxis(size_t i) { exprs.insert(exprs.end(), {old[2 * i], old[2 * i + 1]}); }
  auto Take(const BlockRegion& region) -> BlockRegion {
    const BlockRegion made{region.buffer, static_cast<uint32_t>(exprs.size()), region.ndim};
    const auto bounds = old.subspan(region.first, size_t{2} * region.ndim);
    exprs.insert(exprs.end(), bounds.begin(), bounds.end());
    return made;
  }
  Block block;
  std::span<const PrimExpr> old;
  BlockInfo info;
  std::vector<PrimExpr> exprs;
};

}  // namespace

auto ReductionStatements::LoadFirst(const Tables& tables, BufferId buffer) -> PrimExpr {
  const PrimExpr zero = tables.terms().Int32(0);
  return tables.terms().BufferLoad(buffer, {&zero, 1}, tables.buffer(buffer).dtype);
}
auto ReductionStatements::StoreFirst(StmtBuilder& builder, BufferId buffer, PrimExpr value) -> StmtId {
  const PrimExpr zero = builder.terms().Int32(0);
  return builder.Store(buffer, value, {&zero, 1});
}

auto ReductionStatements::InThread(std::span<const PrimExpr> exprs, StmtId body) -> StmtId {
  const Block block = plan_.realize.block();
  BlockParts made(block, exprs);
  made.info.name = Named("_in_thread");
  made.info.axes = block.info().axes;
  made.info.alloc_buffers = block.info().alloc_buffers;
  made.info.annotations = block.annotations();
  for (size_t i = 0; i < block.axes().size(); ++i) made.AddAxis(i);
  for (const BlockRegion& region : block.reads()) made.info.reads.push_back(made.Take(region));
  made.info.writes = First(made.exprs, plan_.partial);
  for (BlockMatch match : block.match_buffers()) {
    match.source = made.Take(match.source);
    made.info.match_buffers.push_back(match);
  }
  return builder_.Block(std::move(made.info), made.exprs, body);
}

auto ReductionStatements::Named(std::string_view suffix) const -> StringId {
  return builder_.context().Intern(fmt::format("{}{}", builder_.context().text(plan_.realize.block().name()), suffix));
}

// Returns the first element of each buffer as regions.
auto ReductionStatements::First(std::vector<PrimExpr>& exprs, const std::vector<BufferId>& buffers) const
    -> std::vector<BlockRegion> {
  std::vector<BlockRegion> regions;
  for (const BufferId buffer : buffers) {
    regions.push_back({buffer, static_cast<uint32_t>(exprs.size()), 1});
    exprs.insert(exprs.end(), {terms_.Int32(0), terms_.Int32(1)});
  }
  return regions;
}

// `inside` is what is left of the loops of the reduction.
auto ReductionStatements::Assemble(StmtId inside) -> StmtId {
  std::vector<StmtId> steps;
  if (!plan_.partial.empty()) steps.push_back(InitializePartial());
  steps.push_back(inside);
  steps.push_back(CrossThread());
  steps.push_back(WriteBack());
  StmtId made = builder_.Seq(steps);
  for (size_t i = plan_.loops.size(); i-- > 0;) {
    const For loop = plan_.loops[i];
    if (!(loop.for_kind() == ForKind::kThreadBinding)) continue;
    made = builder_.Copy(loop, {&made, 1}, loop.exprs());
  }
  return made;
}

auto ReductionStatements::InitializePartial() -> StmtId {
  BlockInfo info{.name = Named("_in_thread_init")};
  std::vector<PrimExpr> exprs;
  info.writes = First(exprs, plan_.partial);
  std::vector<StmtId> stores;
  stores.reserve(plan_.partial.size());
  for (size_t i = 0; i < plan_.partial.size(); ++i) {
    stores.push_back(StoreFirst(builder_, plan_.partial[i], tables_.reducer(plan_.reduction.reducer).identity[i]));
  }
  return Realize({}, terms_.Bool(true), std::move(info), exprs, builder_.Seq(stores));
}

auto ReductionStatements::Realize(std::span<const PrimExpr> values, PrimExpr predicate, BlockInfo info,
                                  std::span<const PrimExpr> exprs, StmtId body) -> StmtId {
  return builder_.BlockRealize(values, predicate, builder_.Block(std::move(info), exprs, body));
}

auto ReductionStatements::CrossThread() -> StmtId {
  const Block block = plan_.realize.block();
  BlockParts made(block, block.exprs());
  made.info.name = Named("_cross_thread");
  std::span<const PrimExpr> values;
  std::vector<PrimExpr> args = {terms_.IntImm(DataType::UInt(32), static_cast<int64_t>(plan_.results.size()))};
  if (plan_.partial.empty()) {
    values = plan_.realize.values();
    made.info.axes = block.info().axes;
    for (size_t i = 0; i < block.axes().size(); ++i) made.AddAxis(i);
    for (const BlockRegion& region : block.reads()) made.info.reads.push_back(made.Take(region));
    args.insert(args.end(), plan_.reduction.values.begin(), plan_.reduction.values.end());
  } else {
    made.info.reads = First(made.exprs, plan_.partial);
    for (const BufferId buffer : plan_.partial) args.push_back(LoadFirst(tables_, buffer));
  }
  made.info.writes = First(made.exprs, plan_.results);
  args.push_back(terms_.Bool(true));
  for (const BufferId buffer : plan_.results) args.push_back(LoadFirst(tables_, buffer));
  for (const For loop : plan_.loops) {
    if ((loop.for_kind() == ForKind::kThreadBinding)) args.push_back(loop.loop_var());
  }
  const StmtId reduce =
      builder_.Evaluate(terms_.Call(arith::kHandleType, terms_.Intrinsic("tir.tvm_thread_allreduce"_intrin), args));
  const PrimExpr null = terms_.Call(arith::kHandleType, terms_.Intrinsic("tir.reinterpret"_intrin),
                                    {terms_.IntImm(DataType::UInt(64), 0)});
  const StmtId body = builder_.Attr(plan_.reduction.reducer, "reduce_scope", null, reduce);
  return Realize(values, terms_.Bool(true), std::move(made.info), made.exprs, body);
}

auto ReductionStatements::WriteBack() -> StmtId {
  const Block block = plan_.realize.block();
  BlockParts made(block, block.exprs());
  made.info.name = Named("_write_back");
  std::vector<PrimExpr> values;
  VarMap renamed;
  for (size_t i = 0; i < block.axes().size(); ++i) {
    BlockAxis axis = block.axes()[i];
    if (axis.type == IterType::kCommReduce) continue;
    const arith::VarInfo& var = terms_.var(axis.var);
    const PrimExpr copy = terms_.Var(builder_.context().text(var.name), var.type);
    renamed[axis.var] = copy;
    axis.var = copy;
    made.info.axes.push_back(axis);
    made.AddAxis(i);
    values.push_back(plan_.realize.values()[i]);
  }
  made.info.reads = First(made.exprs, plan_.results);
  for (const BufferId buffer : plan_.reduction.buffers) {
    BlockRegion region = made.Take(block.writes()[0]);
    region.buffer = buffer;
    made.info.writes.push_back(region);
  }
  for (PrimExpr& e : made.exprs) e = Substitute(terms_, e, renamed);
  const auto indices = MapToVector<PrimExpr>(plan_.reduction.indices,
                                             [&](PrimExpr index) { return Substitute(terms_, index, renamed); });
  std::vector<StmtId> stores;
  stores.reserve(plan_.results.size());
  for (size_t i = 0; i < plan_.results.size(); ++i) {
    stores.push_back(builder_.Store(plan_.reduction.buffers[i], LoadFirst(tables_, plan_.results[i]), indices));
  }
  return Realize(values, WriteBackCondition(), std::move(made.info), made.exprs, builder_.Seq(stores));
}

// Returns the condition under which a thread writes the result: the part of the block's condition on axes that are not
// reduced, and, if the memory is shared, that this is the first thread.
auto ReductionStatements::WriteBackCondition() const -> PrimExpr {
  absl::flat_hash_set<PrimExpr> reduced;
  for (const For loop : plan_.loops) reduced.insert(loop.loop_var());
  PrimExpr condition = terms_.Bool(true);
  for (const PrimExpr clause : Clauses(plan_.realize.predicate())) {
    const bool is_reduced = arith::UsesVar(terms_, clause, [&](PrimExpr var) { return reduced.contains(var); });
    if (!is_reduced) condition = arith::And(terms_, condition, clause);
  }
  if (tables_.Scope(plan_.reduction.buffers[0]) == "local") return condition;
  for (const For loop : plan_.loops) {
    if (!(loop.for_kind() == ForKind::kThreadBinding)) continue;
    const PrimExpr zero = terms_.IntImm(terms_.dtype(loop.loop_var()), 0);
    condition = arith::And(terms_, condition, arith::Eq(terms_, loop.loop_var(), zero));
  }
  return condition;
}

// Returns the operands of a conjunction, those of inner conjunctions first, as TVM lists them.
auto ReductionStatements::Clauses(PrimExpr condition) const -> std::vector<PrimExpr> {
  const auto is_and = [&](PrimExpr e) { return terms_.kind(e) == PrimKind::kAnd; };
  if (!is_and(condition)) return {condition};
  // Conjunctions in pre-order, right before left; reversed they are in post-order.
  std::vector<PrimExpr> pending = {condition}, order;
  while (!pending.empty()) {
    const PrimExpr e = pending.back();
    pending.pop_back();
    order.push_back(e);
    for (const PrimExpr part : terms_.operands(e)) {
      if (is_and(part)) pending.push_back(part);
    }
  }
  std::vector<PrimExpr> clauses;
  absl::flat_hash_set<PrimExpr> seen;
  for (const PrimExpr e : std::views::reverse(order)) {
    if (!seen.insert(e).second) continue;
    for (const PrimExpr part : terms_.operands(e)) {
      if (!is_and(part)) clauses.push_back(part);
    }
  }
  return clauses;
}

}  // namespace relayopt::tir
