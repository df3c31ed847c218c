// ReduceBranchingThroughOvercompute: a branch goes where one of its cases does what the other one does.
//
//   if i < 8:            A[i] = 0          if i < 8:               A[i] = A[i]
//       A[i] = 0     ->                        A[i] = A[i]    ->
//   else:
//       A[i] = 0
//
// A case that does nothing (no stores but those of what is there, no effects) can always be done as well. So can a loop
// that has no iterations where the condition is otherwise:
//
//   if n > 0:
//       for i in range(n): A[i] = 0    ->    for i in range(n): A[i] = 0
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/analyzed_rewriter.h"
#include "relayopt/arith/fold.h"
#include "relayopt/tir/analysis/equality.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kOvercomputeDataflow{
    "reduce-branching-dataflow", Severity::kError,
    "tir.ReduceBranchingThroughOvercompute: the option use_dataflow_analysis is not supported"};

class BranchReducer : public AnalyzedRewriter {
 public:
  using AnalyzedRewriter::AnalyzedRewriter;

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const bool idle = IsIdle(stmt, parts);
    const PrimExpr condition = stmt.is(StmtKind::kIf) ? parts.exprs[0] : PrimExpr();
    const std::vector<StmtId> cases(parts.stmts.begin(), parts.stmts.end());
    StmtId made = AnalyzedRewriter::Leave(stmt, parts);
    if (condition && builder().stmt(made).is(StmtKind::kIf)) made = Reduced(made, condition, cases);
    if (idle) idle_.insert(made);
    return made;
  }

 private:
  // Whether the statement, made of these parts, leaves everything as it was.
  auto IsIdle(Stmt stmt, Parts parts) -> bool {
    for (const PrimExpr expr : parts.exprs) {
      if (terms().effect(expr) > arith::CallEffect::kReadState) return false;
    }
    if (const auto store = stmt.As<BufferStore>()) {
      const PrimExpr value = parts.exprs[0];
      return terms().kind(value) == PrimKind::kBufferLoad && terms().buffer(value) == store->buffer() &&
             std::ranges::equal(terms().operands(value), parts.exprs.subspan(1));
    }
    const bool transparent = stmt.is(StmtKind::kEvaluate) || stmt.is(StmtKind::kSeq) || stmt.is(StmtKind::kIf) ||
                             stmt.is(StmtKind::kFor) || stmt.is(StmtKind::kLet) || stmt.is(StmtKind::kDeclBuffer);
    return transparent && std::ranges::all_of(parts.stmts, [&](StmtId part) { return idle_.contains(part); });
  }

  auto IsNoOp(StmtId id) -> bool {
    const auto evaluate = builder().stmt(id).As<Evaluate>();
    return evaluate && terms().IsInt(evaluate->value(), 0);
  }

  auto Reduced(StmtId branch, PrimExpr condition, std::span<const StmtId> cases) -> StmtId {
    // The side effects of the condition must be kept.
    if (terms().effect(condition) > arith::CallEffect::kReadState) return branch;
    const StmtId then_case = cases[0];
    const StmtId else_case = cases.size() == 2 ? cases[1] : StmtId();
    const bool no_then = IsNoOp(then_case);
    const bool no_else = !else_case || IsNoOp(else_case);
    if (no_then && no_else) return builder().NoOp();
    // As TVM: the case that does something is the one that stays.
    if (no_then && VanishesUnder(else_case, condition)) return else_case;
    if (no_else && VanishesUnder(then_case, arith::Not(terms(), condition))) return then_case;
    if (!else_case || no_then || no_else) return branch;
    const bool same = StructuralEqual(builder().stmt(then_case), builder().stmt(else_case));
    return same ? else_case : branch;
  }

  // Whether the statement has no effect if the condition holds, because its loops then have no iterations.
  auto VanishesUnder(StmtId id, PrimExpr condition) -> bool {
    if (idle_.contains(id)) return true;
    const Stmt root = builder().stmt(id);
    const std::span<const StmtId> parts = root.is(StmtKind::kSeq) ? root.parts() : std::span<const StmtId>(&id, 1);
    analyzer().EnterConstraint(analyzer().RewriteSimplify(condition));
    const bool vanishes = std::ranges::all_of(parts, [&](StmtId part) {
      if (idle_.contains(part)) return true;
      const auto loop = builder().stmt(part).As<For>();
      if (!loop || HasEffect(loop->min()) || HasEffect(loop->extent())) return false;
      const PrimExpr zero = arith::MakeZero(terms(), terms().dtype(loop->extent()));
      return analyzer().CanProve(arith::Le(terms(), loop->extent(), zero));
    });
    analyzer().LeaveConstraint();
    return vanishes;
  }
  auto HasEffect(PrimExpr e) const -> bool { return terms().effect(e) > arith::CallEffect::kReadState; }

  // Statements that were made and leave everything as it was.
  absl::flat_hash_set<StmtId> idle_;
};

struct ReduceBranchingOptions {
  static constexpr std::string_view kConfigKey = "tir.ReduceBranchingThroughOvercompute";
  bool use_dataflow_analysis = false;
  static constexpr auto Fields() {
    return std::array{Option<&ReduceBranchingOptions::use_dataflow_analysis>(
        "use_dataflow_analysis", "use what is known of the contents of buffers; not supported")};
  }
};

struct ReduceBranchingPass {
  using Options = ReduceBranchingOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (options.use_dataflow_analysis) return MakeDiagnostic(kOvercomputeDataflow, {});
    return BranchReducer(func).Run();
  }
};

}  // namespace

constinit const PassDef kReduceBranchingThroughOvercomputePass = DescribePass<ReduceBranchingPass>({
    .name = "tir.ReduceBranchingThroughOvercompute",
    .summary = "Remove branches whose cases do the same",
    .details = R"(  if i < 8:            ->    A[i] = T.float32(0)
      A[i] = T.float32(0)
  else:
      A[i] = T.float32(0)

A case that changes nothing counts as the other one does, and a loop that has no iterations where the condition is otherwise.)",
    .aliases = "tir.transform.ReduceBranchingThroughOvercompute",
});

}  // namespace relayopt::tir
