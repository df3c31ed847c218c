// CombineContextCall: requests each context of a function only once.
//
//   f(T.tvm_thread_context(c))         ctx_cache_: T.handle = c
//   g(T.tvm_thread_context(c))   ->    f(ctx_cache_)
//                                      g(ctx_cache_)
//
// Threads and parallel iterations have contexts of their own, requested inside them. A context that depends on a
// variable which is defined inside of such a scope cannot be requested before it: it is evaluated where it is needed.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/host_func.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

namespace {

class ContextCombiner : public Rewriter {
 public:
  explicit ContextCombiner(const PrimFunc& func) : Rewriter(func) { scopes_.emplace_back(); }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (HasContext(stmt)) {
      scopes_.emplace_back();
      ForgetExprs();
    }
    Define(stmt);
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    StmtId made = Rewriter::Leave(stmt, parts);
    if (HasContext(stmt)) {
      made = WithCalls(made);
      ForgetExprs();
    }
    return stmt == func().body() ? WithCalls(made) : made;
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = Rewriter::RewriteNode(old, made);
    if (!terms().IsCall(made, context_of_) || terms().num_operands(made) != 1) return made;
    const PrimExpr call = terms().operand(made, 0);
    if (IsBoundToItsPlace(call)) return call;
    const auto [at, is_new] = scopes_.back().vars.try_emplace(call);
    if (is_new) {
      at->second = terms().Var("ctx_cache_", terms().dtype(call));
      scopes_.back().calls.push_back(call);
    }
    return at->second;
  }

 private:
  // The contexts requested in a scope, in this order.
  struct Scope {
    VarMap vars;
    std::vector<PrimExpr> calls;
  };

  static auto HasContext(Stmt stmt) -> bool {
    const auto loop = stmt.As<For>();
    if (loop) return loop->for_kind() == ForKind::kParallel;
    const auto attr = stmt.As<AttrStmt>();
    return attr && (attr->key_text() == "thread_extent" || attr->key_text() == "coproc_uop_scope");
  }

  // Remembers the scope in which the variables of the statement are defined.
  void Define(Stmt stmt) {
    const auto define = [this](PrimExpr var) { defined_in_[var] = scopes_.size(); };
    if (const auto loop = stmt.As<For>()) define(loop->loop_var());
    if (const auto let = stmt.As<LetStmt>()) define(let->var());
    if (const auto alloc = stmt.As<Allocate>()) define(alloc->buffer_var());
    if (const auto alloc = stmt.As<AllocateConst>()) define(alloc->buffer_var());
    if (const auto attr = stmt.As<AttrStmt>(); attr && attr->node().iter_var()) {
      define(tables().iter_var(attr->node().iter_var()).var);
    }
    if (const auto block = stmt.As<Block>()) {
      for (const BlockAxis& axis : block->axes()) define(axis.var);
      for (const BufferId buffer : block->alloc_buffers()) define(tables().buffer(buffer).data);
    }
  }

  // Whether a context uses something that is defined in the innermost scope, or by a let around it in its expression.
  auto IsBoundToItsPlace(PrimExpr call) -> bool {
    for (const PrimExpr part : arith::PostOrder(terms(), call)) {
      if (terms().kind(part) == PrimKind::kLet) return true;
      const auto found = terms().is_var(part) ? defined_in_.find(part) : defined_in_.end();
      if (found != defined_in_.end() && found->second == scopes_.size()) return true;
    }
    return false;
  }

  auto WithCalls(StmtId body) -> StmtId {
    const Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    for (const PrimExpr call : scope.calls) body = builder().Let(scope.vars.at(call), call, body);
    return body;
  }

  arith::CallOpId context_of_ = terms().Intrinsic("tir.tvm_thread_context"_intrin);
  std::vector<Scope> scopes_;
  // The number of scopes that are open where a variable is defined.
  absl::flat_hash_map<PrimExpr, size_t> defined_in_;
};

struct CombineContextCallPass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    return IsHostFunc(func) ? ContextCombiner(func).Run() : std::nullopt;
  }
};

}  // namespace

constinit const PassDef kCombineContextCallPass = DescribePass<CombineContextCallPass>({
    .name = "tir.CombineContextCall",
    .summary = "Request a context once for each function, thread or parallel loop",
    .details = R"(  f(T.tvm_thread_context(c))        ctx_cache_: T.handle = c
  g(T.tvm_thread_context(c))   ->   f(ctx_cache_)
                                    g(ctx_cache_)

In functions for the host.)",
    .aliases = "tir.transform.CombineContextCall",
    .idempotent = true,
});

}  // namespace relayopt::tir
