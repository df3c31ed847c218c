// Rewriter: the way passes rewrite tensor programs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/result.h"
#include "relayopt/tir/ir/prim_func.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

// Rewrites terms bottom-up with a rule. Results are remembered until Forget is called, so that a shared subterm is
// rewritten once.
class ExprRewriter {
 public:
  // Returns the replacement of a term whose operands have been rewritten: `old` is the original term, `made` the term
  // with its new operands (made by the plain constructor). May return `made`.
  using Rule = std::function<PrimExpr(PrimExpr old, PrimExpr made)>;

  ExprRewriter(Terms& terms, Rule rule) : terms_(terms), rule_(std::move(rule)) {}

  auto operator()(PrimExpr expr) -> PrimExpr;
  // To be called when the rule would give different answers from now on.
  void Forget() { ++stamp_; }

 private:
  struct Entry {
    PrimExpr made;
    uint32_t stamp = 0;
  };
  auto Known(PrimExpr expr) const -> PrimExpr;

  Terms& terms_;
  Rule rule_;
  uint32_t stamp_ = 1;
  absl::flat_hash_map<PrimExpr, Entry> memo_;
  std::vector<PrimExpr> stack_;
  std::vector<PrimExpr> operands_;
};

// Rewrites the fields of buffers. A changed buffer becomes one new buffer, wherever it is used.
class BufferRewriter {
 public:
  explicit BufferRewriter(Tables& tables) : tables_(tables) {}
  // Returns the buffer with its fields rewritten by `exprs`; the buffer itself when nothing changes.
  auto operator()(BufferId id, ExprRewriter& exprs) -> BufferId;
  // To be called together with ExprRewriter::Forget.
  void Forget() { ++stamp_; }

 private:
  struct Entry {
    BufferId made;
    uint32_t stamp = 0;
  };
  Tables& tables_;
  uint32_t stamp_ = 1;
  absl::flat_hash_map<BufferId, Entry> memo_;
};

// Rebuilds a statement from new parts and expressions. `buffer` maps the buffers it refers to, `definition` the
// variable that it defines, and `node` an expression that is the node of an attribute.
auto Remake(StmtBuilder& builder, Stmt stmt, std::span<const StmtId> parts, std::span<const PrimExpr> exprs,
            const std::function<BufferId(BufferId)>& buffer, const std::function<PrimExpr(PrimExpr)>& definition,
            const std::function<PrimExpr(PrimExpr)>& node) -> StmtId;

// Whether a rewrite may be applied. A pass asks before a rewrite that can be left out by itself without making the
// others wrong: debug counters and --bisect leave them out one by one, and remarks report them (RewriteGate). Always
// true when nobody watches. `range` is the place of the statement; `before` and `after` say in a few words what becomes
// what.
auto MayRewrite(SourceRange range, std::string_view before, std::string_view after) -> bool;
// The same for an expression of a statement. True without being a rewrite when the expression stays the same.
auto MayRewrite(Stmt stmt, PrimExpr before, PrimExpr after) -> bool;

// A rewrite of one function. A pass derives a class, overrides what it needs and calls Run:
//
//   // Replaces loops of one iteration by their bodies.
//   class UnitLoops : public Rewriter {
//    public:
//     using Rewriter::Rewriter;
//    protected:
//     void EnterPart(Stmt stmt, size_t, Exprs exprs) override {
//       if (const auto loop = stmt.As<For>(); loop && terms().IsInt(loop->extent(), 1)) Replace(loop->loop_var(),
//       exprs[0]);
//     }
//     auto Leave(Stmt stmt, Parts parts) -> StmtId override {
//       const auto loop = stmt.As<For>();
//       return loop && terms().IsInt(loop->extent(), 1) ? parts.stmts[0] : Rewriter::Leave(stmt, parts);
//     }
//   };
//   return UnitLoops(func).Run();
//
// The statements are walked from the body downwards with a stack of their own, never by recursion. For each:
//
//   Enter(stmt)               may replace it, skip it, or look at another statement instead
//   RewriteExpr(stmt, e)      for its expressions, in the order of StmtNode's table
//   EnterPart(stmt, i, exprs) before part i is walked (0: the body, then-case, init or first statement)
//   Leave(stmt, parts)        makes the new statement
//
// so what is known inside of a statement is pushed in EnterPart and popped in Leave.
class Rewriter {
 public:
  explicit Rewriter(const PrimFunc& func);
  Rewriter(const Rewriter&) = delete;
  auto operator=(const Rewriter&) -> Rewriter& = delete;
  virtual ~Rewriter();

  // Returns the rewritten function, or nothing if it would be the same.
  auto Run() -> std::optional<PrimFunc>;
  // The same for a rewriter that may call Fail: returns the first error.
  auto RunOrFail() -> Result<std::optional<PrimFunc>>;
  auto fault() -> std::optional<Diagnostic>& { return fault_; }

 protected:
  using Exprs = std::span<const PrimExpr>;

  // How the walk continues after Enter.
  struct Descent {
    enum class Kind : uint8_t { kInto, kDone, kInstead } kind = Kind::kInto;
    StmtId stmt;
    // Rewrite the expressions and parts of the statement, then call Leave.
    static auto Into() -> Descent { return {}; }
    // The statement is replaced by `made`, of the new table, or removed (`Evaluate(0)`) when `made` is invalid. Nothing
    // inside is visited.
    static auto Done(StmtId made) -> Descent { return {Kind::kDone, made}; }
    // `other`, of the old table, is visited instead of the statement; usually it is one of its parts.
    static auto Instead(Stmt other) -> Descent { return {Kind::kInstead, other.id()}; }
  };
  // The rewritten parts and expressions of a statement. Valid during Leave, which may change them.
  struct Parts {
    std::span<StmtId> stmts;
    std::span<PrimExpr> exprs;
  };

  virtual auto Enter(Stmt stmt) -> Descent;
  virtual void EnterPart(Stmt stmt, size_t part, Exprs exprs);
  // Rebuilds the statement from its parts, mapping its buffers by RewriteBuffer.
  virtual auto Leave(Stmt stmt, Parts parts) -> StmtId;

  // Rewrites an expression of a statement: applies RewriteNode bottom-up. Results for terms are remembered until
  // ForgetExprs is called.
  virtual auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr;
  // Rewrites a term whose operands have been rewritten; see ExprRewriter::Rule. Replaces variables (see Replace) and
  // the buffers of loads (RewriteBuffer). Overriding functions have to call this one.
  virtual auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr;
  // Returns the replacement of a buffer in loads, stores, declarations and regions. The default replaces variables in
  // the fields of the buffer.
  virtual auto RewriteBuffer(BufferId buffer) -> BufferId;
  // Completes the parameters, the buffer map and the attributes of the new function; called last.
  virtual void Finish(PrimFuncInfo& info);

  // From now on replaces `var` by `value` in expressions, buffers and nodes of attributes, and where it is defined if
  // `value` is a variable. The replacement stays in effect until the end of the function. When a variable is defined
  // several times, restore the previous value afterwards, which is returned (invalid when there was none).
  auto Replace(PrimExpr var, PrimExpr value) -> PrimExpr;
  // To be called when RewriteNode would give different answers from now on.
  void ForgetExprs() { exprs_.Forget(); }

  // Records an error. Later ones are ignored.
  void Fail(Diagnostic fault) {
    if (!fault_) fault_ = std::move(fault);
  }
  auto failed() const -> bool { return fault_.has_value(); }

  auto func() const -> const PrimFunc& { return func_; }
  auto context() const -> Context& { return func_.context(); }
  auto terms() const -> Terms& { return terms_; }
  auto tables() const -> Tables& { return tables_; }
  // Returns the builder of the new statements.
  auto builder() -> StmtBuilder& { return builder_; }

 private:
  const PrimFunc& func_;
  Terms& terms_;
  Tables& tables_;
  StmtBuilder builder_;
  BufferRewriter buffers_;
  ExprRewriter exprs_;
  absl::flat_hash_map<PrimExpr, PrimExpr> replaced_;
  struct Frame;
  std::vector<Frame> frames_;
  std::vector<StmtId> done_;
  std::vector<PrimExpr> done_exprs_;
  std::optional<Diagnostic> fault_;
};

using VarMap = absl::flat_hash_map<PrimExpr, PrimExpr>;

// Replaces variables in an expression by terms of the same type. Nothing folds.
auto Substitute(Terms& terms, PrimExpr expr, const VarMap& map) -> PrimExpr;
// Replaces variables in a statement of any table of the builder's context: in expressions, in the fields of buffers (a
// changed buffer becomes one new buffer) and as nodes of attributes. Does not rename definitions.
auto Substitute(StmtBuilder& builder, Stmt stmt, const VarMap& map) -> StmtId;

}  // namespace relayopt::tir
