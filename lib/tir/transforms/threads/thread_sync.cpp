// ThreadSync: barriers where threads of a block read what others write.
//
//   with T.launch_thread("threadIdx.x", 16) as tx:
//       A[tx] = B[tx]                        A[tx] = B[tx]
//       C[tx] = A[15 - tx]              ->   T.tvm_storage_sync("shared")
//                                            C[tx] = A[15 - tx]
//
// Their positions are planned first (thread_accesses.h). A barrier of the scope "global" holds for all blocks: it
// counts them and needs a thread that leads, and the runtime has to be prepared before the launch.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/thread_accesses.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kBadScope{"sync-scope", Severity::kError, "ThreadSync: {} is not a storage scope"};
constexpr DiagnosticKind kNoInflight{"sync-inflight", Severity::kError,
                                     "an attribute async_wait_queue_scope holds one async_wait_inflight_count"};

auto Barrier(Terms& terms, std::string_view scope) -> PrimExpr {
  return terms.Call(DataType::Int(32), terms.Intrinsic("tir.tvm_storage_sync"_intrin), {terms.StringImm(scope)});
}

// Copies that were waited for are there for the thread that waited: the others learn of it by a barrier.
class BarriersBehindWaits : public Rewriter {
 public:
  BarriersBehindWaits(const PrimFunc& func, std::string_view scope) : Rewriter(func), scope_(scope) {}

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto attr = stmt.As<AttrStmt>();
    if (!attr || attr->key_text() != "async_wait_queue_scope") return Rewriter::Leave(stmt, parts);
    const auto inner = builder().stmt(parts.stmts[0]).As<AttrStmt>();
    if (!inner || inner->key_text() != "async_wait_inflight_count") {
      Fail(MakeDiagnostic(kNoInflight, stmt.range()));
      return Rewriter::Leave(stmt, parts);
    }
    const PrimExpr count = inner->value();
    const StmtId body = builder().Seq({builder().Evaluate(Barrier(terms(), scope_)), inner->body().id()});
    const PrimExpr zero = terms().Int32(0);
    return builder().Attr(zero, attr->key(), attr->value(),
                          builder().Attr(zero, "async_wait_inflight_count", count, body));
  }

 private:
  std::string_view scope_;
};

class BarrierInserter : public Rewriter {
 public:
  BarrierInserter(const PrimFunc& func, std::string_view scope, const absl::flat_hash_set<StmtId>& barriers)
      : Rewriter(func),
        scope_(scope),
        is_global_(ParseStorageScope(scope)->rank == StorageRank::kGlobal),
        barriers_(barriers) {}

 protected:
  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override {
    if (is_global_) CountAccesses(stmt, expr);
    return expr;
  }

  auto Enter(Stmt stmt) -> Descent override {
    if (IsThread(stmt)) threads_.push_back(stmt);
    if (barriers_.contains(stmt.id()) && is_global_) NoteBlocks();
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (IsThread(stmt)) threads_.pop_back();
    const bool ends_kernel = IsThread(stmt) && threads_.empty();
    StmtId made = is_global_ && ends_kernel ? Prepared(AttrStmt(stmt), parts.stmts[0]) : Rewriter::Leave(stmt, parts);
    if (!barriers_.contains(stmt.id())) return made;
    const PrimExpr barrier = is_global_
                                 ? terms().Call(DataType::Int(32), terms().Intrinsic("tir.tvm_storage_sync"_intrin),
                                                {terms().StringImm(scope_), is_lead_, num_blocks_})
                                 : Barrier(terms(), scope_);
    return builder().Seq({builder().Evaluate(barrier), made});
  }

 private:
  static auto IsThread(Stmt stmt) -> bool {
    const auto attr = stmt.As<AttrStmt>();
    return attr && attr->key_text() == "thread_extent" && attr->node().iter_var();
  }

  void See(PrimExpr data, bool reads, bool writes) {
    const auto scope = ParseStorageScope(ScopeOf(terms(), context(), data));
    if (!scope || scope->rank != StorageRank::kGlobal) return;
    const auto [at, is_new] = used_.try_emplace(data);
    if (is_new) order_.push_back(data);
    at->second.reads = at->second.reads || reads;
    at->second.writes = at->second.writes || writes;
  }

  void CountAccesses(Stmt stmt, PrimExpr expr) {
    if (const auto store = stmt.As<BufferStore>()) See(tables().buffer(store->buffer()).data, false, true);
    if (terms().operands(expr).empty()) return;
    for (const PrimExpr part : arith::PostOrder(terms(), expr)) {
      if (terms().kind(part) == PrimKind::kBufferLoad) See(tables().buffer(terms().buffer(part)).data, true, false);
      if (!terms().IsCall(part, access_ptr_)) continue;
      const int64_t mask = terms().AsInt(terms().operand(part, 4)).value_or(3);
      See(terms().operand(part, 1), (mask & 1) != 0, (mask & 2) != 0);
    }
  }

  // For a kernel: the number of blocks, and the leading thread of a block.
  void NoteBlocks() {
    if (num_blocks_) return;
    for (const Stmt thread : threads_) {
      const AttrStmt attr(thread);
      const IterVar& iter = tables().iter_var(attr.node().iter_var());
      const auto scope = ParseThreadScope(context().text(iter.thread_tag));
      if (!scope) continue;
      if (scope->rank == 0) {
        num_blocks_ = num_blocks_ ? arith::Mul(terms(), attr.value(), num_blocks_) : attr.value();
      } else {
        const PrimExpr first = arith::Eq(terms(), iter.var, arith::MakeZero(terms(), terms().dtype(iter.var)));
        is_lead_ = is_lead_ ? arith::And(terms(), is_lead_, first) : first;
      }
    }
    if (!num_blocks_) num_blocks_ = terms().Int32(1);
    if (!is_lead_) is_lead_ = terms().Bool(true);
  }

  // Returns the launch with what barriers of all blocks need.
  auto Prepared(const AttrStmt& attr, StmtId body) -> StmtId {
    const PrimExpr prepare = terms().Call(DataType::Int(32), terms().Intrinsic("tir.tvm_call_packed"_intrin),
                                          {terms().StringImm("__tvm_prepare_global_barrier")});
    for (const PrimExpr data : order_) {
      const Use& use = used_.at(data);
      if (use.reads && use.writes) body = builder().Attr(data, "volatile_scope", terms().Int32(1), body);
    }
    order_.clear();
    used_.clear();
    num_blocks_ = is_lead_ = {};
    const PrimExpr init = terms().Call(DataType::Int(32), terms().Intrinsic("tir.tvm_global_barrier_kinit"_intrin), {});
    body = builder().Seq({builder().Evaluate(init), body});
    return builder().Seq({builder().Evaluate(prepare), builder().Attr(attr.node(), attr.key(), attr.value(), body)});
  }

  struct Use {
    bool reads = false;
    bool writes = false;
  };

  std::string_view scope_;
  bool is_global_;
  const absl::flat_hash_set<StmtId>& barriers_;
  arith::CallOpId access_ptr_ = terms().Intrinsic("tir.tvm_access_ptr"_intrin);
  std::vector<Stmt> threads_;
  PrimExpr num_blocks_;
  PrimExpr is_lead_;
  // Global memory of the kernel, in the order of the first accesses.
  absl::flat_hash_map<PrimExpr, Use> used_;
  std::vector<PrimExpr> order_;
};

struct ThreadSyncOptions {
  std::string storage_scope = "shared";
  static constexpr auto Fields() {
    return std::array{
        Option<&ThreadSyncOptions::storage_scope>("the memory that threads share: shared, shared.dyn, warp or global")};
  }
};

struct ThreadSyncPass {
  using Options = ThreadSyncOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    const std::optional<StorageScope> scope = ParseStorageScope(options.storage_scope);
    if (!scope) return MakeDiagnostic(kBadScope, {}, options.storage_scope);
    std::optional<PrimFunc> waits;
    if (scope->rank == StorageRank::kShared && scope->tag.empty()) {
      RELAYOPT_TRY(waits, BarriersBehindWaits(func, options.storage_scope).RunOrFail());
    }
    const PrimFunc& current = waits ? *waits : func;
    std::optional<Diagnostic> fault;
    const absl::flat_hash_set<StmtId> barriers = PlanBarriers(current, *scope, fault);
    if (fault) return *std::move(fault);
    if (barriers.empty()) return waits;
    std::optional<PrimFunc> made = BarrierInserter(current, options.storage_scope, barriers).Run();
    return made ? std::move(made) : std::move(waits);
  }
};

}  // namespace

constinit const PassDef kThreadSyncPass = DescribePass<ThreadSyncPass>({
    .name = "tir.ThreadSync",
    .summary = "Insert barriers between writes and reads of different threads",
    .details = R"(  with T.launch_thread("threadIdx.x", 16) as tx:          A[tx] = B[tx]
      A[tx] = B[tx]                                  ->   T.tvm_storage_sync("shared")
      C[tx] = A[15 - tx]                                  C[tx] = A[15 - tx]

For memory of one scope, inside of kernels. A barrier that would have to stand in a condition is an error.)",
    .aliases = "tir.transform.ThreadSync",
    .idempotent = true,
});

}  // namespace relayopt::tir
