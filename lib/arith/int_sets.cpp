// Evaluation of terms over intervals.
#include "lib/arith/int_sets.h"

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "lib/arith/parts.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/walk.h"

namespace relayopt::arith {

// NOLINTBEGIN(misc-no-recursion): terms wait on a stack; ends of intervals are followed for kMaxLevels.

namespace {

using enum PrimKind;

auto IntersectTwo(Analyzer& analyzer, const IntSet& a, const IntSet& b) -> IntSet {
  Terms& terms = analyzer.terms();
  const PrimExpr min = Max(terms, a.min, b.min);
  const PrimExpr max = Min(terms, a.max, b.max);
  const auto is_integer = [&](PrimExpr e) { return IsInteger(terms.dtype(e)); };
  if (is_integer(min) && is_integer(max) && analyzer.CanProve(Lt(terms, max, min))) return EmptySet(terms);
  return {min, max};
}

auto UnionTwo(Terms& terms, const IntSet& a, const IntSet& b) -> IntSet {
  if (IsEmptySet(terms, a)) return b;
  if (IsEmptySet(terms, b)) return a;
  return {Min(terms, a.min, b.min), Max(terms, a.max, b.max)};
}

// Operations on intervals.
class Intervals {
 public:
  explicit Intervals(Analyzer& analyzer) : analyzer_(analyzer), terms_(analyzer.terms()) {}

  auto Combine(PrimKind kind, const IntSet& a, const IntSet& b, DataType type) -> IntSet {
    if (a.is_point() && b.is_point()) {
      PrimExpr x = a.min;
      PrimExpr y = b.min;
      // A point may be an infinity, with which nothing is computed.
      return MatchTypes(terms_, x, y) ? PointSet(Fold(terms_, kind, x, y)) : EverythingSet(terms_);
    }
    if (IsComparison(kind) || kind == kAnd || kind == kOr) {
      return {MakeConst(terms_, type, 0), MakeConst(terms_, type, 1)};
    }
    if (IsEmptySet(terms_, a)) return a;
    if (IsEmptySet(terms_, b)) return b;
    // Sums of the ends are not the ends of sums that wrap around.
    if (WrapsAround(type) && (kind == kAdd || kind == kSub || kind == kMul)) return EverythingSet(terms_);
    switch (kind) {
      case kAdd:
        return {Lower(a) && Lower(b) ? Add(terms_, a.min, b.min) : terms_.neg_inf(),
                Upper(a) && Upper(b) ? Add(terms_, a.max, b.max) : terms_.pos_inf()};
      case kSub:
        return {Lower(a) && Upper(b) ? Sub(terms_, a.min, b.max) : terms_.neg_inf(),
                Upper(a) && Lower(b) ? Sub(terms_, a.max, b.min) : terms_.pos_inf()};
      case kMul: return b.is_point() || !a.is_point() ? Scale(kMul, a, b) : Scale(kMul, b, a);
      case kDiv:
      case kFloorDiv: return Scale(kind, a, b);
      case kMod: return TruncMod(a, b);
      case kFloorMod: return FloorModulo(a, b);
      case kMin: return {Min(terms_, a.min, b.min), Min(terms_, a.max, b.max)};
      case kMax: return {Max(terms_, a.min, b.min), Max(terms_, a.max, b.max)};
      default: return EverythingSet(terms_);
    }
  }

 private:
  auto Lower(const IntSet& s) const -> bool { return s.min != terms_.neg_inf(); }
  auto Upper(const IntSet& s) const -> bool { return s.max != terms_.pos_inf(); }

  // a times or divided by the point b.
  auto Scale(PrimKind kind, const IntSet& a, const IntSet& b) -> IntSet {
    if (!b.is_point()) return EverythingSet(terms_);
    const PrimExpr by = b.min;
    if (terms_.IsInt(by, 0)) return kind == kMul ? b : EverythingSet(terms_);
    if (terms_.IsInt(by, 1)) return a;
    const auto end = [&](PrimExpr e) { return Operate(terms_, kind, e, by); };
    if (analyzer_.CanProveGreaterEqual(by, 0)) {
      return {Lower(a) ? end(a.min) : terms_.neg_inf(), Upper(a) ? end(a.max) : terms_.pos_inf()};
    }
    if (analyzer_.CanProveGreaterEqual(Negate(terms_, by), 1)) {
      return {Upper(a) ? end(a.max) : terms_.neg_inf(), Lower(a) ? end(a.min) : terms_.pos_inf()};
    }
    if (!Lower(a) || !Upper(a)) return EverythingSet(terms_);
    const PrimExpr positive = Ge(terms_, by, MakeZero(terms_, terms_.dtype(by)));
    const PrimExpr p = end(a.min);
    const PrimExpr q = end(a.max);
    return {terms_.Select(positive, p, q), terms_.Select(positive, q, p)};
  }

  auto One(PrimExpr like) -> PrimExpr { return MakeConst(terms_, terms_.dtype(like), 1); }
  auto Zero(PrimExpr like) -> PrimExpr { return MakeZero(terms_, terms_.dtype(like)); }

  auto TruncMod(const IntSet& a, const IntSet& b) -> IntSet {
    if (!b.is_point() || terms_.IsInt(b.min, 0)) return EverythingSet(terms_);
    const PrimExpr d = b.min;
    // The remainder has the sign of the dividend.
    const bool positive = analyzer_.CanProveGreaterEqual(d, 0);
    const PrimExpr last = Sub(terms_, positive ? d : Abs(terms_, d), One(d));
    if (Lower(a) && analyzer_.CanProveGreaterEqual(a.min, 0)) return {Zero(d), last};
    return {Negate(terms_, last), last};
  }

  auto FloorModulo(const IntSet& a, const IntSet& b) -> IntSet {
    if (!b.is_point() || terms_.IsInt(b.min, 0)) return EverythingSet(terms_);
    const PrimExpr d = b.min;
    if (!analyzer_.CanProveGreaterEqual(d, 0)) {
      const PrimExpr last = Sub(terms_, Abs(terms_, d), One(d));
      return {Negate(terms_, last), last};
    }
    if (terms_.AsInt(d) && Lower(a) && Upper(a)) {
      // All in one period?
      const PrimExpr first_period = FloorDiv(terms_, a.min, d);
      const PrimExpr last_period = FloorDiv(terms_, a.max, d);
      if (analyzer_.CanProve(Eq(terms_, last_period, first_period))) {
        const PrimExpr start = Mul(terms_, first_period, d);
        return {Sub(terms_, a.min, start), Sub(terms_, a.max, start)};
      }
    }
    return {Zero(d), Sub(terms_, d, One(d))};
  }

  Analyzer& analyzer_;
  Terms& terms_;
};

// A machine with a stack of its own; results are remembered by term and level, the level counting how often ends of
// variables' sets have been evaluated again.
class SetEvaluator {
 public:
  using Sets = absl::flat_hash_map<PrimExpr, std::vector<IntSet>>;

  SetEvaluator(Analyzer& analyzer, Sets sets, size_t num_vars)
      : analyzer_(analyzer),
        terms_(analyzer.terms()),
        intervals_(analyzer),
        sets_(std::move(sets)),
        max_level_(std::min<size_t>(num_vars, kMaxLevels)) {}

  auto Eval(PrimExpr e) -> IntSet {
    const size_t bottom = stack_.size();
    stack_.push_back(e);
    while (stack_.size() > bottom) {
      const PrimExpr top = stack_.back();
      if (done_.contains(Key(top))) {
        stack_.pop_back();
        continue;
      }
      const size_t pending = stack_.size();
      for (const PrimExpr operand : Evaluated(top)) {
        if (!done_.contains(Key(operand))) stack_.push_back(operand);
      }
      if (stack_.size() != pending) continue;
      stack_.pop_back();
      const IntSet set = Compute(top);
      done_[Key(top)] = set;
    }
    return done_.find(Key(e))->second;
  }

 private:
  static constexpr size_t kMaxLevels = 64;

  auto Key(PrimExpr e) const -> uint64_t { return uint64_t{e.value()} << 8 | level_; }
  auto Done(PrimExpr e) const -> const IntSet& { return done_.find(Key(e))->second; }

  // Returns the operands whose sets decide.
  auto Evaluated(PrimExpr e) const -> std::span<const PrimExpr> {
    const auto operands = terms_.operands(e);
    const PrimKind kind = terms_.kind(e);
    if (IsBinary(kind) || kind == kCast || kind == kBroadcast) return operands;
    if (kind == kSelect) return operands.subspan(1);
    if (kind == kRamp) return operands.first(1);
    return {};
  }

  auto Compute(PrimExpr e) -> IntSet {
    const PrimKind kind = terms_.kind(e);
    const auto operands = terms_.operands(e);
    if (IsBinary(kind)) {
      const IntSet a = Done(operands[0]);
      const IntSet b = Done(operands[1]);
      if (a == PointSet(operands[0]) && b == PointSet(operands[1])) return PointSet(e);
      return intervals_.Combine(kind, a, b, terms_.dtype(e));
    }
    switch (kind) {
      case kVar:
      case kSizeVar: return EvalVar(e);
      case kIntImm: return PointSet(e);
      case kSelect: return UnionTwo(terms_, Done(operands[2]), Done(operands[1]));
      case kBroadcast: return Done(operands[0]);
      case kCast: return EvalCast(e);
      case kRamp: {
        const auto stride = terms_.AsInt(operands[1]);
        int64_t span = 0;
        if (!stride || __builtin_mul_overflow(*stride, terms_.lanes(e) - 1, &span)) return EverythingSet(terms_);
        const DataType type = terms_.dtype(operands[0]);
        const PrimExpr zero = MakeZero(terms_, type);
        const PrimExpr last = MakeConst(terms_, type, span);
        const IntSet lanes = *stride > 0 ? IntSet{zero, last} : IntSet{last, zero};
        return intervals_.Combine(kAdd, Done(operands[0]), lanes, type);
      }
      case kBufferLoad: {
        if (!IsInteger(terms_.dtype(e))) return EverythingSet(terms_);
        const auto mapped = [this](PrimExpr var) { return sets_.contains(var); };
        for (const PrimExpr index : operands) {
          if (UsesVar(terms_, index, mapped)) return EverythingSet(terms_);
        }
        return PointSet(e);
      }
      default: return EverythingSet(terms_);
    }
  }

  auto EvalVar(PrimExpr var) -> IntSet {
    const auto found = sets_.find(var);
    if (found == sets_.end()) return PointSet(var);
    const std::vector<IntSet>& values = found->second;
    const IntSet set = values.size() == 1 ? values.front() : IntersectSets(analyzer_, values);
    if (set == PointSet(var) || level_ >= max_level_) return set;
    // Ends may use variables that run too.
    ++level_;
    const IntSet low = Eval(set.min);
    const IntSet high = Eval(set.max);
    --level_;
    return {low.min, high.max};
  }

  auto EvalCast(PrimExpr e) -> IntSet {
    const DataType type = terms_.dtype(e);
    const IntSet value = Done(terms_.operand(e, 0));
    if (IsEmptySet(terms_, value)) return value;
    if (value.is_point()) return PointSet(CastTo(terms_, type, value.min));
    // A number outside of the new type wraps.
    const PrimExpr operand = terms_.operand(e, 0);
    if (!KeepsValue(analyzer_.Bound(operand), terms_.dtype(operand), type)) return EverythingSet(terms_);
    return {value.min == terms_.neg_inf() ? value.min : CastTo(terms_, type, value.min),
            value.max == terms_.pos_inf() ? value.max : CastTo(terms_, type, value.max)};
  }

  Analyzer& analyzer_;
  Terms& terms_;
  Intervals intervals_;
  Sets sets_;
  size_t max_level_;
  size_t level_ = 0;
  std::vector<PrimExpr> stack_;
  absl::flat_hash_map<uint64_t, IntSet> done_;
};

}  // namespace

void IntSets::Bind(PrimExpr var, const Range& range) { Bind(var, SetFromRange(terms_, range)); }

void IntSets::Learn(PrimExpr var, PrimKind op, PrimExpr limit) {
  if (!terms_.is_var(var) || !IsInteger(terms_.dtype(limit))) return;
  const PrimExpr one = MakeConst(terms_, terms_.dtype(limit), 1);
  IntSet set = EverythingSet(terms_);
  switch (op) {
    case kLE: set.max = limit; break;
    case kLT: set.max = Sub(terms_, limit, one); break;
    case kGE: set.min = limit; break;
    case kGT: set.min = Add(terms_, limit, one); break;
    case kEQ: set = PointSet(limit); break;
    default: return;
  }
  learnt_.push_back(var);
  learnt_of_[var].push_back(set);
}

void IntSets::EnterConstraint(PrimExpr condition) {
  scopes_.push_back(learnt_.size());
  for (const PrimExpr part : ExtractConstraints(terms_, condition)) {
    const PrimKind kind = terms_.kind(part);
    if (!IsComparison(kind) || terms_.lanes(part) != 1) continue;
    const PrimExpr a = terms_.operand(part, 0);
    const PrimExpr b = terms_.operand(part, 1);
    const PrimKind turned = kind == kLT ? kGT : kind == kLE ? kGE : kind == kGT ? kLT : kind == kGE ? kLE : kind;
    Learn(a, kind, b);
    Learn(b, turned, a);
  }
}

void IntSets::LeaveConstraint() {
  for (; learnt_.size() > scopes_.back(); learnt_.pop_back()) {
    const auto of = learnt_of_.find(learnt_.back());
    of->second.pop_back();
    if (of->second.empty()) learnt_of_.erase(of);
  }
  scopes_.pop_back();
}

auto IntSets::Get(PrimExpr e) -> IntSet {
  // Only the sets of variables that the term depends on.
  SetEvaluator::Sets sets;
  absl::flat_hash_set<PrimExpr> seen;
  std::vector<PrimExpr> pending = FreeVars(terms_, e);
  while (!pending.empty()) {
    const PrimExpr var = pending.back();
    pending.pop_back();
    if (!seen.insert(var).second) continue;
    std::vector<IntSet> values;
    if (const auto learnt = learnt_of_.find(var); learnt != learnt_of_.end()) values = learnt->second;
    if (const auto found = vars_.find(var); found != vars_.end()) values.push_back(found->second);
    for (const IntSet& set : values) {
      for (const PrimExpr end : {set.min, set.max}) {
        for (const PrimExpr used : FreeVars(terms_, end)) pending.push_back(used);
      }
    }
    if (!values.empty()) sets.emplace(var, std::move(values));
  }
  return SetEvaluator(analyzer_, std::move(sets), vars_.size()).Eval(e);
}

auto IntSets::Get(PrimExpr e, std::span<const Analyzer::VarSet> vars) -> IntSet {
  SetEvaluator::Sets sets;
  for (const Analyzer::VarSet& v : vars) sets[v.var] = {v.set};
  const size_t count = sets.size();
  return SetEvaluator(analyzer_, std::move(sets), count).Eval(e);
}

auto SetFromRange(Terms& terms, const Range& range) -> IntSet {
  if (terms.IsInt(range.extent, 1)) return PointSet(range.min);
  const PrimExpr one = MakeConst(terms, terms.dtype(range.extent), 1);
  return {range.min, Sub(terms, Add(terms, range.extent, range.min), one)};
}

auto SetFromVector(Analyzer& analyzer, PrimExpr e) -> IntSet { return analyzer.Set(e, {}); }

auto CoverRange(Analyzer& analyzer, const IntSet& set, const Range& otherwise) -> Range {
  Terms& terms = analyzer.terms();
  if (!HasLower(terms, set) || !HasUpper(terms, set)) return otherwise;
  const PrimExpr one = MakeConst(terms, terms.dtype(set.max), 1);
  return {analyzer.Simplify(set.min), analyzer.Simplify(Sub(terms, Add(terms, set.max, one), set.min))};
}

namespace {

template <typename F>
auto Joined(Analyzer& analyzer, std::span<const IntSet> sets, F join) -> IntSet {
  if (sets.empty()) return EmptySet(analyzer.terms());
  IntSet out = sets[0];
  if (sets.size() == 1) return out;
  for (const IntSet& set : sets.subspan(1)) out = join(out, set);
  return {analyzer.Simplify(out.min), analyzer.Simplify(out.max)};
}

}  // namespace

auto UnionSets(Analyzer& analyzer, std::span<const IntSet> sets) -> IntSet {
  return Joined(analyzer, sets, [&](const IntSet& a, const IntSet& b) { return UnionTwo(analyzer.terms(), a, b); });
}

auto IntersectSets(Analyzer& analyzer, std::span<const IntSet> sets) -> IntSet {
  return Joined(analyzer, sets, [&](const IntSet& a, const IntSet& b) { return IntersectTwo(analyzer, a, b); });
}

// Whether the term is made of a few variables and integer literals by arithmetic.
static auto IsShortArithmetic(const Terms& terms, PrimExpr e) -> bool {
  constexpr size_t kMostTerms = 16;
  absl::InlinedVector<PrimExpr, kMostTerms> pending = {e};
  for (size_t seen = 0; !pending.empty(); ++seen) {
    const PrimExpr top = pending.back();
    pending.pop_back();
    if (terms.is_var(top) || terms.kind(top) == kIntImm) continue;
    if (seen == kMostTerms || !IsBinary(terms.kind(top))) return false;
    const std::span<const PrimExpr> operands = terms.operands(top);
    pending.insert(pending.end(), operands.begin(), operands.end());
  }
  return true;
}

auto EvalSet(Terms& terms, PrimExpr e, std::span<const Analyzer::VarSet> vars) -> IntSet {
  // What the evaluator makes of points.
  if (vars.empty() && IsShortArithmetic(terms, e)) return PointSet(e);
  Analyzer analyzer(terms);
  return analyzer.Set(e, vars);
}

auto EvalSet(Terms& terms, const Range& range, std::span<const Analyzer::VarSet> vars) -> IntSet {
  if (terms.IsInt(range.extent, 1)) return EvalSet(terms, range.min, vars);
  Analyzer analyzer(terms);
  const DataType type = terms.dtype(range.extent);
  if (IsInteger(type) && analyzer.CanProveEqual(range.extent, MakeConst(terms, type, 1))) {
    return analyzer.Set(range.min, vars);
  }
  const PrimExpr last = Sub(terms, Add(terms, range.min, range.extent), MakeConst(terms, type, 1));
  const IntSet low = analyzer.Set(range.min, vars);
  const IntSet high = analyzer.Set(analyzer.Simplify(last), vars);
  return {low.min, high.max};
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::arith
