// Both walk the statements once, with the enclosing statements on a stack.
#include "lib/tir/transforms/utils/partition_conditions.h"

#include "relayopt/arith/deduce.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

auto ThreadOf(const Tables& tables, Stmt stmt) -> const IterVar* {
  const auto attr = stmt.As<AttrStmt>();
  if (!attr || attr->key_text() != "thread_extent" || !attr->node().iter_var()) return nullptr;
  return &tables.iter_var(attr->node().iter_var());
}

void CandidateSelector::Enter(Stmt stmt) {
  if (const auto attr = stmt.As<AttrStmt>();
      attr && attr->key_text() == kPartitionHint && !terms_.IsInt(attr->value(), 0)) {
    const IterVarId iter = attr->node().iter_var();
    const PrimExpr var = iter ? tables_.iter_var(iter).var : attr->node().expr();
    if (var) hinted_.insert(var);
  }
  // A reduction over threads must not be duplicated, so no loop around it is partitioned.
  reductions_before_.push_back(reductions_);
  if (const PrimExpr var = VarOf(stmt)) used_.try_emplace(var, false);
  for (const PrimExpr term : arith::PostOrder(terms_, stmt.exprs())) {
    if (terms_.IsCall(term, allreduce_)) ++reductions_;
    if (!terms_.IsCall(term, terms_.ops().likely)) continue;
    for (const PrimExpr part : arith::PostOrder(terms_, term)) {
      if (const auto found = used_.find(part); found != used_.end()) found->second = true;
    }
  }
}

void CandidateSelector::Leave(Stmt stmt) {
  const bool reduces = reductions_ != reductions_before_.back();
  reductions_before_.pop_back();
  const PrimExpr var = VarOf(stmt);
  if (!var) return;
  if (hinted_.contains(var) || (used_[var] && !reduces)) candidates_.insert(stmt.id());
  used_.erase(var);
}

auto CandidateSelector::VarOf(Stmt stmt) const -> PrimExpr {
  const auto literal = [this](PrimExpr e) { return terms_.kind(e) == PrimKind::kIntImm; };
  if (const auto loop = stmt.As<For>()) {
    const bool open = const_loops_ || !literal(loop->min()) || !literal(loop->extent());
    return open ? loop->loop_var() : PrimExpr();
  }
  const IterVar* thread = ThreadOf(tables_, stmt);
  if (thread == nullptr || !context_.text(thread->thread_tag).starts_with("blockIdx")) return {};
  return const_loops_ || !literal(AttrStmt(stmt).value()) ? thread->var : PrimExpr();
}

namespace {

// Determines for which values of a variable conditions are known.
class ConditionFinder {
 public:
  ConditionFinder(Terms& terms, const Tables& tables, PrimExpr var, PartitionSets hint, PartitionSets relax,
                  bool hinted)
      : terms_(terms), tables_(tables), var_(var), hint_(std::move(hint)), relax_(std::move(relax)), hinted_(hinted) {
    for (const auto* sets : {&hint_, &relax_}) {
      for (const auto& entry : *sets) outside_.insert(entry.var);
    }
  }

  auto Run(Stmt body) && -> std::vector<KnownCondition> {
    Walk(
        body, [this](Stmt stmt) { return Enter(stmt); }, [this](Stmt stmt) { Leave(stmt); });
    return std::move(known_);
  }

 private:
  auto Enter(Stmt stmt) -> bool {
    if (const auto loop = stmt.As<For>()) {
      const auto outside = [this](PrimExpr var) { return outside_.contains(var); };
      if (arith::UsesVar(terms_, loop->min(), outside) || arith::UsesVar(terms_, loop->extent(), outside)) return false;
    }
    if (const auto let = stmt.As<LetStmt>()) own_.insert(let->var());
    if (const auto block = stmt.As<Block>()) {
      for (const BlockAxis& axis : block->axes()) own_.insert(axis.var);
    }
    if (const auto [var, set] = Inner(stmt); var) {
      hint_.push_back({var, set});
      relax_.push_back({var, set});
    }
    for (const PrimExpr term : arith::PostOrder(terms_, stmt.exprs())) {
      if (terms_.IsCall(term, terms_.ops().likely)) Deduce(terms_.operand(term, 0));
      if (hinted_ && arith::IsComparison(terms_.kind(term))) Deduce(term);
    }
    return true;
  }

  void Leave(Stmt stmt) {
    if (!Inner(stmt).first) return;
    hint_.pop_back();
    relax_.pop_back();
  }

  // Returns the variable of a loop or thread inside, and its values.
  auto Inner(Stmt stmt) -> std::pair<PrimExpr, arith::IntSet> {
    if (const auto loop = stmt.As<For>()) {
      return {loop->loop_var(), arith::SetFromRange(terms_, {loop->min(), loop->extent()})};
    }
    const IterVar* thread = ThreadOf(tables_, stmt);
    if (thread == nullptr) return {};
    const PrimExpr extent = AttrStmt(stmt).value();
    return {thread->var, arith::SetFromRange(terms_, {terms_.IntImm(terms_.dtype(extent), 0), extent})};
  }

  void Deduce(PrimExpr condition) {
    if (!seen_.insert(condition).second || !arith::UsesVar(terms_, condition, var_)) return;
    const auto add = [&](PrimExpr e, bool value) {
      const auto set = arith::DeduceBound(terms_, var_, e, hint_, relax_);
      if (set && HoldsOutside(*set)) known_.push_back({condition, value, *set});
    };
    add(condition, true);
    if (const PrimExpr inverse = Inverse(condition)) add(inverse, false);
  }

  // A bound by a variable that a let or a block in the loop defines is meaningless outside of the loop.
  auto HoldsOutside(const arith::IntSet& set) const -> bool {
    const auto is_own = [this](PrimExpr var) { return own_.contains(var); };
    return !arith::UsesVar(terms_, set.min, is_own) && !arith::UsesVar(terms_, set.max, is_own);
  }

  auto Inverse(PrimExpr e) -> PrimExpr {
    constexpr std::pair<PrimKind, PrimKind> kPairs[] = {
        {PrimKind::kLT, PrimKind::kGE}, {PrimKind::kGT, PrimKind::kLE}, {PrimKind::kEQ, PrimKind::kNE}};
    for (const auto& [a, b] : kPairs) {
      if (terms_.kind(e) == a) return terms_.Binary(b, terms_.operand(e, 0), terms_.operand(e, 1));
      if (terms_.kind(e) == b) return terms_.Binary(a, terms_.operand(e, 0), terms_.operand(e, 1));
    }
    return {};
  }

  Terms& terms_;
  const Tables& tables_;
  PrimExpr var_;
  PartitionSets hint_;
  PartitionSets relax_;
  bool hinted_;
  absl::flat_hash_set<PrimExpr> outside_;
  // The variables that statements of the body define, other than by loops.
  absl::flat_hash_set<PrimExpr> own_;
  absl::flat_hash_set<PrimExpr> seen_;
  std::vector<KnownCondition> known_;
};

}  // namespace

auto FindKnown(Terms& terms, const Tables& tables, PrimExpr var, PartitionSets hint, PartitionSets relax, bool hinted,
               Stmt body) -> std::vector<KnownCondition> {
  return ConditionFinder(terms, tables, var, std::move(hint), std::move(relax), hinted).Run(body);
}

}  // namespace relayopt::tir
