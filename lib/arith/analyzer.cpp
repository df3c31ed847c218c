// The analyzer: its parts together.
#include "relayopt/arith/analyzer.h"
#include "lib/arith/factors.h"
#include "relayopt/arith/strict_floats.h"

#include "lib/arith/parts.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/walk.h"

namespace relayopt::arith {

// NOLINTBEGIN(misc-no-recursion): proofs nest up to kMaxNesting of the rewrite simplifier.

namespace {

using enum PrimKind;

// The most nodes, counted as a tree, of the value of a let that replaces its variable.
constexpr uint64_t kMaxLetValue = 4096;

}  // namespace

Analyzer::Analyzer(Terms& terms, AnalyzerOptions options) {
  options.strict_fp = options.strict_fp || FloatsAreStrict();
  parts_ = std::make_unique<Parts>(terms, *this, options);
}
Analyzer::~Analyzer() = default;

auto Analyzer::terms() const -> Terms& { return parts_->terms; }

void Analyzer::Bind(PrimExpr var, PrimExpr value) {
  BindSimplified(var, value, RewriteSimplify(CanonicalSimplify(value)));
}

auto Analyzer::BindLet(PrimExpr var, PrimExpr value) -> bool {
  Parts& p = *parts_;
  const PrimExpr simple = RewriteSimplify(CanonicalSimplify(value));
  if (Complexity(p.terms, simple) <= kMaxLetValue) {
    BindSimplified(var, value, simple);
    return true;
  }
  if (!ChangeBinding(var, simple)) return false;
  p.rewrite.ForgetVar(var);
  p.canonical.ForgetVar(var);
  p.sets.Bind(var, EverythingSet(p.terms));
  p.rewrite.Invalidate();
  p.canonical.Invalidate();
  return false;
}

// Binds `var` to a value of which `simple` is the simplified form.
void Analyzer::BindSimplified(PrimExpr var, PrimExpr value, PrimExpr simple) {
  Parts& p = *parts_;
  // Thus hundreds of lets in one term do not make each other's results stale.
  const bool is_new = !p.HasSeen(var);
  if (!ChangeBinding(var, simple)) return;
  p.rewrite.SetVar(var, simple, is_new);
  p.canonical.SetVar(var, simple, is_new);
  p.sets.Bind(var, Set(simple));
  // Handles are not numbers.
  if (p.terms.dtype(value).code != TypeCode::kHandle) {
    p.transitive.Bind(var, {value, MakeConst(p.terms, p.terms.dtype(value), 1)});
  }
}

// Sets the bounds and remainders of a variable that has the value. Returns false if it has the value already.
auto Analyzer::ChangeBinding(PrimExpr var, PrimExpr value) -> bool {
  Parts& p = *parts_;
  const Range known = {value, PrimExpr()};
  if (const auto found = p.bindings.find(var); found != p.bindings.end() && found->second == known) return false;
  const bool is_new = !p.HasSeen(var);
  p.bindings[var] = known;
  p.bounds.Set(var, p.bounds.Get(value), is_new);
  p.modular.Set(var, p.modular.Get(value), is_new);
  return true;
}

void Analyzer::Bind(PrimExpr var, const Range& range) {
  Parts& p = *parts_;
  if (p.terms.IsInt(range.extent, 1)) {
    Bind(var, range.min);
    return;
  }
  if (const auto found = p.bindings.find(var); found != p.bindings.end() && found->second == range) return;
  p.bindings[var] = range;
  p.bounds.Bind(var, range);
  p.rewrite.ForgetVar(var);
  p.canonical.ForgetVar(var);
  p.modular.Set(var, {});
  p.sets.Bind(var, range);
  p.transitive.Bind(var, range);
  p.rewrite.Invalidate();
  p.canonical.Invalidate();
}

void Analyzer::EndLoop(PrimExpr var) { parts_->transitive.Forget(var); }

void Analyzer::MarkGlobalNonNegative(PrimExpr e) {
  Parts& p = *parts_;
  Terms& terms = p.terms;
  // e = offset + the terms; only a single term with a variable gives a bound.
  int64_t offset = 0;
  struct Part {
    PrimExpr e;
    int sign;
  };
  std::vector<Part> pending = {{e, 1}};
  std::vector<Part> found;
  while (!pending.empty()) {
    const Part part = pending.back();
    pending.pop_back();
    const PrimKind kind = terms.kind(part.e);
    if (kind == kAdd || kind == kSub) {
      pending.push_back({terms.operand(part.e, 1), kind == kAdd ? part.sign : -part.sign});
      pending.push_back({terms.operand(part.e, 0), part.sign});
    } else if (const auto literal = terms.AsInt(part.e)) {
      int64_t scaled = 0;
      if (__builtin_mul_overflow(*literal, part.sign, &scaled) || __builtin_add_overflow(offset, scaled, &offset)) {
        return;
      }
    } else {
      found.push_back(part);
    }
  }
  if (found.size() != 1) return;
  int64_t scale = found[0].sign;
  PrimExpr var;
  const bool is_scaled = ForEachFactor(terms, found[0].e, [&](PrimExpr factor) {
    if (const auto literal = terms.AsInt(factor)) return !__builtin_mul_overflow(scale, *literal, &scale);
    if (var || !terms.is_var(factor)) return false;
    var = factor;
    return true;
  });
  // As TVM: the scale does not enter the bound.
  if (!is_scaled || !var || scale <= 0 || !IsIndexType(terms.dtype(var)) || offset == INT64_MIN) return;
  p.bounds.Set(var, {-offset, ConstBound::kPosInf});
  p.rewrite.Invalidate();
  p.canonical.Invalidate();
}

auto Analyzer::Assume(PrimExpr condition) -> Scope {
  EnterConstraint(condition);
  return Scope(this);
}

void Analyzer::EnterConstraint(PrimExpr condition) {
  Parts& p = *parts_;
  p.bounds.EnterConstraint(condition);
  p.modular.EnterConstraint(condition);
  p.canonical.PushLayer();
  p.rewrite.EnterConstraint(condition);
  p.sets.EnterConstraint(condition);
  p.transitive.EnterConstraint(condition);
}

void Analyzer::LeaveConstraint() {
  Parts& p = *parts_;
  p.transitive.LeaveConstraint();
  p.sets.LeaveConstraint();
  p.rewrite.LeaveConstraint();
  p.canonical.PopLayer();
  p.modular.LeaveConstraint();
  p.bounds.LeaveConstraint();
}

auto Analyzer::Simplify(PrimExpr e, int steps) -> PrimExpr {
  PrimExpr r = CanonicalSimplify(e);
  for (int i = 0; i < steps && parts_->terms.kind(r) != kIntImm; ++i) {
    r = i % 2 == 0 ? RewriteSimplify(r) : CanonicalSimplify(r);
  }
  return r;
}

auto Analyzer::RewriteSimplify(PrimExpr e) -> PrimExpr { return parts_->rewrite.Simplify(e); }
auto Analyzer::CanonicalSimplify(PrimExpr e) -> PrimExpr {
  std::vector<std::string_view>* log = parts_->canonical.log;
  const size_t fired = log != nullptr ? log->size() : 0;
  const PrimExpr r = parts_->canonical.Visit(e);
  // Sums and splits have no rules of the table; they are named where nothing else was.
  if (log != nullptr && r != e && log->size() == fired) log->emplace_back("canonical");
  return r;
}

void Analyzer::set_flags(uint32_t flags) {
  parts_->rewrite.flags = flags;
  parts_->rewrite.Invalidate();
}
auto Analyzer::flags() const -> uint32_t { return parts_->rewrite.flags; }
auto Analyzer::num_rewrites() const -> int64_t { return parts_->rewrite.num_rewrites; }
void Analyzer::LogRules(std::vector<std::string_view>* log) {
  parts_->rewrite.log = log;
  parts_->canonical.log = log;
}

auto Analyzer::CanProveGreaterEqual(PrimExpr e, int64_t lower) -> bool {
  if (const auto literal = parts_->terms.AsInt(e)) return *literal >= lower;
  return Bound(RewriteSimplify(e)).min >= lower;
}

auto Analyzer::CanProveLess(PrimExpr e, int64_t upper) -> bool {
  if (const auto literal = parts_->terms.AsInt(e)) return *literal < upper;
  return Bound(RewriteSimplify(e)).max < upper;
}

auto Analyzer::CanProveEqual(PrimExpr a, PrimExpr b) -> bool {
  Terms& terms = parts_->terms;
  const auto ia = terms.AsInt(a);
  const auto ib = terms.AsInt(b);
  if (ia && ib) return *ia == *ib;
  if (IsHandle(terms.dtype(a)) || IsHandle(terms.dtype(b))) return a == b;
  const PrimExpr difference = Sub(terms, a, b);
  return CanProve(Eq(terms, difference, MakeZero(terms, terms.dtype(difference))));
}

auto Analyzer::CanProve(PrimExpr e, ProofStrength strength) -> bool {
  Terms& terms = parts_->terms;
  if (const auto literal = terms.AsInt(e)) return *literal != 0;
  const PrimExpr simple = Simplify(e);
  if (const auto literal = terms.AsInt(simple)) return *literal != 0;
  if (strength == ProofStrength::kDefault) return false;
  // greater - smaller has a lower bound that is large enough.
  const PrimKind kind = terms.kind(e);
  if (!IsComparison(kind) || kind == kEQ || kind == kNE) return false;
  PrimExpr smaller = terms.operand(e, 0);
  PrimExpr greater = terms.operand(e, 1);
  if (kind == kGT || kind == kGE) std::swap(smaller, greater);
  // Nothing follows from a difference that wraps around.
  if (!IsInteger(terms.dtype(smaller)) || WrapsAround(terms.dtype(smaller))) return false;
  const IntSet set = Set(Simplify(Sub(terms, greater, smaller)));
  if (set.min == terms.neg_inf() || set.min == terms.pos_inf()) return false;
  return Bound(Simplify(set.min)).min >= (kind == kLT || kind == kGT ? 1 : 0);
}

auto Analyzer::CanProveLessEqualThanSymbolicShapeValue(PrimExpr a, PrimExpr shape) -> bool {
  Terms& terms = parts_->terms;
  if (CanProve(Le(terms, a, shape), ProofStrength::kSymbolicBound)) return true;
  if (terms.AsInt(shape)) return false;
  int64_t scale = 1;
  const bool fits = ForEachFactor(terms, shape, [&](PrimExpr factor) {
    const auto literal = terms.AsInt(factor);
    return !literal || (*literal != INT64_MIN && !__builtin_mul_overflow(scale, std::abs(*literal), &scale));
  });
  if (!fits) return false;
  const PrimExpr constant = MakeConst(terms, terms.dtype(shape), scale);
  return CanProve(Le(terms, a, constant), ProofStrength::kSymbolicBound);
}

auto Analyzer::Bound(PrimExpr e) -> ConstBound { return parts_->bounds.Get(e); }
auto Analyzer::Modular(PrimExpr e) -> ModularSet { return parts_->modular.Get(e); }
auto Analyzer::Set(PrimExpr e, std::span<const VarSet> vars) -> IntSet { return parts_->sets.Get(e, vars); }
auto Analyzer::Set(PrimExpr e) -> IntSet { return parts_->sets.Get(e); }

namespace {

auto PartsOf(const Terms& terms, PrimExpr e, PrimKind kind, bool with_compounds) -> std::vector<PrimExpr> {
  // Mostly it is one part.
  if (terms.kind(e) != kind) return {e};
  std::vector<PrimExpr> out;
  std::vector<PrimExpr> pending = {e};
  while (!pending.empty()) {
    const PrimExpr part = pending.back();
    pending.pop_back();
    const bool compound = terms.kind(part) == kind;
    if (!compound || with_compounds) out.push_back(part);
    if (!compound) continue;
    pending.push_back(terms.operand(part, 1));
    pending.push_back(terms.operand(part, 0));
  }
  return out;
}

}  // namespace

auto ExtractConstraints(const Terms& terms, PrimExpr e, bool with_compounds) -> std::vector<PrimExpr> {
  return PartsOf(terms, e, kAnd, with_compounds);
}

namespace {

// One step of NormalizeBoolean at the root; the parts of a conjunction or disjunction are left to the caller.
auto NormalizeRoot(Terms& terms, PrimExpr e) -> std::optional<PrimExpr> {
  const PrimKind kind = terms.kind(e);
  const auto operand = [&](PrimExpr x, size_t i) { return terms.operand(x, i); };
  if (kind == kGE) return Fold(terms, kLE, operand(e, 1), operand(e, 0));
  if (kind == kGT) return Fold(terms, kLT, operand(e, 1), operand(e, 0));
  if (kind != kNot) return std::nullopt;
  const PrimExpr x = operand(e, 0);
  switch (terms.kind(x)) {
    case kNot: return operand(x, 0);
    case kLT: return Fold(terms, kLE, operand(x, 1), operand(x, 0));
    case kGT: return Fold(terms, kLE, operand(x, 0), operand(x, 1));
    case kLE: return Fold(terms, kLT, operand(x, 1), operand(x, 0));
    case kGE: return Fold(terms, kLT, operand(x, 0), operand(x, 1));
    case kEQ: return Fold(terms, kNE, operand(x, 0), operand(x, 1));
    case kNE: return Fold(terms, kEQ, operand(x, 0), operand(x, 1));
    default: return std::nullopt;
  }
}

}  // namespace

auto NormalizeBoolean(Terms& terms, PrimExpr e) -> PrimExpr {
  // A condition to normalize, or a connective to make from conditions that were normalized.
  struct Task {
    PrimExpr e;
    PrimKind join = kAny;  // kAnd or kOr: join the last two results
  };
  std::vector<Task> tasks = {{e}};
  std::vector<PrimExpr> results;
  while (!tasks.empty()) {
    Task task = tasks.back();
    tasks.pop_back();
    if (task.join != kAny) {
      const PrimExpr b = results.back();
      results.pop_back();
      results.back() = Fold(terms, task.join, results.back(), b);
      continue;
    }
    while (const auto next = NormalizeRoot(terms, task.e)) task.e = *next;
    const PrimExpr inner = terms.kind(task.e) == kNot ? terms.operand(task.e, 0) : task.e;
    const PrimKind kind = terms.kind(inner);
    if (inner == task.e || (kind != kAnd && kind != kOr)) {
      results.push_back(task.e);
      continue;
    }
    tasks.push_back({{}, kind == kAnd ? kOr : kAnd});
    tasks.push_back({terms.Not(terms.operand(inner, 1))});
    tasks.push_back({terms.Not(terms.operand(inner, 0))});
  }
  return results.back();
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::arith
