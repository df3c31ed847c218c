// Tensor programs near a given one.
//
// A change looks at one statement, or at one term in one of its expressions, and replaces it:
//
//   B[i] = A[i] + 1         B[i] = A[i] * 1            another operator
//   for i in range(8): S    if i < 3: for i ...        a statement under a condition
//
// Which changes a term or statement has is a row of a table. Extents of memory, of threads and of regions stay: because
// the whole program depends on them.
#include "prim_func_mutator.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "relayopt/tir/ir/rewrite.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt {

namespace {

using arith::PrimExpr;
using arith::PrimKind;
using arith::Terms;
using tir::ForKind;
using tir::Stmt;
using tir::StmtBuilder;
using tir::StmtId;
using tir::StmtKind;

// The scalar integer variables that are defined at the position of the change.
using Vars = std::span<const PrimExpr>;

auto IsScalarInt(const Terms& terms, PrimExpr expr) -> bool {
  const DataType dtype = terms.dtype(expr);
  return (dtype.is_int() || dtype.is_uint()) && dtype.lanes == 1 && !dtype.is_bool();
}

// Changes of terms. Each returns the replacement of `expr`, or an invalid id when it does not apply.

auto OtherOperator(Terms& terms, PrimExpr expr, Vars, Random& random) -> PrimExpr {
  constexpr PrimKind kNumbers[] = {PrimKind::kAdd, PrimKind::kSub, PrimKind::kMul,      PrimKind::kMin,
                                   PrimKind::kMax, PrimKind::kDiv, PrimKind::kFloorDiv, PrimKind::kFloorMod};
  constexpr PrimKind kFloats[] = {PrimKind::kAdd, PrimKind::kSub, PrimKind::kMul, PrimKind::kMin, PrimKind::kMax};
  constexpr PrimKind kComparisons[] = {PrimKind::kEQ, PrimKind::kNE, PrimKind::kLT,
                                       PrimKind::kLE, PrimKind::kGT, PrimKind::kGE};
  constexpr PrimKind kLogic[] = {PrimKind::kAnd, PrimKind::kOr};
  const PrimKind kind = terms.kind(expr);
  if (!arith::IsBinary(kind)) return {};
  const DataType dtype = terms.dtype(expr);
  const bool is_int = dtype.is_int() || dtype.is_uint();
  const std::span<const PrimKind> kinds = arith::IsComparison(kind)    ? std::span<const PrimKind>(kComparisons)
                                          : !arith::IsArithmetic(kind) ? kLogic
                                          : is_int                     ? std::span<const PrimKind>(kNumbers)
                                                                       : kFloats;
  return terms.Binary(random.Pick(kinds), terms.operand(expr, 0), terms.operand(expr, 1));
}

auto OtherOrder(Terms& terms, PrimExpr expr, Vars, Random&) -> PrimExpr {
  if (!arith::IsBinary(terms.kind(expr))) return {};
  return terms.Binary(terms.kind(expr), terms.operand(expr, 1), terms.operand(expr, 0));
}

auto OneOperand(Terms& terms, PrimExpr expr, Vars, Random& random) -> PrimExpr {
  std::vector<PrimExpr> fitting;
  for (const PrimExpr operand : terms.operands(expr)) {
    if (terms.dtype(operand) == terms.dtype(expr)) fitting.push_back(operand);
  }
  return fitting.empty() ? PrimExpr() : random.Pick(std::span<const PrimExpr>(fitting));
}

auto OtherNumber(Terms& terms, PrimExpr expr, Vars, Random& random) -> PrimExpr {
  const DataType dtype = terms.dtype(expr);
  if (terms.kind(expr) == PrimKind::kFloatImm) {
    return terms.FloatImm(dtype, random.Pick({0.0, 1.0, -1.0, 0.5, 2.0, -0.25, 1e4}));
  }
  const std::optional<int64_t> number = terms.AsInt(expr);
  if (!number) return {};
  if (dtype.is_bool()) return terms.Bool(*number == 0);
  // Powers of two and their neighbours, which matter for divisions and strides.
  const int64_t other = random.Pick<int64_t>({*number + 1, *number - 1, *number / 2, 0, 1, 2, 3, 4, 8, 16});
  return terms.IntImm(dtype, std::max<int64_t>(other, dtype.is_uint() ? 0 : -8) % 100);
}

auto OtherVariable(Terms& terms, PrimExpr expr, Vars vars, Random& random) -> PrimExpr {
  if (!arith::IsVarKind(terms.kind(expr)) || !IsScalarInt(terms, expr) || vars.empty()) return {};
  const PrimExpr other = random.Pick(vars);
  return terms.dtype(other) == terms.dtype(expr) ? other : PrimExpr();
}

auto Computed(Terms& terms, PrimExpr expr, Vars vars, Random& random) -> PrimExpr {
  const DataType dtype = terms.dtype(expr);
  if (dtype.is_bool() && dtype.lanes == 1) return terms.Not(expr);
  if (dtype.is_float() && dtype.lanes == 1) {
    return terms.Binary(random.Pick({PrimKind::kAdd, PrimKind::kMul, PrimKind::kMax}), expr,
                        terms.FloatImm(dtype, 0.5));
  }
  if (!IsScalarInt(terms, expr)) return {};
  constexpr PrimKind kKinds[] = {PrimKind::kAdd, PrimKind::kSub,      PrimKind::kMul,     PrimKind::kMin,
                                 PrimKind::kMax, PrimKind::kFloorDiv, PrimKind::kFloorMod};
  const PrimExpr number = terms.IntImm(dtype, random.Between(1, 4));
  const PrimExpr made = terms.Binary(random.Pick(std::span<const PrimKind>(kKinds)), expr, number);
  if (vars.empty() || random.Chance(60)) return made;
  const PrimExpr var = random.Pick(vars);
  const PrimExpr bound = terms.IntImm(terms.dtype(var), random.Between(0, 8));
  return terms.Select(terms.Binary(PrimKind::kLT, var, bound), expr, made);
}

using TermChange = PrimExpr (*)(Terms& terms, PrimExpr expr, Vars vars, Random& random);
constexpr TermChange kTermChanges[] = {OtherOperator, OtherOrder, OneOperand, OtherNumber, OtherVariable, Computed};

// The rebuilt parts and expressions of a statement.
struct Made {
  std::span<const StmtId> parts;
  std::span<const PrimExpr> exprs;
};

// `var < number`; returns invalid if there is no variable.
auto Condition(Terms& terms, Vars vars, Random& random) -> PrimExpr {
  if (vars.empty()) return {};
  const PrimExpr var = random.Pick(vars);
  const PrimKind kind = random.Pick({PrimKind::kLT, PrimKind::kGE, PrimKind::kEQ, PrimKind::kNE});
  return terms.Binary(kind, var, terms.IntImm(terms.dtype(var), random.Between(0, 8)));
}

// Changes of statements. Each returns the replacement of `stmt`, or an invalid id when it does not apply.

auto OneLess(StmtBuilder& builder, Stmt stmt, Made made, Vars, Random& random) -> StmtId {
  if (!stmt.is(StmtKind::kSeq)) return {};
  std::vector<StmtId> parts(made.parts.begin(), made.parts.end());
  parts.erase(parts.begin() + static_cast<int64_t>(random.Below(parts.size())));
  return builder.Seq(parts);
}

auto OtherSequence(StmtBuilder& builder, Stmt stmt, Made made, Vars, Random& random) -> StmtId {
  if (!stmt.is(StmtKind::kSeq)) return {};
  std::vector<StmtId> parts(made.parts.begin(), made.parts.end());
  const size_t first = random.Below(parts.size() - 1);
  std::swap(parts[first], parts[first + 1]);
  return builder.Seq(parts);
}

auto UnderCondition(StmtBuilder& builder, Stmt stmt, Made made, Vars vars, Random& random) -> StmtId {
  const PrimExpr condition = Condition(builder.terms(), vars, random);
  // A block occurs only directly inside its realization.
  if (!condition || stmt.is(StmtKind::kBlock)) return {};
  return builder.If(condition, builder.Copy(stmt, made.parts, made.exprs));
}

auto Twice(StmtBuilder& builder, Stmt stmt, Made made, Vars, Random& random) -> StmtId {
  if (stmt.is(StmtKind::kBlock)) return {};
  Terms& terms = builder.terms();
  const DataType dtype = DataType::Int(32);
  const ForKind kind = random.Pick({ForKind::kSerial, ForKind::kUnrolled});
  return builder.For(terms.Var("again", dtype), terms.IntImm(dtype, 0), terms.IntImm(dtype, 2), kind,
                     builder.Copy(stmt, made.parts, made.exprs));
}

auto OneCase(StmtBuilder& builder, Stmt stmt, Made made, Vars, Random& random) -> StmtId {
  const auto branch = stmt.As<tir::IfThenElse>();
  if (!branch) return {};
  if (!branch->has_else()) return made.parts[0];
  if (random.Chance(50)) return builder.If(made.exprs[0], made.parts[0]);
  return builder.If(made.exprs[0], made.parts[1], made.parts[0]);
}

auto OtherLoopKind(StmtBuilder& builder, Stmt stmt, Made made, Vars, Random& random) -> StmtId {
  const auto loop = stmt.As<tir::For>();
  if (!loop || loop->for_kind() == ForKind::kThreadBinding) return {};
  // Vectorized and parallel loops promise that iterations do not depend on each other.
  const ForKind kind = random.Pick({ForKind::kSerial, ForKind::kUnrolled});
  return builder.For(loop->loop_var(), made.exprs[0], made.exprs[1], kind, made.parts[0], {}, loop->annotations());
}

auto WithoutNote(StmtBuilder&, Stmt stmt, Made made, Vars, Random&) -> StmtId {
  return stmt.is(StmtKind::kAttr) || stmt.is(StmtKind::kAssert) ? made.parts[0] : StmtId();
}

auto OtherPredicate(StmtBuilder& builder, Stmt stmt, Made made, Vars vars, Random& random) -> StmtId {
  const PrimExpr condition = Condition(builder.terms(), vars, random);
  if (!condition || !stmt.is(StmtKind::kBlockRealize)) return {};
  return builder.BlockRealize(made.exprs.first(made.exprs.size() - 1), condition, made.parts[0]);
}

using StmtChange = StmtId (*)(StmtBuilder& builder, Stmt stmt, Made made, Vars vars, Random& random);
constexpr StmtChange kStmtChanges[] = {OneLess, OtherSequence, UnderCondition, Twice,
                                       OneCase, OtherLoopKind, WithoutNote,    OtherPredicate};

// Whether the terms of a statement of this kind may become others.
auto HasChangeableTerms(StmtKind kind) -> bool {
  constexpr StmtKind kKinds[] = {StmtKind::kLet, StmtKind::kAssert, StmtKind::kStore, StmtKind::kEvaluate,
                                 StmtKind::kIf,  StmtKind::kFor,    StmtKind::kWhile, StmtKind::kBlockRealize};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

class PrimFuncMutation final : public tir::Rewriter {
 public:
  PrimFuncMutation(const tir::PrimFunc& func, Random& random)
      : Rewriter(func), random_(random), chosen_(static_cast<uint32_t>(random.Below(func.size()))) {}

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (stmt.id() == chosen_) {
      if (!HasChangeableTerms(stmt.kind()) || random_.Chance(40)) {
        const StmtChange change = random_.Pick(std::span<const StmtChange>(kStmtChanges));
        const auto changed = change(builder(), stmt, {parts.stmts, parts.exprs}, VarsOf(stmt), random_);
        if (changed.has_value()) return changed;
      } else if (!parts.exprs.empty()) {
        PrimExpr& expr = parts.exprs[random_.Below(parts.exprs.size())];
        expr = WithOtherTerm(expr, VarsOf(stmt));
      }
    }
    return Rewriter::Leave(stmt, parts);
  }

 private:
  auto TermsOf(PrimExpr expr) const -> std::vector<PrimExpr> {
    std::vector<PrimExpr> found;
    tir::TermVisitor(terms()).Visit(expr, [&](PrimExpr term) { found.push_back(term); });
    return found;
  }

  // Returns the variables in the expressions of a statement, which are known there.
  auto VarsOf(Stmt stmt) const -> std::vector<PrimExpr> {
    std::vector<PrimExpr> vars;
    for (const PrimExpr expr : stmt.exprs()) {
      for (const PrimExpr term : TermsOf(expr)) {
        const bool fits = arith::IsVarKind(terms().kind(term)) && IsScalarInt(terms(), term);
        if (fits && std::ranges::find(vars, term) == vars.end()) vars.push_back(term);
      }
    }
    return vars;
  }

  auto WithOtherTerm(PrimExpr expr, Vars vars) -> PrimExpr {
    const std::vector<PrimExpr> all = TermsOf(expr);
    const PrimExpr chosen = random_.Pick(std::span<const PrimExpr>(all));
    const auto binds = [&](PrimExpr e) { return terms().kind(e) == PrimKind::kLet && terms().operand(e, 0) == chosen; };
    if (std::ranges::any_of(all, binds)) return expr;
    const TermChange change = random_.Pick(std::span<const TermChange>(kTermChanges));
    const PrimExpr changed = change(terms(), chosen, vars, random_);
    if (!changed || terms().dtype(changed) != terms().dtype(chosen)) return expr;
    return tir::ExprRewriter(terms(),
                             [&](PrimExpr old, PrimExpr made) { return old == chosen ? changed : made; })(expr);
  }

  Random& random_;
  StmtId chosen_;
};

}  // namespace

auto MutatePrimFunc(const tir::PrimFunc& func, Random& random) -> std::optional<tir::PrimFunc> {
  return func.size() == 0 ? std::nullopt : PrimFuncMutation(func, random).Run();
}

}  // namespace relayopt
