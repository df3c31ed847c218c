// RewriteUnsafeSelect: a Select evaluates both values, so one that guards a memory access becomes an if_then_else,
// which evaluates only the value that is chosen.
//
//   T.Select(i > 1, A[i - 1], T.float32(1))    ->    T.if_then_else(i > 1, A[i - 1], T.float32(1))
//
// A value is unsafe when it loads, or calls something that may have an effect. What an inner if_then_else or Select
// guards is safe: inner ones are rewritten first.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/prim_expr.h"

namespace relayopt::tir {

namespace {

class SelectRewriter : public Rewriter {
 public:
  explicit SelectRewriter(const PrimFunc& func)
      : Rewriter(func), address_of_(terms().Intrinsic("tir.address_of"_intrin)) {}

 protected:
  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override {
    const PrimExpr made = Rewriter::RewriteExpr(stmt, expr);
    return MayRewrite(stmt, expr, made) ? made : expr;
  }
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = Rewriter::RewriteNode(old, made);
    if (terms().kind(made) != PrimKind::kSelect || terms().lanes(terms().operand(made, 0)) != 1) return made;
    if (!Unsafe(terms().operand(made, 1)) && !Unsafe(terms().operand(made, 2))) return made;
    return terms().Call(terms().dtype(made), terms().ops().if_then_else, terms().operands(made));
  }

 private:
  // Whether evaluating the term speculatively is unsafe.
  auto Unsafe(PrimExpr root) -> bool {
    stack_.push_back(root);
    while (!stack_.empty()) {
      const PrimExpr top = stack_.back();
      const size_t before = stack_.size();
      if (!unsafe_.contains(top)) {
        for (const PrimExpr operand : terms().operands(top)) {
          if (!unsafe_.contains(operand)) stack_.push_back(operand);
        }
        if (stack_.size() != before) continue;
        unsafe_[top] = UnsafeNode(top);
      }
      stack_.pop_back();
    }
    return unsafe_[root];
  }

  // The same for a term whose operands have been classified.
  auto UnsafeNode(PrimExpr e) const -> bool {
    const auto operands = terms().operands(e);
    const auto any = [this](std::span<const PrimExpr> exprs) {
      return std::ranges::any_of(exprs, [this](PrimExpr operand) { return unsafe_.at(operand); });
    };
    switch (terms().kind(e)) {
      case PrimKind::kBufferLoad: return true;
      case PrimKind::kSelect: return unsafe_.at(operands[0]);
      case PrimKind::kCall: {
        const arith::CallOpId op = terms().call_op(e);
        if (op == terms().ops().if_then_else) return unsafe_.at(operands[0]);
        // The address is computed, nothing is loaded.
        if (op == address_of_ && terms().kind(operands[0]) == PrimKind::kBufferLoad) {
          return any(terms().operands(operands[0]));
        }
        return terms().op(op).effect > arith::CallEffect::kPure || any(operands);
      }
      default: return any(operands);
    }
  }

  arith::CallOpId address_of_;
  absl::flat_hash_map<PrimExpr, bool> unsafe_;
  std::vector<PrimExpr> stack_;
};

struct RewriteUnsafeSelect {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    return SelectRewriter(func).Run();
  }
};

}  // namespace

constinit const PassDef kRewriteUnsafeSelectPass = DescribePass<RewriteUnsafeSelect>({
    .name = "tir.RewriteUnsafeSelect",
    .summary = "Replace selects that guard a memory access by lazy conditionals",
    .details = R"(  T.Select(i > 1, A[i - 1], T.float32(1))    ->    T.if_then_else(i > 1, A[i - 1], T.float32(1))

A Select evaluates both values. One with a value that loads, or calls what may have an effect, becomes an if_then_else.
Division counts as safe.)",
    .aliases = "tir.transform.RewriteUnsafeSelect",
    .idempotent = true,
});

}  // namespace relayopt::tir
