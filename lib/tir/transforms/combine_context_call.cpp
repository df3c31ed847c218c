// CombineContextCall: what a function asks of its context is asked once.
//
//   T.evaluate(T.tvm_thread_context(T.call_extern("handle", "ctx")))      ctx_cache_: T.handle =
//   T.call_extern("handle", "ctx") T.evaluate(T.tvm_thread_context(T.call_extern("handle", "ctx")))  ->
//   T.evaluate(ctx_cache_)
//                                                                         T.evaluate(ctx_cache_)
//
// Threads and parallel iterations have contexts of their own, and ask by themselves.
#include "lib/tir/transforms/host_func.h"
#include "lib/tir/transforms/passes.h"

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

  auto WithCalls(StmtId body) -> StmtId {
    const Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    for (const PrimExpr call : scope.calls) body = builder().Let(scope.vars.at(call), call, body);
    return body;
  }

  arith::CallOpId context_of_ = terms().Intrinsic("tir.tvm_thread_context");
  std::vector<Scope> scopes_;
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
