// Iteration maps: indices written as sums of pieces of iterators.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "relayopt/arith/analyzer.h"

namespace relayopt::arith {

// An iterator and the range of its values.
struct IterRange {
  PrimExpr var;
  Range range;
};

// The property that an iteration map is required to have.
enum class IterMapLevel : uint8_t {
  kNoCheck,
  kSurjective,  // every value of a piece is reached: pieces of one iterator do not overlap
  kBijective,   // and every iterator is used, every value of it counts, and nothing is padded
};

// One piece of an iterator x with `x_extent` values: ((x // lower) % extent) * scale. What x is, the caller of
// DetectIterMap has to know.
struct IterPiece {
  uint32_t iterator;
  PrimExpr lower;
  PrimExpr extent;
  PrimExpr scale;
};

// A sum of pieces plus a term without iterators.
struct IterSum {
  std::vector<IterPiece> pieces;
  PrimExpr base;
};

// Writes each index as a sum of at most one piece of an iterator, which may itself be fused from several. Uses what
// holds under `predicate`. Returns nothing if the indices have no such form, when the range of an iterator mentions
// another iterator, or when the predicate is not a conjunction of comparisons of integers. An iterator with a single
// literal value is replaced by that value.
auto DetectIterMap(Analyzer& analyzer, std::span<const PrimExpr> indices, std::span<const IterRange> iters,
                   PrimExpr predicate, IterMapLevel level) -> std::optional<std::vector<IterSum>>;

// Whether an index or a predicate has so many terms that the functions here leave it alone. Takes no longer for larger
// ones.
auto IsTooLargeForIterMap(const Terms& terms, PrimExpr e) -> bool;

// Simplifies indices by means of DetectIterMap (at level kSurjective): `(i * 4 + j) // 4` becomes `i` where j < 4.
// Returns the indices unchanged when they have no such form.
auto IterMapSimplify(Analyzer& analyzer, std::span<const PrimExpr> indices, std::span<const IterRange> iters,
                     PrimExpr predicate) -> std::vector<PrimExpr>;

// Returns the sets that a region of ranges covers while the variables run through their ranges. Exact when the ranges
// have literal extents and together are an iteration map; otherwise each dimension is estimated by itself, by an
// iteration map or by evaluating its ends.
auto EstimateRegionUpperBound(Analyzer& analyzer, std::span<const Range> region, std::span<const IterRange> vars,
                              PrimExpr predicate) -> std::vector<IntSet>;

}  // namespace relayopt::arith
