// The statements into which a reduction of a block over threads is lowered.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/tir/transforms/utils/block_reduction.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// A reduction that is being lowered.
struct ReductionPlan {
  BlockRealize realize;
  BlockReduction reduction;
  // From the outermost one.
  std::vector<For> loops;
  // The results of all threads, and those of each thread (empty when each has only one value).
  std::vector<BufferId> results;
  std::vector<BufferId> partial;
};

class ReductionStatements {
 public:
  ReductionStatements(StmtBuilder& builder, const ReductionPlan& plan)
      : builder_(builder), terms_(builder.terms()), tables_(builder.tables()), plan_(plan) {}

  // Returns the first element of a buffer, and a store to it.
  static auto LoadFirst(const Tables& tables, BufferId buffer) -> PrimExpr;
  static auto StoreFirst(StmtBuilder& builder, BufferId buffer, PrimExpr value) -> StmtId;

  // Returns the block of the plan without its initialization, made from its rewritten expressions and body.
  auto InThread(std::span<const PrimExpr> exprs, StmtId body) -> StmtId;
  // All statements, in loops over the threads of the reduction. `inside` is what is left of the loops of the reduction.
  auto Assemble(StmtId inside) -> StmtId;

 private:
  auto InitializePartial() -> StmtId;
  auto CrossThread() -> StmtId;
  auto WriteBack() -> StmtId;
  auto WriteBackCondition() const -> PrimExpr;
  auto Clauses(PrimExpr condition) const -> std::vector<PrimExpr>;
  auto Realize(std::span<const PrimExpr> values, PrimExpr predicate, BlockInfo info, std::span<const PrimExpr> exprs,
               StmtId body) -> StmtId;
  auto Named(std::string_view suffix) const -> StringId;
  auto First(std::vector<PrimExpr>& exprs, const std::vector<BufferId>& buffers) const -> std::vector<BlockRegion>;

  StmtBuilder& builder_;
  Terms& terms_;
  Tables& tables_;
  const ReductionPlan& plan_;
};

}  // namespace relayopt::tir
