// Sets of integers, as intervals between terms.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayopt/arith/analyzer.h"

namespace relayopt::arith {

// Basic sets, and queries about them. A set without a lower or upper bound ends in an infinity.
inline auto EverythingSet(const Terms& terms) -> IntSet { return {terms.neg_inf(), terms.pos_inf()}; }
inline auto EmptySet(const Terms& terms) -> IntSet { return {terms.pos_inf(), terms.neg_inf()}; }
inline auto PointSet(PrimExpr e) -> IntSet { return {e, e}; }
inline auto IsEmptySet(const Terms& t, const IntSet& s) -> bool { return s.min == t.pos_inf() || s.max == t.neg_inf(); }
inline auto IsEverythingSet(const Terms& t, const IntSet& s) -> bool {
  return s.min == t.neg_inf() && s.max == t.pos_inf();
}
inline auto HasLower(const Terms& t, const IntSet& s) -> bool { return s.min != t.neg_inf() && !IsEmptySet(t, s); }
inline auto HasUpper(const Terms& t, const IntSet& s) -> bool { return s.max != t.pos_inf() && !IsEmptySet(t, s); }

// Returns the set [min, min + extent - 1]; an extent of literal 1 gives a point.
auto SetFromRange(Terms& terms, const Range& range) -> IntSet;
// The set of the lanes of a vector index. For a ramp: from its base to its last lane, where variables stay as they are.
auto SetFromVector(Analyzer& analyzer, PrimExpr e) -> IntSet;
// Returns the smallest range of terms that contains the set; `otherwise` when an end is infinite.
auto CoverRange(Analyzer& analyzer, const IntSet& set, const Range& otherwise) -> Range;

// Returns the union, as an interval. Its ends are simplified when there are several sets.
auto UnionSets(Analyzer& analyzer, std::span<const IntSet> sets) -> IntSet;
auto IntersectSets(Analyzer& analyzer, std::span<const IntSet> sets) -> IntSet;

// Returns the values of `e` while the variables run through their sets. Uses no other knowledge.
auto EvalSet(Terms& terms, PrimExpr e, std::span<const Analyzer::VarSet> vars) -> IntSet;
// Returns the values in a range whose ends use the variables.
auto EvalSet(Terms& terms, const Range& range, std::span<const Analyzer::VarSet> vars) -> IntSet;

}  // namespace relayopt::arith
