// LowerInitBlock: moves the initialization of a block into its body.
//
//   with T.block("sum"):                       with T.block("sum"):
//       vk = T.axis.reduce(16, k)                  vk = T.axis.reduce(16, k)
//       with T.init():                    ->       if vk == 0:
//           B[0] = 0                                   B[0] = 0
//       B[0] = B[0] + A[vk]                        B[0] = B[0] + A[vk]
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

class InitLowerer : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto block = stmt.As<Block>();
    if (!block || !block->has_init() || !MayRewrite(stmt.range(), "T.init()", "a statement of its block")) {
      return Rewriter::Leave(stmt, parts);
    }
    PrimExpr first;
    for (size_t i = 0; i < block->axes().size(); ++i) {
      const BlockAxis& axis = block->axes()[i];
      if (axis.type != IterType::kCommReduce) continue;
      const PrimExpr begins = arith::Eq(terms(), axis.var, block->axis_min(i));
      first = first ? arith::And(terms(), first, begins) : begins;
    }
    const StmtId init = first ? builder().If(first, parts.stmts[0]) : parts.stmts[0];
    return builder().Block(block->info(), parts.exprs, builder().Seq({init, parts.stmts[1]}));
  }
};

}  // namespace

constinit const PassDef kLowerInitBlockPass = DescribePass<RewriterPass<InitLowerer, OlderSchedules::kStay>>({
    .name = "tir.LowerInitBlock",
    .summary = "Move initializations of blocks into their bodies",
    .details = R"(  with T.block("sum"):                       with T.block("sum"):
      vk = T.axis.reduce(16, k)                  vk = T.axis.reduce(16, k)
      with T.init():                    ->       if vk == 0:
          B[0] = 0                                   B[0] = 0
      B[0] = B[0] + A[vk]                        B[0] = B[0] + A[vk]

Without a variable of a reduction it is always run.)",
    .aliases = "tir.transform.LowerInitBlock",
    .idempotent = true,
});

}  // namespace relayopt::tir
