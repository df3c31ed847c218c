// The innermost loop or block with all accesses of a buffer.
//
// Statements are walked in order, and the scope of a buffer grows with each access until it contains that one. Since
// "contains" is two comparisons and a scope only moves outwards, all this is linear.
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/analysis/buffer_accesses.h"
#include "relayopt/tir/analysis/storage_scope.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

class LcaDetector {
 public:
  explicit LcaDetector(const PrimFunc& func)
      : func_(func), tables_(func.tables()), terms_(func.terms()), outer_(func.size(), StmtId()) {
    for (const BufferBinding& binding : func.buffer_map()) Know(binding.buffer);
  }

  auto Run() -> absl::flat_hash_map<BufferId, StmtId> {
    Walk(
        func_.body(),
        [&](Stmt stmt) {
          Enter(stmt);
          return true;
        },
        [&](Stmt stmt) {
          if (stmt.is(StmtKind::kFor) || stmt.is(StmtKind::kBlockRealize)) scopes_.pop_back();
        });
    JoinBlockIdx();
    for (const BufferId view : views_) lca_.erase(view);
    return std::move(lca_);
  }

 private:
  // Returns the current scope of the walk, or none outside of all scopes.
  auto Scope() const -> StmtId { return scopes_.empty() ? StmtId() : scopes_.back(); }

  void Know(BufferId buffer) { known_.try_emplace(tables_.buffer(buffer).data, buffer); }

  void Open(StmtId scope) {
    outer_[scope.value()] = Scope();
    scopes_.push_back(scope);
  }

  // Returns the innermost scope that contains both.
  auto Join(StmtId a, StmtId b) const -> StmtId {
    if (!a || !b) return {};
    while (a && !func_.stmts().Contains(a, b)) a = outer_[a.value()];
    return a;
  }

  void Update(BufferId buffer, StmtId scope) {
    const auto [at, is_new] = lca_.try_emplace(buffer, scope);
    if (!is_new) at->second = Join(at->second, scope);
  }

  void Enter(Stmt stmt) {
    if (const auto loop = stmt.As<For>()) {
      Open(stmt.id());
      loops_[loop->loop_var()] = stmt.id();
      if (loop->thread_binding() && IsBlockIdx(loop->thread_binding())) block_idx_.push_back(stmt.id());
    }
    if (const auto attr = stmt.As<AttrStmt>();
        attr && attr->key_text() == "thread_extent" && attr->node().iter_var() && IsBlockIdx(attr->node().iter_var())) {
      block_idx_.push_back(Scope());
    }
    if (const auto realize = stmt.As<BlockRealize>()) EnterBlock(*realize);
    if (const auto realize = stmt.As<BufferRealize>()) Know(realize->buffer());
    if (const auto store = stmt.As<BufferStore>()) {
      Know(store->buffer());
      Update(store->buffer(), Scope());
    }
    for (const PrimExpr expr : stmt.exprs()) VisitExpr(expr);
  }

  auto IsBlockIdx(IterVarId iter) const -> bool {
    const auto scope = ParseThreadScope(func_.context().text(tables_.iter_var(iter).thread_tag));
    return scope && scope->rank == 0;
  }

  void EnterBlock(const BlockRealize& realize) {
    const Block block = realize.block();
    for (const BufferId buffer : block.alloc_buffers()) Know(buffer);
    Open(block.id());
    UpdateOpaque(realize);
    for (const BlockMatch& match : block.match_buffers()) {
      Update(match.source.buffer, Scope());
      views_.push_back(match.buffer);
    }
  }

  void VisitExpr(PrimExpr root) {
    for (const PrimExpr part : arith::PostOrder(terms_, root)) {
      if (terms_.kind(part) == PrimKind::kBufferLoad) {
        Know(terms_.buffer(part));
        Update(terms_.buffer(part), Scope());
      } else if (terms_.is_var(part)) {
        const auto found = known_.find(part);
        if (found != known_.end()) Update(found->second, Scope());
      }
    }
  }

  // Accesses at positions that depend on opaque iteration variables.
  void UpdateOpaque(const BlockRealize& realize) {
    const Block block = realize.block();
    // The outermost loop of each access.
    absl::flat_hash_map<PrimExpr, StmtId> dominators;
    for (size_t i = 0; i < realize.values().size(); ++i) {
      const BlockAxis& axis = block.axes()[i];
      if (axis.type == IterType::kDataPar || axis.type == IterType::kCommReduce) continue;
      for (const PrimExpr var : arith::FreeVars(terms_, realize.values()[i])) {
        const auto loop = loops_.find(var);
        if (loop == loops_.end()) continue;
        const auto [at, is_new] = dominators.try_emplace(axis.var, outer_[loop->second.value()]);
        if (!is_new) at->second = Outermost(at->second, outer_[loop->second.value()]);
      }
    }
    if (dominators.empty()) return;
    for (const auto regions : {block.reads(), block.writes()}) {
      for (const BlockRegion& region : regions) {
        StmtId scope = Scope();
        for (const PrimExpr bound : block.bounds(region)) {
          for (const PrimExpr var : arith::FreeVars(terms_, bound)) {
            const auto found = dominators.find(var);
            if (found != dominators.end()) scope = Outermost(scope, found->second);
          }
        }
        Update(region.buffer, scope);
      }
    }
  }

  // Returns the outer one of two scopes, one of which contains the other.
  auto Outermost(StmtId a, StmtId b) const -> StmtId {
    if (!a || !b) return {};
    return func_.stmts().Contains(a, b) ? a : b;
  }

  void JoinBlockIdx() {
    for (auto& [buffer, scope] : lca_) {
      const auto storage = ParseStorageScope(tables_.Scope(buffer));
      if (!storage || storage->rank != StorageRank::kGlobal) continue;
      for (const StmtId block_idx : block_idx_) scope = Join(scope, block_idx);
    }
  }

  const PrimFunc& func_;
  Tables& tables_;
  Terms& terms_;
  BuffersByData known_;
  absl::flat_hash_map<BufferId, StmtId> lca_;
  std::vector<BufferId> views_;
  // The open scopes, and the enclosing scope of every scope.
  std::vector<StmtId> scopes_;
  std::vector<StmtId> outer_;
  absl::flat_hash_map<PrimExpr, StmtId> loops_;
  std::vector<StmtId> block_idx_;
};

}  // namespace

auto DetectBufferAccessLCA(const PrimFunc& func) -> absl::flat_hash_map<BufferId, StmtId> {
  return LcaDetector(func).Run();
}

}  // namespace relayopt::tir
