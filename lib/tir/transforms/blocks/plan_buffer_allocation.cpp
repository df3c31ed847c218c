// PlanAndUpdateBufferAllocationLocation: buffers are allocated in the innermost loop or block around their accesses.
//
// The innermost scope with all accesses of a buffer is known (DetectBufferAccessLCA). A block gets exactly the buffers
// whose scope it is; a loop gets a block around its body for them:
//
//   with T.block("root"):                             for i in range(16):
//       B = T.alloc_buffer((16, 16))                      with T.block(""):
//       for i in range(16):                                   T.reads(A[i, 0:16])
//           for j in range(16): ... B[i, j] = A[i, j]    ->   T.writes(C[i, 0:16])
//           for j in range(16): ... C[i, j] = B[i, j]         B = T.alloc_buffer((16, 16))
//                                                             for j in range(16): ...
//
// A loop that carries values from one iteration to the next in a buffer stays inside (CarriedValues): the buffer is
// allocated around it.
//
// What a block reads and writes of buffers that cannot be seen from outside any more is not such a region.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/block_regions.h"
#include "lib/tir/transforms/utils/carried_values.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/analysis/buffer_accesses.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kPlanInit{
    "plan-allocation-init", Severity::kError,
    "tir.PlanAndUpdateBufferAllocationLocation: a block still has an initialisation: run "
    "tir.LowerInitBlock first"};
constexpr DiagnosticKind kRealize{
    "plan-allocation-realize", Severity::kError,
    "tir.PlanAndUpdateBufferAllocationLocation: T.realize is not for programs with blocks"};

class AllocationPlanner : public Rewriter {
 public:
  explicit AllocationPlanner(const PrimFunc& func) : Rewriter(func) { Plan(); }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (stmt.is(StmtKind::kRealize)) Fail(MakeDiagnostic(kRealize, stmt.range()));
    if (const auto block = stmt.As<Block>(); block && block->has_init()) Fail(MakeDiagnostic(kPlanInit, stmt.range()));
    if (const auto found = planned_.find(stmt.id()); found != planned_.end()) {
      for (const BufferId buffer : found->second) visible_[tables().buffer(buffer).data] = buffer;
    }
    if (const auto block = stmt.As<Block>()) {
      for (const BlockMatch& match : block->match_buffers()) {
        visible_[tables().buffer(match.buffer).data] = match.buffer;
      }
    }
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto found = planned_.find(stmt.id());
    const auto hide = [&] {
      if (found == planned_.end()) return;
      for (const BufferId buffer : found->second) visible_.erase(tables().buffer(buffer).data);
    };
    if (const auto block = stmt.As<Block>()) {
      for (const BlockMatch& match : block->match_buffers()) visible_.erase(tables().buffer(match.buffer).data);
      hide();
      return LeaveBlock(*block, parts, found != planned_.end() ? found->second : std::vector<BufferId>());
    }
    if (found != planned_.end()) {
      hide();
      parts.stmts[0] = RealizeBlock(builder(), OpaqueBlock(builder(), parts.stmts[0], visible_, found->second));
    }
    return Rewriter::Leave(stmt, parts);
  }

 private:
  void Plan() {
    const auto lca = DetectBufferAccessLCA(func());
    const absl::flat_hash_set<PrimExpr> unmanaged = CollectUnmanaged();
    const absl::flat_hash_map<BufferId, StmtId> homes = Homes();
    // Made when a buffer is to move.
    std::optional<CarriedValues> carried;
    absl::flat_hash_set<PrimExpr> params;
    for (const BufferBinding& binding : func().buffer_map()) {
      const PrimExpr data = tables().buffer(binding.buffer).data;
      params.insert(data);
      visible_[data] = binding.buffer;
    }
    for (const BufferId buffer : BuffersInOrder()) {
      const auto scope = lca.find(buffer);
      const PrimExpr data = tables().buffer(buffer).data;
      if (scope == lca.end() || params.contains(data)) continue;
      if (!unmanaged.contains(data)) PlanOne(buffer, scope->second, homes, carried);
      visible_[data] = buffer;
    }
  }

  void PlanOne(BufferId buffer, StmtId scope, const absl::flat_hash_map<BufferId, StmtId>& homes,
               std::optional<CarriedValues>& carried) {
    const auto home = homes.find(buffer);
    if (home != homes.end() && scope && scope != home->second && func().stmts().Contains(home->second, scope)) {
      if (!carried) carried.emplace(func());
      scope = carried->PlaceFor(tables().buffer(buffer).data, scope, home->second);
    }
    // As TVM: a buffer that nothing declares and the whole function accesses stays undeclared.
    if (scope) planned_[scope].push_back(buffer);
  }

  // Returns the blocks that allocate buffers.
  auto Homes() const -> absl::flat_hash_map<BufferId, StmtId> {
    absl::flat_hash_map<BufferId, StmtId> homes;
    for (StmtId id(0U); id.value() < func().size(); ++id) {
      const auto block = func().stmt(id).As<Block>();
      if (!block) continue;
      for (const BufferId buffer : block->alloc_buffers()) homes.try_emplace(buffer, id);
    }
    return homes;
  }

  // Memory that others have allocated.
  auto CollectUnmanaged() const -> absl::flat_hash_set<PrimExpr> {
    absl::flat_hash_set<PrimExpr> unmanaged;
    for (const PrimExpr param : func().params()) {
      if (terms().var(param).type.kind == arith::VarType::Kind::kPointer) unmanaged.insert(param);
    }
    for (StmtId id(0U); id.value() < func().size(); ++id) {
      if (const auto alloc = func().stmt(id).As<Allocate>()) unmanaged.insert(alloc->buffer_var());
      if (const auto alloc = func().stmt(id).As<AllocateConst>()) unmanaged.insert(alloc->buffer_var());
      // A pointer that was taken from an argument.
      if (const auto let = func().stmt(id).As<LetStmt>()) unmanaged.insert(let->var());
    }
    return unmanaged;
  }

  // Returns the buffers of the function in the order of their allocation.
  auto BuffersInOrder() const -> std::vector<BufferId> {
    std::vector<BufferId> order;
    absl::flat_hash_set<BufferId> seen;
    const auto add = [&](BufferId buffer) {
      if (seen.insert(buffer).second) order.push_back(buffer);
    };
    for (const BufferBinding& binding : func().buffer_map()) add(binding.buffer);
    Walk(
        func().body(),
        [&](Stmt stmt) {
          if (const auto block = stmt.As<Block>()) {
            for (const BufferId buffer : block->alloc_buffers()) add(buffer);
            for (const BlockMatch& match : block->match_buffers()) add(match.source.buffer);
          }
          if (const auto store = stmt.As<BufferStore>()) add(store->buffer());
          for (const PrimExpr expr : stmt.exprs()) AddLoads(expr, add);
          return true;
        },
        [](Stmt) {});
    return order;
  }

  // Loads before those in their indices.
  template <typename Add>
  void AddLoads(PrimExpr root, Add&& add) const {
    absl::flat_hash_set<PrimExpr> seen;
    std::vector<PrimExpr> stack = {root};
    while (!stack.empty()) {
      const PrimExpr e = stack.back();
      stack.pop_back();
      if (!seen.insert(e).second) continue;
      if (terms().kind(e) == PrimKind::kBufferLoad) add(terms().buffer(e));
      const auto operands = terms().operands(e);
      for (size_t i = operands.size(); i-- > 0;) stack.push_back(operands[i]);
    }
  }

  auto LeaveBlock(const Block& block, Parts parts, std::vector<BufferId> buffers) -> StmtId {
    BlockInfo info = block.info();
    info.alloc_buffers = std::move(buffers);
    std::vector<PrimExpr> exprs(parts.exprs.begin(),
                                parts.exprs.begin() + static_cast<ptrdiff_t>(2 * info.axes.size()));
    const auto take = [&](BlockRegion& region) {
      const auto first = parts.exprs.begin() + region.first;
      region.first = static_cast<uint32_t>(exprs.size());
      exprs.insert(exprs.end(), first, first + static_cast<ptrdiff_t>(2 * size_t{region.ndim}));
    };
    for (auto* regions : {&info.reads, &info.writes}) {
      std::erase_if(*regions,
                    [&](const BlockRegion& region) { return !visible_.contains(tables().buffer(region.buffer).data); });
      for (BlockRegion& region : *regions) take(region);
    }
    for (BlockMatch& match : info.match_buffers) take(match.source);
    return builder().Block(std::move(info), exprs, parts.stmts.back());
  }

  absl::flat_hash_map<StmtId, std::vector<BufferId>> planned_;
  // Buffers that exist at the position of the walk; also those that are not reached yet.
  BuffersByData visible_;
};

}  // namespace

constinit const PassDef kPlanAndUpdateBufferAllocationLocationPass =
    DescribePass<RewriterPass<AllocationPlanner, OlderSchedules::kStay>>({
        .name = "tir.PlanAndUpdateBufferAllocationLocation",
        .summary = "Allocate buffers in the innermost loop or block around their accesses",
        .details = R"(  with T.block("root"):                             for i in range(16):
      B = T.alloc_buffer((16, 16))                      with T.block(""):
      for i in range(16):                                   T.reads(A[i, 0:16])
          for j in range(16): ... B[i, j] = A[i, j]    ->   T.writes(C[i, 0:16])
          for j in range(16): ... C[i, j] = B[i, j]         B = T.alloc_buffer((16, 16))
                                                            for j in range(16): ...

A loop that carries values in a buffer stays inside of the allocation. Buffers that nobody accesses go. What T.allocate has allocated, and what belongs to parameters, stays.)",
        .aliases = "tir.transform.PlanAndUpdateBufferAllocationLocation",
        .idempotent = true,
    });

}  // namespace relayopt::tir
