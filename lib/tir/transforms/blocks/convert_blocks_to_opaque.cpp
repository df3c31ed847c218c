// ConvertBlocksToOpaque: iteration variables of blocks become the values that they are bound to.
//
//   with T.block("b"):                      with T.block("b"):
//       vi = T.axis.spatial(8, i + 1)  ->       T.reads(B[i + 1])
//       T.reads(B[vi])                          T.writes(A[i + 1])
//       T.writes(A[vi])                         A[i + 1] = B[i + 1]
//       A[vi] = B[vi]
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kOpaqueInit{"opaque-block-init", Severity::kError,
                                     "tir.ConvertBlocksToOpaque: a block still has an initialisation: run "
                                     "tir.LowerInitBlock first"};
constexpr DiagnosticKind kOwnVariable{"opaque-block-variable", Severity::kError,
                                      "the predicate or the values of a block use its own iteration variable {}"};

class BlockConverter : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (const auto block = stmt.As<Block>(); block && block->has_init())
      Fail(MakeDiagnostic(kOpaqueInit, stmt.range()));
    if (const auto realize = stmt.As<BlockRealize>()) CheckValues(*realize);
    return Descent::Into();
  }

  void EnterPart(Stmt stmt, size_t, Exprs exprs) override {
    const auto realize = stmt.As<BlockRealize>();
    if (failed() || !realize || realize->values().empty()) return;
    const std::span<const BlockAxis> axes = realize->block().axes();
    std::vector<PrimExpr> values;
    values.reserve(axes.size());
    for (size_t i = 0; i < axes.size(); ++i) values.push_back(RewriteExpr(stmt, exprs[i]));
    // A value of a wider loop stands for a variable of the block's type.
    for (size_t i = 0; i < axes.size(); ++i)
      values_[axes[i].var] = arith::CastTo(terms(), terms().dtype(axes[i].var), values[i]);
    ForgetExprs();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    // No result for an invalid program.
    if (failed()) return {};
    if (stmt.is(StmtKind::kBlockRealize)) return builder().BlockRealize({}, parts.exprs.back(), parts.stmts[0]);
    const auto block = stmt.As<Block>();
    if (!block || block->axes().empty()) return Rewriter::Leave(stmt, parts);
    BlockInfo info = block->info();
    const auto domains = static_cast<uint32_t>(2 * info.axes.size());
    info.axes.clear();
    for (BlockRegion& region : info.reads) region.first -= domains;
    for (BlockRegion& region : info.writes) region.first -= domains;
    for (BlockMatch& match : info.match_buffers) match.source.first -= domains;
    return builder().Block(std::move(info), parts.exprs.subspan(domains), parts.stmts.back());
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    const auto found = values_.find(old);
    return found != values_.end() ? found->second : Rewriter::RewriteNode(old, made);
  }

 private:
  void CheckValues(const BlockRealize& realize) {
    absl::flat_hash_set<PrimExpr> own;
    for (const BlockAxis& axis : realize.block().axes()) own.insert(axis.var);
    for (const PrimExpr expr : realize.exprs()) {
      arith::UsesVar(terms(), expr, [&](PrimExpr var) {
        if (!own.contains(var) || failed()) return false;
        Fail(MakeDiagnostic(kOwnVariable, realize.range(), context().text(terms().var(var).name)));
        return true;
      });
    }
  }

  VarMap values_;
};

}  // namespace

constinit const PassDef kConvertBlocksToOpaquePass = DescribePass<RewriterPass<BlockConverter, OlderSchedules::kStay>>({
    .name = "tir.ConvertBlocksToOpaque",
    .summary = "Replace the iteration variables of blocks by their values",
    .details = R"(  with T.block("b"):                      with T.block("b"):
      vi = T.axis.spatial(8, i + 1)  ->       T.reads(B[i + 1])
      T.reads(B[vi])                          T.writes(A[i + 1])
      T.writes(A[vi])                         A[i + 1] = B[i + 1]
      A[vi] = B[vi]

Nothing folds where a variable is replaced. Variables in the shapes of buffers stay. Blocks have no initialisation any more.)",
    .aliases = "tir.transform.ConvertBlocksToOpaque",
    .idempotent = true,
});

}  // namespace relayopt::tir
