// Solving comparisons for ranges: elimination after Fourier and Motzkin.
//
// Comparisons become `e <= 0`. For one variable after the other every upper bound meets every lower one, and the
// combination speaks of the remaining variables:
//
//   i in [0, 10), j in [0, 10), i < 6 and i + j < 20      for i: i <= 5, and i + j <= 19 follows from the ranges
//                                                         for j: nothing new
//
// Ranges are then chosen backwards, each by the pair of bounds with the smallest provable distance: j in [0, 10), i in
// [0, 6). What the ranges do not imply is a rest, as `i + j < 6` would leave one, and a system with a rest is unsolved.
#include "relayopt/arith/solve.h"

#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/deduce.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::arith {

namespace {

using enum PrimKind;

// Elimination may grow exponentially: systems that reach this number of relations are left unsolved.
constexpr size_t kMaxRelations = 64;

// A bound factor * var + rest <= 0.
struct LinearBound {
  int64_t factor;
  PrimExpr rest;
};

// factor * var is one of `equal`, at least `lower`, at most `upper`.
struct VarBounds {
  int64_t factor = 1;
  std::vector<PrimExpr> equal;
  std::vector<PrimExpr> lower;
  std::vector<PrimExpr> upper;
};

class Solver {
 public:
  Solver(Terms& terms, std::span<const PrimExpr> vars, std::span<const IterRange> ranges)
      : terms_(terms), analyzer_(terms), plain_(terms), vars_(vars) {
    for (const IterRange& range : ranges) {
      ranges_[range.var] = range.range;
      order_.push_back(range.var);
    }
    BindRanges(analyzer_);
  }

  auto Run(std::span<const PrimExpr> relations) -> std::optional<std::vector<std::optional<Range>>> {
    for (const PrimExpr relation : relations) AddRelation(relations_, Normalized(analyzer_.Simplify(relation, 3)));
    for (const PrimExpr var : vars_) {
      if (!Eliminate(var)) return std::nullopt;
    }
    for (const PrimExpr relation : relations_) {
      const PrimExpr simple = analyzer_.Simplify(relation, 3);
      if (terms_.IsInt(simple, 0)) return std::nullopt;
      if (!terms_.AsInt(simple)) rest_.push_back(simple);
    }
    std::vector<std::optional<Range>> result(vars_.size());
    for (size_t i = vars_.size(); i-- > 0;) {
      if (!ChooseRange(vars_[i], bounds_[i], result[i])) return std::nullopt;
    }
    if (!RangesSayAll()) return std::nullopt;
    return result;
  }

 private:
  void BindRanges(Analyzer& analyzer) const {
    for (const PrimExpr var : order_) analyzer.Bind(var, ranges_.at(var));
  }

  auto One(PrimExpr like) const -> PrimExpr { return MakeConst(terms_, terms_.dtype(like), 1); }
  auto Zero(PrimExpr like) const -> PrimExpr { return MakeZero(terms_, terms_.dtype(like)); }
  auto Proves(PrimKind kind, PrimExpr a, PrimExpr b) -> bool {
    const PrimExpr difference = Sub(terms_, a, b);
    return analyzer_.CanProve(Operate(terms_, kind, difference, Zero(difference)));
  }

  // Returns the comparison as one of a term and 0, without `<` on integers; anything else as it is.
  auto Normalized(PrimExpr e) -> PrimExpr {
    PrimKind kind = terms_.kind(e);
    if (!IsComparison(kind)) return e;
    PrimExpr a = terms_.operand(e, 0);
    PrimExpr b = terms_.operand(e, 1);
    if (kind == kGT || kind == kGE) {
      std::swap(a, b);
      kind = kind == kGT ? kLT : kLE;
    }
    PrimExpr difference = Sub(terms_, a, b);
    if (kind == kLT && IsInteger(terms_.dtype(a))) {
      difference = Add(terms_, difference, One(difference));
      kind = kLE;
    }
    return terms_.Binary(kind, plain_.Simplify(difference), Zero(difference));
  }

  void AddRelation(std::vector<PrimExpr>& relations, PrimExpr made) {
    if (analyzer_.CanProve(made) || std::ranges::find(relations, made) != relations.end()) return;
    if (terms_.kind(made) == kLE) {
      const PrimExpr a = terms_.operand(made, 0);
      for (size_t i = 0; i < relations.size();) {
        const bool le = terms_.kind(relations[i]) == kLE;
        if (le && Proves(kLE, a, terms_.operand(relations[i], 0))) return;
        if (le && Proves(kLE, terms_.operand(relations[i], 0), a)) {
          relations.erase(relations.begin() + static_cast<ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
    }
    relations.push_back(made);
  }

  // Sorts the relations by the sign that the variable has in them; those without it go to `next`.
  void Classify(PrimExpr var, std::vector<PrimExpr>& next, std::vector<LinearBound>& positive,
                std::vector<LinearBound>& negative) {
    for (const PrimExpr relation : relations_) {
      const PrimKind kind = terms_.kind(relation);
      std::optional<int64_t> factor;
      std::optional<std::vector<PrimExpr>> linear;
      if (kind == kLE || kind == kEQ) {
        linear = DetectLinearEquation(terms_, terms_.operand(relation, 0), {&var, 1});
        if (linear) factor = terms_.AsInt((*linear)[0]);
      }
      if (!factor || *factor == INT64_MIN) {
        rest_.push_back(relation);
      } else if (*factor == 0) {
        AddRelation(next, relation);
      } else {
        const LinearBound bound{*factor, (*linear)[1]};
        (*factor > 0 ? positive : negative).push_back(bound);
        // An equation is two inequalities.
        if (kind == kEQ) {
          (*factor > 0 ? negative : positive).push_back({-*factor, Negate(terms_, bound.rest)});
        }
      }
    }
  }

  // Returns false if it becomes too much.
  auto Eliminate(PrimExpr var) -> bool {
    std::vector<PrimExpr> next;
    std::vector<LinearBound> positive, negative;
    const DataType type = terms_.dtype(var);
    if (const auto found = ranges_.find(var); found != ranges_.end()) {
      const auto& [min, extent] = found->second;
      const PrimExpr end = Add(terms_, min, extent);
      const PrimExpr max = analyzer_.Simplify(Sub(terms_, end, One(end)), 3);
      negative.push_back({-1, analyzer_.Simplify(min, 3)});
      positive.push_back({1, Negate(terms_, max)});
    }
    Classify(var, next, positive, negative);
    for (const LinearBound& p : positive) {
      for (const LinearBound& n : negative) {
        const int64_t divisor = std::gcd(p.factor, n.factor);
        const PrimExpr left = Sub(terms_, Mul(terms_, MakeConst(terms_, type, p.factor / divisor), n.rest),
                                  Mul(terms_, MakeConst(terms_, type, n.factor / divisor), p.rest));
        AddRelation(next, Normalized(analyzer_.Simplify(terms_.Binary(kLE, left, Zero(left)), 3)));
        if (next.size() > kMaxRelations) return false;
      }
    }
    VarBounds bounds;
    for (const auto* list : {&positive, &negative}) {
      for (const LinearBound& bound : *list) {
        bounds.factor = std::lcm(bounds.factor, bound.factor);
        if (bounds.factor <= 0 || bounds.factor > INT32_MAX) return false;
      }
    }
    for (const LinearBound& p : positive) AddBound(type, bounds.factor, p, kLE, bounds.upper);
    for (const LinearBound& n : negative) AddBound(type, bounds.factor, n, kGE, bounds.lower);
    MoveEqual(bounds);
    bounds_.push_back(std::move(bounds));
    relations_ = std::move(next);
    return true;
  }

  // `better` is the relation that a bound must have to another one to make it redundant.
  void AddBound(DataType type, int64_t factor, const LinearBound& linear, PrimKind better,
                std::vector<PrimExpr>& bounds) {
    const PrimExpr bound =
        analyzer_.Simplify(Mul(terms_, MakeConst(terms_, type, -factor / linear.factor), linear.rest), 3);
    const PrimKind worse = better == kLE ? kGE : kLE;
    if (std::ranges::any_of(bounds, [&](PrimExpr other) { return Proves(better, other, bound); })) return;
    std::erase_if(bounds, [&](PrimExpr other) { return Proves(worse, other, bound); });
    bounds.push_back(bound);
  }

  void MoveEqual(VarBounds& bounds) {
    std::erase_if(bounds.upper, [&](PrimExpr upper) {
      const auto lower = std::ranges::find(bounds.lower, upper);
      if (lower == bounds.lower.end()) return false;
      bounds.equal.push_back(upper);
      bounds.lower.erase(lower);
      return true;
    });
    std::ranges::stable_sort(bounds.equal, {}, [&](PrimExpr e) { return Complexity(terms_, e); });
  }

  // Returns false if the bounds contradict each other.
  auto ChooseRange(PrimExpr var, const VarBounds& bounds, std::optional<Range>& result) -> bool {
    Analyzer analyzer(terms_);
    BindRanges(analyzer);
    if (bounds.factor == 1 && !bounds.equal.empty()) {
      const PrimExpr value = bounds.equal[0];
      const PrimExpr end = analyzer.Simplify(Add(terms_, value, One(value)), 3);
      result = Range{value, terms_.IsInt(value, 0) ? end : Sub(terms_, end, value)};
    } else {
      result = BestRange(var, bounds, analyzer);
      if (!result) return true;
      if (analyzer.CanProveGreaterEqual(Negate(terms_, result->extent), 0)) return false;
    }
    if (!ranges_.contains(var)) order_.push_back(var);
    ranges_[var] = *result;
    return true;
  }

  auto BestRange(PrimExpr var, const VarBounds& bounds, Analyzer& analyzer) -> std::optional<Range> {
    const PrimExpr factor = MakeConst(terms_, terms_.dtype(var), bounds.factor);
    std::vector<PrimExpr> lowers, uppers;
    // Bounds that were known before come first, and equations before all others.
    std::vector<PrimExpr> known_lower, known_upper;
    if (const auto found = ranges_.find(var); found != ranges_.end()) {
      const auto& [min, extent] = found->second;
      const PrimExpr lower = plain_.Simplify(Mul(terms_, min, factor));
      if (terms_.IsInt(extent, 1)) {
        lowers.push_back(lower);
        uppers.push_back(lower);
      } else {
        const PrimExpr end = Add(terms_, min, extent);
        known_lower.push_back(lower);
        known_upper.push_back(plain_.Simplify(Mul(terms_, Sub(terms_, end, One(end)), factor)));
      }
    }
    for (auto [all, known, solved] :
         {std::tuple(&lowers, &known_lower, &bounds.lower), std::tuple(&uppers, &known_upper, &bounds.upper)}) {
      all->insert(all->end(), bounds.equal.begin(), bounds.equal.end());
      all->insert(all->end(), known->begin(), known->end());
      all->insert(all->end(), solved->begin(), solved->end());
    }
    if (lowers.size() == 1 && uppers.size() == 1 && bounds.factor == 1) {
      const PrimExpr min = analyzer.Simplify(lowers[0]);
      const PrimExpr end = analyzer.Simplify(Add(terms_, uppers[0], One(uppers[0])));
      return Range{min, terms_.IsInt(min, 0) ? end : Sub(terms_, end, min)};
    }
    return BestPair(lowers, uppers, factor, analyzer);
  }

  auto BestPair(std::span<const PrimExpr> lowers, std::span<const PrimExpr> uppers, PrimExpr factor, Analyzer& analyzer)
      -> std::optional<Range> {
    const auto sets = MapToVector<Analyzer::VarSet>(order_, [&](PrimExpr var) {
      return Analyzer::VarSet{var, SetFromRange(terms_, ranges_.at(var))};
    });
    PrimExpr best, best_lower;
    const auto upper_end = [&](PrimExpr e) {
      const IntSet set = EvalSet(terms_, e, sets);
      return HasUpper(terms_, set) ? analyzer.Simplify(set.max, 3) : PrimExpr();
    };
    const auto less = [&](PrimExpr a, PrimExpr b) {
      const PrimExpr difference = Sub(terms_, a, b);
      return analyzer.CanProve(Lt(terms_, difference, Zero(difference)));
    };
    for (const PrimExpr low : lowers) {
      for (const PrimExpr up : uppers) {
        PrimExpr distance = upper_end(analyzer.Simplify(FloorDiv(terms_, Sub(terms_, up, low), factor), 3));
        const PrimExpr rounded = Sub(terms_, Add(terms_, low, factor), One(factor));
        const PrimExpr min = analyzer.Simplify(FloorDiv(terms_, rounded, factor), 3);
        const PrimExpr other = upper_end(analyzer.Simplify(Sub(terms_, FloorDiv(terms_, up, factor), min), 3));
        if (other && (!distance || less(other, distance))) distance = other;
        if (distance && (!best || less(distance, best))) {
          best_lower = min;
          best = distance;
        }
      }
    }
    if (!best) return std::nullopt;
    return Range{best_lower, analyzer.Simplify(Add(terms_, best, One(best)))};
  }

  auto RangesSayAll() -> bool {
    Analyzer analyzer(terms_);
    BindRanges(analyzer);
    for (size_t i = 0; i < vars_.size(); ++i) {
      const VarBounds& bounds = bounds_[i];
      const PrimExpr left = Mul(terms_, MakeConst(terms_, terms_.dtype(vars_[i]), bounds.factor), vars_[i]);
      for (const auto& [kind, list] :
           {std::pair(kEQ, &bounds.equal), std::pair(kGE, &bounds.lower), std::pair(kLE, &bounds.upper)}) {
        for (const PrimExpr right : *list) {
          if (!analyzer.CanProve(Operate(terms_, kind, left, right))) return false;
        }
      }
    }
    return std::ranges::all_of(rest_, [&](PrimExpr relation) { return analyzer.CanProve(relation); });
  }

  Terms& terms_;
  // The first knows the given ranges; the second knows nothing.
  Analyzer analyzer_;
  Analyzer plain_;
  std::span<const PrimExpr> vars_;
  absl::flat_hash_map<PrimExpr, Range> ranges_;
  // The variables that have one.
  std::vector<PrimExpr> order_;
  std::vector<PrimExpr> relations_;
  // The relations that are not linear.
  std::vector<PrimExpr> rest_;
  std::vector<VarBounds> bounds_;
};

}  // namespace

auto SolveInequalitiesToRange(Terms& terms, std::span<const PrimExpr> vars, std::span<const IterRange> ranges,
                              std::span<const PrimExpr> relations) -> std::optional<std::vector<std::optional<Range>>> {
  return Solver(terms, vars, ranges).Run(relations);
}

}  // namespace relayopt::arith
