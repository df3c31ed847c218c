// Queries on iteration maps: whether indices form one, simpler indices, and the regions that they cover.
#include <algorithm>

#include "lib/arith/iter_map.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::arith {

namespace {

// Terms are processed as trees, because each occurrence makes marks of its own, and constraints are compared in pairs.
// Larger inputs are left as they are.
constexpr uint64_t kMaxTerms = 2000;
constexpr size_t kMaxConstraints = 64;

// Whether the range of an iterator depends on another iterator.
auto RangesAreIndependent(const Terms& terms, std::span<const IterRange> iters) -> bool {
  absl::flat_hash_map<PrimExpr, bool> vars;
  for (const IterRange& iter : iters) vars[iter.var] = true;
  const auto is_iter = [&](PrimExpr var) { return vars.contains(var); };
  return std::ranges::none_of(iters, [&](const IterRange& iter) {
    return UsesVar(terms, iter.range.min, is_iter) || UsesVar(terms, iter.range.extent, is_iter);
  });
}

// The indices in both rounds; returns false if they have no form.
auto RewriteIndices(IterMapRewriter& rewriter, std::span<const PrimExpr> indices, IterMapLevel level,
                    std::vector<IterSum>& sums) -> bool {
  if (level != IterMapLevel::kBijective) {
    for (const PrimExpr index : indices) {
      sums.push_back(rewriter.RewriteAndUpdatePadding(index));
      if (rewriter.failed()) return false;
    }
    if (!rewriter.requires_padding()) return true;
    sums.clear();
  }
  for (const PrimExpr index : indices) {
    sums.push_back(rewriter.Rewrite(index));
    if (rewriter.failed()) return false;
  }
  return true;
}

// Calls use(rewriter, sums) where the indices have a form.
auto WithIterMap(Analyzer& analyzer, std::span<const PrimExpr> indices, std::span<const IterRange> iters,
                 PrimExpr predicate, IterMapLevel level,
                 const std::function<void(IterMapRewriter&, std::vector<IterSum>&)>& use) -> bool {
  Terms& terms = analyzer.terms();
  for (const PrimExpr index : indices) {
    if (IsTooLargeForIterMap(terms, index)) return false;
  }
  if (!RangesAreIndependent(terms, iters)) return false;
  std::vector<IterRange> narrowed(iters.begin(), iters.end());
  std::vector<IterConstraint> constraints;
  if (!terms.IsInt(predicate, 1)) {
    if (IsTooLargeForIterMap(terms, predicate)) return false;
    if (!MatchBoundConstraints(terms, predicate, narrowed, constraints)) return false;
    if (constraints.size() > kMaxConstraints) return false;
  }
  // Constraints on parts of larger sums come first.
  std::ranges::stable_sort(constraints, {}, [&](const IterConstraint& c) { return Complexity(terms, c.iter); });
  IterMapRewriter rewriter(analyzer, narrowed, level);
  for (const IterConstraint& constraint : constraints) {
    rewriter.AddConstraint(constraint);
    if (rewriter.failed()) return false;
  }
  if (!rewriter.ConstraintsAreCompatible()) return false;
  std::vector<IterSum> sums;
  if (!RewriteIndices(rewriter, indices, level, sums) || !rewriter.CheckMapping(sums)) return false;
  use(rewriter, sums);
  return true;
}

}  // namespace

auto DetectIterMap(Analyzer& analyzer, std::span<const PrimExpr> indices, std::span<const IterRange> iters,
                   PrimExpr predicate, IterMapLevel level) -> std::optional<std::vector<IterSum>> {
  std::optional<std::vector<IterSum>> result;
  WithIterMap(analyzer, indices, iters, predicate, level, [&](IterMapRewriter& rewriter, std::vector<IterSum>& sums) {
    // TVM takes the values of i // -2 to begin at 0 and to be fewer than none.
    if (!rewriter.counts_down()) result = std::move(sums);
  });
  return result;
}

auto IsTooLargeForIterMap(const Terms& terms, PrimExpr e) -> bool {
  std::vector<PrimExpr> open = {e};
  for (uint64_t seen = 1; !open.empty(); ++seen) {
    if (seen > kMaxTerms) return true;
    const PrimExpr part = open.back();
    open.pop_back();
    const auto operands = terms.operands(part);
    open.insert(open.end(), operands.begin(), operands.end());
  }
  return false;
}

auto IterMapSimplify(Analyzer& analyzer, std::span<const PrimExpr> indices, std::span<const IterRange> iters,
                     PrimExpr predicate) -> std::vector<PrimExpr> {
  std::vector<PrimExpr> result(indices.begin(), indices.end());
  WithIterMap(analyzer, indices, iters, predicate, IterMapLevel::kSurjective,
              [&](IterMapRewriter& rewriter, std::vector<IterSum>& sums) {
                for (size_t i = 0; i < sums.size(); ++i) result[i] = rewriter.Convert(sums[i]);
              });
  return result;
}

namespace {

// Returns the values of a sum of at most one piece, each with `extent` values after it.
auto EvalIterSum(Analyzer& analyzer, const IterSum& sum, PrimExpr extent) -> std::optional<IntSet> {
  Terms& terms = analyzer.terms();
  const auto is_zero = [&](PrimExpr e) { return analyzer.CanProve(Eq(terms, e, MakeZero(terms, terms.dtype(e)))); };
  if (is_zero(extent)) return EmptySet(terms);
  if (sum.pieces.empty()) return SetFromRange(terms, {sum.base, extent});
  const IterPiece& piece = sum.pieces[0];
  if (is_zero(piece.extent)) return EmptySet(terms);
  if (!analyzer.CanProve(Ge(terms, extent, piece.scale))) return std::nullopt;
  // Nothing follows from a scale that may be 0 about the sign of what it scales.
  if (analyzer.Bound(piece.scale).max == 0) return std::nullopt;
  const PrimExpr one = MakeConst(terms, terms.dtype(piece.extent), 1);
  const PrimExpr reach = Mul(terms, Sub(terms, piece.extent, one), piece.scale);
  const PrimExpr zero = MakeZero(terms, terms.dtype(piece.scale));
  if (analyzer.CanProve(Lt(terms, piece.scale, zero))) {
    return SetFromRange(terms, {Add(terms, sum.base, reach), Sub(terms, extent, reach)});
  }
  return SetFromRange(terms, {sum.base, Add(terms, extent, reach)});
}

// Returns the bounds of all dimensions together, or nullopt if they are not exact.
auto EstimateRegionStrictBound(Analyzer& analyzer, std::span<const Range> region, std::span<const IterRange> vars,
                               PrimExpr predicate) -> std::optional<std::vector<IntSet>> {
  std::vector<PrimExpr> mins;
  for (const Range& range : region) {
    if (!analyzer.terms().AsInt(range.extent)) return std::nullopt;
    mins.push_back(range.min);
  }
  const auto sums = DetectIterMap(analyzer, mins, vars, predicate, IterMapLevel::kSurjective);
  if (!sums) return std::nullopt;
  std::vector<IntSet> sets;
  for (size_t i = 0; i < region.size(); ++i) {
    const std::optional<IntSet> set = EvalIterSum(analyzer, (*sums)[i], region[i].extent);
    if (!set) return std::nullopt;
    sets.push_back(*set);
  }
  return sets;
}

}  // namespace

auto EstimateRegionUpperBound(Analyzer& analyzer, std::span<const Range> region, std::span<const IterRange> vars,
                              PrimExpr predicate) -> std::vector<IntSet> {
  if (auto strict = EstimateRegionStrictBound(analyzer, region, vars, predicate)) return *std::move(strict);
  Terms& terms = analyzer.terms();
  const auto var_sets = MapToVector<Analyzer::VarSet>(vars, [&](const IterRange& var) {
    return Analyzer::VarSet{var.var, SetFromRange(terms, var.range)};
  });
  std::vector<IntSet> sets;
  for (const Range& range : region) {
    const auto sums = DetectIterMap(analyzer, {&range.min, 1}, vars, predicate, IterMapLevel::kSurjective);
    const auto set = sums ? EvalIterSum(analyzer, (*sums)[0], range.extent) : std::nullopt;
    sets.push_back(set ? *set : EvalSet(terms, range, var_sets));
  }
  return sets;
}

}  // namespace relayopt::arith
