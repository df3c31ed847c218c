// The one shape of rewriting tensor programs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/tir/ir/prim_func.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

// Rewrites terms bottom-up with a rule. What a term became is remembered until Forget, so a shared part costs once.
class ExprRewriter {
 public:
  // What becomes of a term whose operands have been rewritten: `made` is the term with its new operands (made by the
  // plain constructor), `old` the term as it was. The rule may return `made`.
  using Rule = std::function<PrimExpr(PrimExpr old, PrimExpr made)>;

  ExprRewriter(Terms& terms, Rule rule) : terms_(terms), rule_(std::move(rule)) {}

  auto operator()(PrimExpr expr) -> PrimExpr;
  // To be called when the rule would answer differently from now on.
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

// Buffers whose fields are rewritten: a changed buffer is one new buffer wherever it is asked for.
class BufferRewriter {
 public:
  explicit BufferRewriter(Tables& tables) : tables_(tables) {}
  // `id` with its fields rewritten by `exprs`; itself when nothing changes.
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

// Makes a statement anew: `buffer` answers what becomes of a buffer that it names, `definition` of a variable that it
// defines, `node` of an expression that is the node of an attribute.
auto Remake(StmtBuilder& builder, Stmt stmt, std::span<const StmtId> parts, std::span<const PrimExpr> exprs,
            const std::function<BufferId(BufferId)>& buffer, const std::function<PrimExpr(PrimExpr)>& definition,
            const std::function<PrimExpr(PrimExpr)>& node) -> StmtId;

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

  // The rewritten function; nothing when it would be the same.
  auto Run() -> std::optional<PrimFunc>;

 protected:
  using Exprs = std::span<const PrimExpr>;

  // What becomes of a statement that was entered.
  struct Descent {
    enum class Kind : uint8_t { kInto, kDone, kInstead } kind = Kind::kInto;
    StmtId stmt;
    // Rewrite its expressions and parts, then Leave.
    static auto Into() -> Descent { return {}; }
    // `made`, of the new table, stands in its place; none: it is removed (`Evaluate(0)`). Nothing in it is looked at.
    static auto Done(StmtId made) -> Descent { return {Kind::kDone, made}; }
    // `other`, of the old table, is looked at in its place: most often one of its parts.
    static auto Instead(Stmt other) -> Descent { return {Kind::kInstead, other.id()}; }
  };
  // What has become of the parts and expressions of a statement; valid during Leave, which may change them.
  struct Parts {
    std::span<StmtId> stmts;
    std::span<PrimExpr> exprs;
  };

  virtual auto Enter(Stmt stmt) -> Descent;
  virtual void EnterPart(Stmt stmt, size_t part, Exprs exprs);
  // Makes the statement anew from its parts; its buffers become what RewriteBuffer says.
  virtual auto Leave(Stmt stmt, Parts parts) -> StmtId;

  // An expression of a statement. Applies RewriteNode bottom-up; what it answers is remembered for each term until
  // ForgetExprs.
  virtual auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr;
  // A term whose operands have been rewritten; see ExprRewriter::Rule. Replaces variables (Replace) and the buffers of
  // loads (RewriteBuffer); who overrides it calls this one.
  virtual auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr;
  // The buffer that stands for `buffer` from now on, in loads, stores, declarations and regions. By default the buffer
  // with the variables in its fields replaced.
  virtual auto RewriteBuffer(BufferId buffer) -> BufferId;
  // Parameters, buffer map and attributes of the new function; called last.
  virtual void Finish(PrimFuncInfo& info);

  // `var` is `value` from now on, in expressions, buffers and nodes of attributes; where the value is a variable too,
  // also where it is defined. Stays for the whole function: where a variable is defined several times, put back what
  // was there (the returned value; none when nothing was).
  auto Replace(PrimExpr var, PrimExpr value) -> PrimExpr;
  // To be called when RewriteNode would answer differently from now on.
  void ForgetExprs() { exprs_.Forget(); }

  auto func() const -> const PrimFunc& { return func_; }
  auto context() const -> Context& { return func_.context(); }
  auto terms() const -> Terms& { return terms_; }
  auto tables() const -> Tables& { return tables_; }
  // Where the new statements are made.
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
};

using VarMap = absl::flat_hash_map<PrimExpr, PrimExpr>;

// `expr` with variables replaced by terms of the same type. Nothing folds.
auto Substitute(Terms& terms, PrimExpr expr, const VarMap& map) -> PrimExpr;
// `stmt`, of any table of the builder's context, with variables replaced in expressions, in the fields of buffers (a
// changed buffer is the same new buffer everywhere) and as nodes of attributes. Definitions stay as they are.
auto Substitute(StmtBuilder& builder, Stmt stmt, const VarMap& map) -> StmtId;

}  // namespace relayopt::tir
