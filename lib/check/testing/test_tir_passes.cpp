// A pass over tensor programs that misbehaves on purpose.
#include "test_passes.h"

#include "relayopt/tir/ir/rewrite.h"

namespace relayopt {

namespace {

using tir::PrimFunc;

class AddsToSubtractions : public tir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto RewriteNode(arith::PrimExpr old, arith::PrimExpr made) -> arith::PrimExpr override {
    const arith::PrimExpr expr = Rewriter::RewriteNode(old, made);
    if (terms().kind(expr) != arith::PrimKind::kAdd) return expr;
    return terms().Binary(arith::PrimKind::kSub, terms().operand(expr, 0), terms().operand(expr, 1));
  }
};

struct TestMiscompilePrimFunc {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    return AddsToSubtractions(func).Run();
  }
};

}  // namespace

constinit const PassDef kTestMiscompilePrimFuncPass = DescribePass<TestMiscompilePrimFunc>({
    .name = "tir.TestMiscompile",
    .summary = "turns additions into subtractions",
    .details = "Every Add of every expression becomes a Sub, as if a rule were wrong.",
    .hidden = true,
});

}  // namespace relayopt
