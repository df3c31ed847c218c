// InjectPrefetch: fetches what a loop will read some iterations later.
//
// For functions of the older schedules only (from_legacy_te_schedule). An attribute "prefetch_scope" about a buffer, of
// a value v, is in a loop over i. The region of the buffer that its body loads is found with the loops inside relaxed;
// with i + v for i, and vectorized loops relaxed as well, it is prefetched before the body:
//
//   for i in range(8):                            for i in range(8):
//       with T.attr(A, "prefetch_scope", 1):  ->      T.prefetch(A, [T.Range(i + 1, 1)])
//           B[i] = A[i]                               B[i] = A[i]

#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kPrefetchNoLoop{"prefetch-loop", Severity::kError, "a prefetch_scope must be inside a loop"};
constexpr DiagnosticKind kNoRegion{"prefetch-region", Severity::kWarning,
                                   "nothing is prefetched: the region of {} that is read cannot be determined"};

// Returns the region of a buffer that is loaded in a statement; an empty range if it cannot be determined.
auto RegionLoaded(Terms& terms, Tables& tables, Stmt root, BufferId buffer) -> std::vector<Range> {
  arith::Analyzer analyzer(terms);
  std::vector<std::vector<arith::IntSet>> touched(tables.buffer(buffer).ndim());
  const auto enter = [&](Stmt stmt) {
    if (const auto loop = stmt.As<For>()) analyzer.Bind(loop->loop_var(), Range{loop->min(), loop->extent()});
    if (const auto let = stmt.As<LetStmt>()) analyzer.BindLet(let->var(), let->value());
    if (const auto attr = stmt.As<AttrStmt>(); attr && attr->node().iter_var() && attr->key_text() == "thread_extent") {
      const PrimExpr zero = terms.IntImm(terms.dtype(attr->value()), 0);
      analyzer.Bind(tables.iter_var(attr->node().iter_var()).var, Range{zero, attr->value()});
    }
    for (const PrimExpr term : arith::PostOrder(terms, stmt.exprs())) {
      if (terms.kind(term) != PrimKind::kBufferLoad || terms.buffer(term) != buffer) continue;
      for (size_t i = 0; i < touched.size(); ++i) {
        const PrimExpr index = terms.operand(term, i);
        const bool ramp = terms.kind(index) == PrimKind::kRamp;
        touched[i].push_back(ramp ? SetFromVector(analyzer, index) : analyzer.Set(index));
      }
    }
    return true;
  };
  Walk(root, enter, [](Stmt) {});
  return MapToVector<Range>(touched, [&](const auto& sets) {
    return sets.empty() ? Range{} : CoverRange(analyzer, UnionSets(analyzer, sets), {});
  });
}

class PrefetchInjector : public Rewriter {
 public:
  PrefetchInjector(const PrimFunc& func, PassContext& context) : Rewriter(func), pass_context_(context) {}

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  auto Enter(Stmt stmt) -> Descent override {
    if (const auto loop = stmt.As<For>()) {
      loops_.push_back(loop->loop_var());
      if (loop->for_kind() == ForKind::kVectorized) {
        relaxed_.push_back({loop->loop_var(), arith::SetFromRange(terms(), {loop->min(), loop->extent()})});
      }
    }
    return Descent::Into();
  }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (const auto loop = stmt.As<For>()) {
      loops_.pop_back();
      if (loop->for_kind() == ForKind::kVectorized) relaxed_.pop_back();
    }
    const auto attr = stmt.As<AttrStmt>();
    if (!attr || attr->key_text() != "prefetch_scope" || !attr->node().buffer()) return Rewriter::Leave(stmt, parts);
    return WithPrefetch(*attr, parts.stmts[0]);
  }

 private:
  auto WithPrefetch(AttrStmt attr, StmtId body) -> StmtId {
    if (loops_.empty()) {
      Fail(MakeDiagnostic(kPrefetchNoLoop, attr.range()));
      return body;
    }
    const BufferId buffer = attr.node().buffer();
    // A set with a single point would be evaluated twice, so the variable is replaced.
    const VarMap later = {{loops_.back(), arith::Add(terms(), loops_.back(), attr.value())}};
    std::vector<PrimExpr> bounds;
    for (const Range& range : RegionLoaded(terms(), tables(), builder().stmt(body), buffer)) {
      Range moved;
      if (range.min) {
        arith::Analyzer analyzer(terms());
        const Range there = {Substitute(terms(), range.min, later), Substitute(terms(), range.extent, later)};
        moved = arith::CoverRange(analyzer, arith::EvalSet(terms(), there, relaxed_), {});
      }
      if (!moved.min) {
        pass_context_.diagnostics().Report(kNoRegion, attr.range(), context().text(tables().buffer(buffer).name));
        return body;
      }
      bounds.push_back(moved.min);
      bounds.push_back(moved.extent);
    }
    return builder().Seq({builder().Prefetch(buffer, bounds), body});
  }

  PassContext& pass_context_;
  std::vector<PrimExpr> loops_;
  // Vectorized loops around the position, through all their iterations.
  std::vector<arith::Analyzer::VarSet> relaxed_;
};

struct InjectPrefetch {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext& context) const
      -> Result<std::optional<PrimFunc>> {
    if (func.IntAttr("from_legacy_te_schedule") == 0) return std::optional<PrimFunc>();
    return PrefetchInjector(func, context).RunOrFail();
  }
};

}  // namespace

constinit const PassDef kInjectPrefetchPass = DescribePass<InjectPrefetch>({
    .name = "tir.InjectPrefetch",
    .summary = "Prefetch the elements that a loop reads in later iterations",
    .details = R"(  for i in range(8):                            for i in range(8):
      with T.attr(A, "prefetch_scope", 1):  ->      T.prefetch(A, [T.Range(i + 1, 1)])
          B[i] = A[i]                               B[i] = A[i]

Only functions with the attribute from_legacy_te_schedule.)",
    .aliases = "tir.transform.InjectPrefetch",
});

}  // namespace relayopt::tir
