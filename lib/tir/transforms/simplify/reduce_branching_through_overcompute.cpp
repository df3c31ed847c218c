// ReduceBranchingThroughOvercompute: a branch goes if one of its cases does what the other one does.
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
//
// With use_dataflow_analysis stores of what a buffer is known to hold already (utils/known_contents.h) do nothing, too:
//
//   for i in range(16): A[i] = 0           for i in range(16): A[i] = 0
//   for i in range(16):              ->    for i in range(16):
//       if i < n: A[i] = 0                     A[i] = 0
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/analyzed_rewriter.h"
#include "lib/tir/transforms/utils/known_contents.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/analysis/equality.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

// Cases with more statements are not judged by what buffers are known to hold.
constexpr size_t kMostStatements = 64;

class BranchReducer : public AnalyzedRewriter {
 public:
  // `known`: the known contents of buffers; may be null.
  BranchReducer(const PrimFunc& func, const KnownContents* known) : AnalyzedRewriter(func), known_(known) {}

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const bool idle = IsIdle(stmt, parts);
    const PrimExpr condition = stmt.is(StmtKind::kIf) ? parts.exprs[0] : PrimExpr();
    const std::vector<StmtId> cases(parts.stmts.begin(), parts.stmts.end());
    StmtId made = AnalyzedRewriter::Leave(stmt, parts);
    if (condition && builder().stmt(made).is(StmtKind::kIf)) made = Reduced(IfThenElse(stmt), made, condition, cases);
    if (idle) idle_.insert(made);
    return made;
  }

 private:
  // Whether the statement with these parts has no effect.
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

  // `given` is the branch as it was in the program.
  auto Reduced(IfThenElse given, StmtId branch, PrimExpr condition, std::span<const StmtId> cases) -> StmtId {
    // The side effects of the condition must be kept.
    if (terms().effect(condition) > arith::CallEffect::kReadState) return branch;
    const StmtId then_case = cases[0];
    const StmtId else_case = cases.size() == 2 ? cases[1] : StmtId();
    const bool no_then = IsNoOp(then_case);
    const bool no_else = !else_case || IsNoOp(else_case);
    if (no_then && no_else) return builder().NoOp();
    // As TVM: the case that does something is the one that stays.
    if (no_then && VanishesUnder(given.else_case(), else_case, condition)) return else_case;
    if (no_else && VanishesUnder(given.then_case(), then_case, arith::Not(terms(), condition))) return then_case;
    if (!else_case || no_then || no_else) return branch;
    const bool same = StructuralEqual(builder().stmt(then_case), builder().stmt(else_case));
    return same ? else_case : branch;
  }

  // Whether the case, which is `id` now, has no effect if the condition holds. What is accessed then, although it was
  // not before, must be inside of the buffers.
  auto VanishesUnder(Stmt given, StmtId id, PrimExpr condition) -> bool {
    const Stmt root = builder().stmt(id);
    const std::span<const StmtId> parts = root.is(StmtKind::kSeq) ? root.parts() : std::span<const StmtId>(&id, 1);
    analyzer().EnterConstraint(analyzer().RewriteSimplify(condition));
    const bool vanishes = std::ranges::all_of(parts, [&](StmtId part) {
      if (idle_.contains(part)) return AccessesFit(builder().stmt(part));
      const auto loop = builder().stmt(part).As<For>();
      if (!loop || HasEffect(loop->min()) || HasEffect(loop->extent())) return false;
      const PrimExpr zero = arith::MakeZero(terms(), terms().dtype(loop->extent()));
      return analyzer().CanProve(arith::Le(terms(), loop->extent(), zero));
    });
    const bool vanishes_by_contents = !vanishes && VanishesByContents(given);
    analyzer().LeaveConstraint();
    return vanishes || vanishes_by_contents;
  }

  // Calls `holds` for the statement and those inside of it until it returns false, or there are too many.
  template <typename F>
  static auto AllInside(Stmt root, F holds) -> bool {
    size_t count = 0;
    bool all = true;
    Walk(
        root, [&](Stmt stmt) { return all = all && ++count <= kMostStatements && holds(stmt); }, [](Stmt) {});
    return all;
  }

  // Whether every store of the case stores what its element is known to hold already.
  auto VanishesByContents(Stmt given) -> bool {
    if (known_ == nullptr) return false;
    const auto changes_nothing = [&](Stmt stmt) {
      if (std::ranges::any_of(stmt.exprs(), [&](PrimExpr e) { return HasEffect(e); })) return false;
      if (const auto store = stmt.As<BufferStore>()) return known_->ChangesNothing(*store, analyzer());
      return stmt.is(StmtKind::kEvaluate) || stmt.is(StmtKind::kSeq) || stmt.is(StmtKind::kIf) ||
             stmt.is(StmtKind::kFor);
    };
    return AllInside(given, changes_nothing) && AccessesFit(given);
  }

  auto AccessesFit(Stmt root) -> bool {
    return AllInside(root, [&](Stmt stmt) {
      const auto store = stmt.As<BufferStore>();
      if (store && !IsInside(store->buffer(), store->indices())) return false;
      return std::ranges::all_of(arith::PostOrder(terms(), stmt.exprs()), [&](PrimExpr term) {
        return terms().kind(term) != PrimKind::kBufferLoad || IsInside(terms().buffer(term), terms().operands(term));
      });
    });
  }
  auto IsInside(BufferId buffer, std::span<const PrimExpr> indices) -> bool {
    const auto& shape = tables().buffer(buffer).shape;
    if (shape.size() != indices.size()) return false;
    for (size_t i = 0; i < indices.size(); ++i) {
      if (terms().lanes(indices[i]) != 1 || terms().dtype(indices[i]) != terms().dtype(shape[i])) return false;
      if (!analyzer().CanProveGreaterEqual(indices[i], 0)) return false;
      if (!analyzer().CanProve(arith::Lt(terms(), indices[i], shape[i]))) return false;
    }
    return true;
  }
  auto HasEffect(PrimExpr e) const -> bool { return terms().effect(e) > arith::CallEffect::kReadState; }

  const KnownContents* known_;
  // New statements that have no effect.
  absl::flat_hash_set<StmtId> idle_;
};

struct ReduceBranchingOptions {
  static constexpr std::string_view kConfigKey = "tir.ReduceBranchingThroughOvercompute";
  bool use_dataflow_analysis = false;
  static constexpr auto Fields() {
    return std::array{
        Option<&ReduceBranchingOptions::use_dataflow_analysis>("use what is known of the contents of buffers")};
  }
};

struct ReduceBranchingPass {
  using Options = ReduceBranchingOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (!options.use_dataflow_analysis) return BranchReducer(func, nullptr).Run();
    const KnownContents known(func);
    return BranchReducer(func, &known).Run();
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
