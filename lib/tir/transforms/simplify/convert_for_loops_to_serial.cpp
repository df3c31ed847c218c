// ConvertForLoopsToSerial: parallel loops run one iteration after the other.
#include "lib/tir/transforms/passes.h"

namespace relayopt::tir {

namespace {

class LoopSerializer : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto loop = stmt.As<For>();
    const bool is_parallel = loop && loop->for_kind() == ForKind::kParallel;
    if (!is_parallel || !MayRewrite(stmt.range(), "a parallel loop", "a serial one")) {
      return Rewriter::Leave(stmt, parts);
    }
    return builder().For(loop->loop_var(), loop->min(), loop->extent(), ForKind::kSerial, parts.stmts[0],
                         loop->thread_binding(), loop->annotations());
  }
};

}  // namespace

constinit const PassDef kConvertForLoopsToSerialPass = DescribePass<RewriterPass<LoopSerializer>>({
    .name = "tir.ConvertForLoopsToSerial",
    .summary = "Replace parallel loops by serial ones",
    .details = R"(  for i in T.parallel(4):    ->    for i in range(4):)",
    .aliases = "tir.transform.ConvertForLoopsToSerial",
    .idempotent = true,
});

}  // namespace relayopt::tir
