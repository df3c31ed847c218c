// Sets of integers as intervals of terms.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayopt/arith/analyzer.h"

namespace relayopt::arith {

inline auto EverythingSet(const Terms& terms) -> IntSet { return {terms.neg_inf(), terms.pos_inf()}; }
inline auto EmptySet(const Terms& terms) -> IntSet { return {terms.pos_inf(), terms.neg_inf()}; }
inline auto PointSet(PrimExpr e) -> IntSet { return {e, e}; }
inline auto IsEmptySet(const Terms& t, const IntSet& s) -> bool { return s.min == t.pos_inf() || s.max == t.neg_inf(); }
inline auto IsEverythingSet(const Terms& t, const IntSet& s) -> bool {
  return s.min == t.neg_inf() && s.max == t.pos_inf();
}
inline auto HasLower(const Terms& t, const IntSet& s) -> bool { return s.min != t.neg_inf() && !IsEmptySet(t, s); }
inline auto HasUpper(const Terms& t, const IntSet& s) -> bool { return s.max != t.pos_inf() && !IsEmptySet(t, s); }

// [min, min + extent - 1]; an extent of literal 1 is a point.
auto SetFromRange(Terms& terms, const Range& range) -> IntSet;
// The lanes of a vector index: for a ramp from base to last lane, with no variable bound.
auto SetFromVector(Analyzer& analyzer, PrimExpr e) -> IntSet;
// The smallest range of terms that holds the set; `otherwise` where an end is infinite.
auto CoverRange(Analyzer& analyzer, const IntSet& set, const Range& otherwise) -> Range;

// Ends are simplified where the list has more than one.
auto UnionSets(Analyzer& analyzer, std::span<const IntSet> sets) -> IntSet;
auto IntersectSets(Analyzer& analyzer, std::span<const IntSet> sets) -> IntSet;
// A part of the union: sets that do not provably meet what was joined before are left out.
auto UnionLowerBound(Analyzer& analyzer, std::span<const IntSet> sets) -> IntSet;

// The values of `e` while the variables run through their sets; a fresh analyzer, no other knowledge.
auto EvalSet(Terms& terms, PrimExpr e, std::span<const Analyzer::VarSet> vars) -> IntSet;
// The values in a range whose ends use the variables.
auto EvalSet(Terms& terms, const Range& range, std::span<const Analyzer::VarSet> vars) -> IntSet;

}  // namespace relayopt::arith
