// Rewrites programs with what is known at each position.
#include "lib/tir/transforms/utils/analyzed_rewriter.h"

#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

AnalyzedRewriter::AnalyzedRewriter(const PrimFunc& func)
    : Rewriter(func), analyzer_(func.terms()), opens_scopes_(func.terms(), [&terms = func.terms()](PrimExpr expr) {
        const PrimKind kind = terms.kind(expr);
        return kind == PrimKind::kSelect || kind == PrimKind::kLet || terms.IsCall(expr, terms.ops().if_then_else);
      }) {}

void AnalyzedRewriter::MarkBufferMapShapes() {
  for (const BufferBinding& binding : func().buffer_map()) {
    for (const PrimExpr extent : tables().buffer(binding.buffer).shape) analyzer_.MarkGlobalNonNegative(extent);
  }
}

void AnalyzedRewriter::CountMentions(const Range& range, int change) {
  absl::flat_hash_set<PrimExpr> vars;
  for (const PrimExpr e : {range.min, range.extent}) {
    for (const PrimExpr var : arith::FreeVars(terms(), e)) vars.insert(var);
  }
  for (const PrimExpr var : vars) {
    Iterator& iterator = iterators_[var];
    const bool before = iterator.mentions != 0;
    iterator.mentions += change;
    if (iterator.recorded && before != (iterator.mentions != 0)) dependent_ += change;
  }
}

void AnalyzedRewriter::RecordIterator(PrimExpr var, const Range& range) {
  ForgetExprs();
  Iterator& iterator = iterators_[var];
  if (iterator.recorded) {
    CountMentions(Range(iterator.range), -1);
  } else if (iterator.mentions != 0) {
    ++dependent_;
  }
  iterators_[var].recorded = true;
  iterators_[var].range = range;
  CountMentions(range, 1);
}

void AnalyzedRewriter::PushCondition(PrimExpr condition, bool is_predicate) {
  ForgetExprs();
  const bool constraint = terms().lanes(condition) == 1;
  if (constraint) analyzer_.EnterConstraint(condition);
  const bool predicate = is_predicate && arith::UsesVar(terms(), condition, [&](PrimExpr var) {
                           const auto found = iterators_.find(var);
                           return found != iterators_.end() && found->second.recorded;
                         });
  if (predicate) predicates_.push_back(condition);
  conditions_.push_back({constraint, predicate});
}

void AnalyzedRewriter::PopCondition() {
  ForgetExprs();
  const Condition condition = conditions_.back();
  conditions_.pop_back();
  if (condition.constraint) analyzer_.LeaveConstraint();
  if (condition.predicate) predicates_.pop_back();
}

auto AnalyzedRewriter::Enter(Stmt stmt) -> Descent {
  if (const auto loop = stmt.As<For>()) {
    const Range range = {loop->min(), loop->extent()};
    analyzer_.Bind(loop->loop_var(), range);
    RecordIterator(loop->loop_var(), range);
  }
  if (const auto attr = stmt.As<AttrStmt>()) {
    if (const IterVarId thread = attr->launched_thread()) {
      const PrimExpr var = tables().iter_var(thread).var;
      const Range range = {terms().IntImm(terms().dtype(attr->value()), 0), attr->value()};
      analyzer_.Bind(var, range);
      RecordIterator(var, range);
    }
  }
  return Descent::Into();
}

void AnalyzedRewriter::EnterPart(Stmt stmt, size_t part, Exprs exprs) {
  if (const auto let = stmt.As<LetStmt>(); let && terms().effect(exprs[0]) <= arith::CallEffect::kPure) {
    ForgetExprs();
    analyzer_.BindLet(let->var(), exprs[0]);
  }
  if (stmt.is(StmtKind::kAssert)) PushCondition(exprs[0], false);
  if (stmt.is(StmtKind::kIf)) {
    const PrimExpr condition = WithoutLikely(terms(), exprs[0]);
    if (part == 1) PopCondition();
    if (part == 0) PushCondition(condition, true);
    if (part == 1) PushCondition(analyzer_.RewriteSimplify(terms().Not(arith::Truth(terms(), condition))), false);
  }
}

auto AnalyzedRewriter::Leave(Stmt stmt, Parts parts) -> StmtId {
  if (stmt.is(StmtKind::kAssert)) PopCondition();
  if (stmt.is(StmtKind::kIf)) {
    PopCondition();
    const auto known = terms().AsInt(WithoutLikely(terms(), parts.exprs[0]));
    if (known == 1) return parts.stmts[0];
    if (known == 0) return parts.stmts.size() == 2 ? parts.stmts[1] : builder().NoOp();
  }
  return Rewriter::Leave(stmt, parts);
}

// Called before an operand is rewritten, after those before it.
void AnalyzedRewriter::OpenOperand(PrimExpr expr, size_t operand, std::span<const PrimExpr> made) {
  switch (terms().kind(expr)) {
    case PrimKind::kLet:
      if (operand == 2 && terms().effect(made[1]) <= arith::CallEffect::kPure) {
        ForgetExprs();
        analyzer_.BindLet(terms().operand(expr, 0), made[1]);
      }
      break;
    case PrimKind::kSelect:
    case PrimKind::kCall: {
      const bool select = terms().kind(expr) == PrimKind::kSelect;
      if (operand == 0 || (!select && !terms().IsCall(expr, terms().ops().if_then_else))) return;
      if (operand == 1) return PushCondition(made[0], !select);
      PopCondition();
      const PrimExpr negated = terms().Not(arith::Truth(terms(), made[0]));
      PushCondition(select ? analyzer_.RewriteSimplify(negated) : negated, !select);
      break;
    }
    default: break;
  }
}

auto AnalyzedRewriter::CloseExpr(PrimExpr expr, std::span<const PrimExpr> made) -> PrimExpr {
  const bool choice = terms().kind(expr) == PrimKind::kSelect || terms().IsCall(expr, terms().ops().if_then_else);
  if (choice) {
    PopCondition();
    if (const auto known = terms().AsInt(made[0])) return *known != 0 ? made[1] : made[2];
  }
  return RewriteNode(expr, terms().WithOperands(expr, made));
}

auto AnalyzedRewriter::RewriteExpr(Stmt stmt, PrimExpr root) -> PrimExpr {
  const auto plain = [&](PrimExpr expr) -> std::optional<PrimExpr> {
    if (opens_scopes_(expr)) return std::nullopt;
    return Rewriter::RewriteExpr(stmt, expr);
  };
  const auto open = [this](PrimExpr expr, size_t operand, std::span<const PrimExpr> made) {
    OpenOperand(expr, operand, made);
    return std::optional<PrimExpr>();
  };
  const auto close = [this](PrimExpr expr, std::span<const PrimExpr> made) { return CloseExpr(expr, made); };
  return RewriteInScopes(terms(), root, plain, open, close);
}

auto AnalyzedRewriter::SimplifyIndices(std::span<const PrimExpr> indices) -> std::vector<PrimExpr> {
  std::vector<PrimExpr> result(indices.begin(), indices.end());
  // As TVM: after a loop whose range depends on another, this is off for the rest of the function.
  if (dependent_ != 0) return result;
  // Indices of indices would be walked once for each level.
  const auto is_too_large = [this](PrimExpr index) { return arith::IsTooLargeForIterMap(terms(), index); };
  if (std::ranges::any_of(indices, is_too_large)) return result;
  PrimExpr predicate = terms().Bool(true);
  for (const PrimExpr condition : predicates_) predicate = arith::And(terms(), predicate, condition);
  std::vector<PrimExpr> roots = result;
  roots.push_back(predicate);
  std::vector<arith::IterRange> iters;
  for (const PrimExpr part : arith::PostOrder(terms(), roots)) {
    if (!terms().is_var(part)) continue;
    const auto found = iterators_.find(part);
    if (found != iterators_.end() && found->second.recorded) iters.push_back({part, found->second.range});
  }
  return arith::IterMapSimplify(analyzer_, result, iters, predicate);
}

}  // namespace relayopt::tir
