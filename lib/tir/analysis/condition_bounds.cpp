// Conditions as sets of the variables in them.
#include "relayopt/tir/analysis/condition_bounds.h"

#include <algorithm>

#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/solve.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

using arith::IntSet;

auto VarSets::For(std::span<const PrimExpr> exprs) const -> std::vector<arith::Analyzer::VarSet> {
  std::vector<arith::Analyzer::VarSet> found;
  if (sets_.empty()) return found;
  absl::flat_hash_set<PrimExpr> seen;
  std::vector<PrimExpr> pending(exprs.begin(), exprs.end());
  while (!pending.empty()) {
    const PrimExpr root = pending.back();
    pending.pop_back();
    for (const PrimExpr var : arith::FreeVars(terms_, root)) {
      const IntSet* set = Find(var);
      if (set == nullptr || !seen.insert(var).second) continue;
      found.push_back({var, *set});
      pending.push_back(set->min);
      pending.push_back(set->max);
    }
  }
  return found;
}

auto VarSets::Eval(PrimExpr e) const -> IntSet { return arith::EvalSet(terms_, e, For({&e, 1})); }

auto VarSets::Eval(const Range& range) const -> IntSet {
  const PrimExpr ends[] = {range.min, range.extent};
  return arith::EvalSet(terms_, range, For(ends));
}

namespace {

// A system of comparisons and its variables in the order in which they are first met.
struct System {
  std::vector<PrimExpr> vars;
  std::vector<PrimExpr> relations;
};

// Adds a comparison of sums, products and quotients of integers; anything else is ignored.
void AddComparison(const Terms& terms, PrimExpr comparison, System& system) {
  std::vector<PrimExpr> vars;
  for (const PrimExpr part : arith::PostOrder(terms, comparison)) {
    if (part == comparison) continue;
    switch (terms.kind(part)) {
      case PrimKind::kVar:
      case PrimKind::kSizeVar:
        if (arith::IsInteger(terms.dtype(part))) vars.push_back(part);
        break;
      case PrimKind::kAdd:
      case PrimKind::kSub:
      case PrimKind::kMul:
      case PrimKind::kFloorDiv:
      case PrimKind::kFloorMod:
      case PrimKind::kIntImm: break;
      default: return;
    }
  }
  if (vars.empty()) return;
  for (const PrimExpr var : vars) {
    if (std::ranges::find(system.vars, var) == system.vars.end()) system.vars.push_back(var);
  }
  system.relations.push_back(comparison);
}

auto SystemOf(const Terms& terms, PrimExpr condition) -> System {
  System system;
  std::vector<PrimExpr> stack = {condition};
  while (!stack.empty()) {
    const PrimExpr e = stack.back();
    stack.pop_back();
    if (arith::IsComparison(terms.kind(e))) {
      AddComparison(terms, e, system);
    } else if (terms.kind(e) == PrimKind::kAnd) {
      stack.push_back(terms.operand(e, 1));
      stack.push_back(terms.operand(e, 0));
    } else if (terms.IsCall(e, terms.ops().likely)) {
      stack.push_back(terms.operand(e, 0));
    }
  }
  return system;
}

}  // namespace

// Whether the condition became sets.
auto ConditionBounds::Narrow(PrimExpr condition) -> bool {
  arith::Analyzer analyzer(terms_);
  const PrimExpr simple = analyzer.Simplify(condition);
  if (terms_.AsInt(simple)) return false;
  const System system = SystemOf(terms_, simple);
  if (system.relations.empty()) return false;
  std::vector<arith::IterRange> ranges;
  for (const PrimExpr var : system.vars) {
    const IntSet* set = relaxed_.Find(var);
    if (set == nullptr) set = hints_.Find(var);
    if (set == nullptr || !arith::HasLower(terms_, *set) || !arith::HasUpper(terms_, *set)) continue;
    const PrimExpr width = arith::Sub(terms_, set->max, set->min);
    const PrimExpr one = arith::MakeConst(terms_, terms_.dtype(width), 1);
    ranges.push_back({var, {set->min, analyzer.Simplify(arith::Add(terms_, width, one))}});
  }
  const auto solved = arith::SolveInequalitiesToRange(terms_, system.vars, ranges, system.relations);
  if (!solved) return false;
  for (size_t i = 0; i < system.vars.size(); ++i) {
    if (!(*solved)[i]) continue;
    const PrimExpr var = system.vars[i];
    const IntSet made = arith::SetFromRange(terms_, *(*solved)[i]);
    const bool relaxed = relaxed_.Find(var) != nullptr;
    VarSets& sets = relaxed ? relaxed_ : hints_;
    const IntSet* before = sets.Find(var);
    changes_.push_back({var, relaxed, before != nullptr, before != nullptr ? *before : IntSet{}});
    if (before == nullptr) {
      sets.Set(var, made);
    } else {
      const IntSet both[] = {*before, made};
      sets.Set(var, arith::IntersectSets(analyzer, both));
    }
  }
  return true;
}

void ConditionBounds::Enter(PrimExpr condition) {
  scopes_.push_back({changes_.size(), pending_.size()});
  if (!Narrow(condition)) pending_.push_back(condition);
}

void ConditionBounds::Leave() {
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  pending_.resize(scope.pending);
  while (changes_.size() > scope.changes) {
    const Change change = changes_.back();
    changes_.pop_back();
    VarSets& sets = change.relaxed ? relaxed_ : hints_;
    change.had ? sets.Set(change.var, change.before) : sets.Erase(change.var);
  }
}

}  // namespace relayopt::tir
