// tir.TestPlantedFault: rules over tensor programs that give wrong results, one at a time.
//
// Random programs are judged by what they compute. This pass measures that judge: each of these faults must be found.
#include <array>

#include "relayopt/check/planted_faults.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/rewrite.h"
#include "test_passes.h"

namespace relayopt {

namespace {

using arith::PrimExpr;
using arith::PrimKind;
using arith::Terms;
using tir::PrimFunc;
using tir::Stmt;
using tir::StmtBuilder;
using tir::StmtId;

constexpr DiagnosticKind kNoSuchTirFault = {"no-such-tir-fault", Severity::kError,
                                            "there is no fault '{}' of tensor programs; there are {}"};

// The rebuilt parts and expressions of a statement.
struct Made {
  std::span<const StmtId> parts;
  std::span<const PrimExpr> exprs;
};

// The replacement of a term, and of a statement; invalid if the fault does not affect it.
using TermRule = PrimExpr (*)(Terms& terms, PrimExpr expr);
using StmtRule = StmtId (*)(StmtBuilder& builder, Stmt stmt, Made made);

auto Exchange(Terms& terms, PrimExpr expr, PrimKind from, PrimKind to) -> PrimExpr {
  if (terms.kind(expr) != from || !terms.dtype(expr).is_int()) return {};
  return terms.Binary(to, terms.operand(expr, 0), terms.operand(expr, 1));
}

// truncmod(a, b)  =>  floormod(a, b), and truncdiv likewise, though a may be negative.
auto FloorsRests(Terms& terms, PrimExpr expr) -> PrimExpr {
  return Exchange(terms, expr, PrimKind::kMod, PrimKind::kFloorMod);
}
auto FloorsQuotients(Terms& terms, PrimExpr expr) -> PrimExpr {
  return Exchange(terms, expr, PrimKind::kDiv, PrimKind::kFloorDiv);
}

// outer(inner(a, b), c)  =>  inner(outer(a, c), outer(b, c)).
auto Distribute(Terms& terms, PrimExpr expr, PrimKind outer, PrimKind inner) -> PrimExpr {
  if (terms.kind(expr) != outer || terms.kind(terms.operand(expr, 0)) != inner) return {};
  const PrimExpr sum = terms.operand(expr, 0);
  const PrimExpr c = terms.operand(expr, 1);
  return terms.Binary(inner, terms.Binary(outer, terms.operand(sum, 0), c),
                      terms.Binary(outer, terms.operand(sum, 1), c));
}
auto SplitsRests(Terms& terms, PrimExpr expr) -> PrimExpr {
  return Distribute(terms, expr, PrimKind::kFloorMod, PrimKind::kSub);
}
auto SplitsQuotients(Terms& terms, PrimExpr expr) -> PrimExpr {
  return Distribute(terms, expr, PrimKind::kFloorDiv, PrimKind::kAdd);
}

// a <= b  =>  a < b.
auto TightensBounds(Terms& terms, PrimExpr expr) -> PrimExpr {
  if (terms.kind(expr) != PrimKind::kLE) return {};
  return terms.Binary(PrimKind::kLT, terms.operand(expr, 0), terms.operand(expr, 1));
}

// max(min(a, b), c)  =>  min(a, b).
auto DropsLowerEnds(Terms& terms, PrimExpr expr) -> PrimExpr {
  const bool is_clamp = terms.kind(expr) == PrimKind::kMax && terms.kind(terms.operand(expr, 0)) == PrimKind::kMin;
  return is_clamp ? terms.operand(expr, 0) : PrimExpr();
}

// (a + b) + c  =>  a + (b + c) of floats, which round differently.
auto ReordersFloats(Terms& terms, PrimExpr expr) -> PrimExpr {
  if (terms.kind(expr) != PrimKind::kAdd || !terms.dtype(expr).is_float()) return {};
  const PrimExpr inner = terms.operand(expr, 0);
  if (terms.kind(inner) != PrimKind::kAdd) return {};
  return terms.Binary(PrimKind::kAdd, terms.operand(inner, 0),
                      terms.Binary(PrimKind::kAdd, terms.operand(inner, 1), terms.operand(expr, 1)));
}

auto LosesElse(StmtBuilder& builder, Stmt stmt, Made made) -> StmtId {
  const auto branch = stmt.As<tir::IfThenElse>();
  return branch && branch->has_else() ? builder.If(made.exprs[0], made.parts[0]) : StmtId();
}

auto LosesGuard(StmtBuilder&, Stmt stmt, Made made) -> StmtId {
  const auto branch = stmt.As<tir::IfThenElse>();
  return branch && !branch->has_else() ? made.parts[0] : StmtId();
}

// Returns a serial or unrolled loop from `min`, of `extent`.
auto LoopOver(StmtBuilder& builder, const tir::For& loop, PrimExpr min, PrimExpr extent, StmtId body) -> StmtId {
  return builder.For(loop.loop_var(), min, extent, loop.for_kind(), body, loop.thread_binding(), loop.annotations());
}

auto LosesLastIteration(StmtBuilder& builder, Stmt stmt, Made made) -> StmtId {
  const auto loop = stmt.As<tir::For>();
  if (!loop || loop->for_kind() != tir::ForKind::kUnrolled) return {};
  const std::optional<int64_t> extent = builder.terms().AsInt(made.exprs[1]);
  if (!extent || *extent < 2) return {};
  const PrimExpr shorter = builder.terms().IntImm(builder.terms().dtype(made.exprs[1]), *extent - 1);
  return LoopOver(builder, *loop, made.exprs[0], shorter, made.parts[0]);
}

auto ForgetsStart(StmtBuilder& builder, Stmt stmt, Made made) -> StmtId {
  const auto loop = stmt.As<tir::For>();
  if (!loop || builder.terms().IsInt(made.exprs[0], 0)) return {};
  const PrimExpr zero = builder.terms().IntImm(builder.terms().dtype(made.exprs[0]), 0);
  return LoopOver(builder, *loop, zero, made.exprs[1], made.parts[0]);
}

auto LosesInit(StmtBuilder& builder, Stmt stmt, Made made) -> StmtId {
  const auto block = stmt.As<tir::Block>();
  return block && block->has_init() ? builder.Block(block->info(), made.exprs, made.parts.back()) : StmtId();
}

auto IgnoresPredicate(StmtBuilder& builder, Stmt stmt, Made made) -> StmtId {
  if (!stmt.is(tir::StmtKind::kBlockRealize) || builder.terms().IsInt(made.exprs.back(), 1)) return {};
  return builder.BlockRealize(made.exprs.first(made.exprs.size() - 1), builder.terms().Bool(true), made.parts[0]);
}

auto SwapsStores(StmtBuilder& builder, Stmt stmt, Made made) -> StmtId {
  if (!stmt.is(tir::StmtKind::kSeq) || made.parts.size() < 2) return {};
  std::vector<StmtId> parts(made.parts.begin(), made.parts.end());
  for (size_t i = 0; i < 2; ++i) {
    if (!builder.stmt(parts[i]).is(tir::StmtKind::kStore)) return {};
  }
  std::swap(parts[0], parts[1]);
  return builder.Seq(parts);
}

struct TirFault {
  PlantedFault fault;
  TermRule term = nullptr;
  StmtRule stmt = nullptr;
};

constexpr TirFault kTirFaults[] = {
    {{"truncated-rest", "tir.Simplify", "rests of truncating divisions are those of flooring ones"}, FloorsRests},
    {{"truncated-quotient", "tir.Simplify", "truncating divisions round down"}, FloorsQuotients},
    {{"rest-of-difference", "tir.Simplify", "the rest of a difference is the difference of rests"}, SplitsRests},
    {{"quotient-of-sum", "tir.Simplify", "the quotient of a sum is the sum of quotients"}, SplitsQuotients},
    {{"strict-bound", "tir.Simplify", "<= becomes <"}, TightensBounds},
    {{"lost-clamp", "tir.Simplify", "the lower end of a clamp is lost"}, DropsLowerEnds},
    {{"reordered-floats", "tir.CommonSubexprElimTIR", "floats are added in another order"}, ReordersFloats},
    {{"lost-else", "tir.HoistIfThenElse", "the second case of a branch is lost"}, nullptr, LosesElse},
    {{"lost-guard", "tir.RemoveNoOp", "a condition without a second case is lost"}, nullptr, LosesGuard},
    {{"last-iteration", "tir.UnrollLoop", "unrolled loops lose their last iteration"}, nullptr, LosesLastIteration},
    {{"loop-start", "tir.LoopPartition", "loops begin at 0"}, nullptr, ForgetsStart},
    {{"lost-init", "tir.LowerInitBlock", "reductions are not initialised"}, nullptr, LosesInit},
    {{"ignored-predicate", "tir.LowerOpaqueBlock", "blocks run whatever their predicate says"},
     nullptr,
     IgnoresPredicate},
    {{"early-store", "tir.StorageRewrite", "two stores change places"}, nullptr, SwapsStores},
};

class FaultyTir : public tir::Rewriter {
 public:
  FaultyTir(const PrimFunc& func, const TirFault& fault) : Rewriter(func), fault_(fault) {}

 protected:
  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override {
    const PrimExpr made = Rewriter::RewriteExpr(stmt, expr);
    return MayRewrite(stmt, expr, made) ? made : expr;
  }
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    const PrimExpr expr = Rewriter::RewriteNode(old, made);
    const PrimExpr wrong = fault_.term != nullptr ? fault_.term(terms(), expr) : PrimExpr();
    return wrong ? wrong : expr;
  }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const StmtId wrong = fault_.stmt != nullptr ? fault_.stmt(builder(), stmt, {parts.stmts, parts.exprs}) : StmtId();
    const bool is_made = wrong && tir::MayRewrite(stmt.range(), "a statement", "a wrong one");
    return is_made ? wrong : Rewriter::Leave(stmt, parts);
  }

 private:
  const TirFault& fault_;
};

struct TestTirFaultOptions {
  std::string fault;
  static constexpr auto Fields() { return std::array{RequiredOption<&TestTirFaultOptions::fault>("which one")}; }
};

struct TestTirFault {
  using Options = TestTirFaultOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    std::string names;
    for (const TirFault& row : kTirFaults) {
      if (row.fault.name == options.fault) return FaultyTir(func, row).Run();
      names += (names.empty() ? "" : ", ") + std::string(row.fault.name);
    }
    return MakeDiagnostic(kNoSuchTirFault, {}, options.fault, names);
  }
};

}  // namespace

auto PlantedTirFaults() -> std::vector<PlantedFault> { return MapToVector<PlantedFault>(kTirFaults, &TirFault::fault); }

constinit const PassDef kTestTirFaultPass = DescribePass<TestTirFault>({
    .name = "tir.TestPlantedFault",
    .summary = "a rule over tensor programs that gives wrong results",
    .details = "Applies one wrong rule, as if the pass that it is planted in had it. --fuzz must find it.",
    .hidden = true,
});

}  // namespace relayopt
