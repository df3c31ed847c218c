// Iteration maps: indices as sums of pieces of iterators.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "relayopt/arith/analyzer.h"

namespace relayopt::arith {

// An iterator and the values that it takes.
struct IterRange {
  PrimExpr var;
  Range range;
};

enum class IterMapLevel : uint8_t {
  kNoCheck,
  kSurjective,  // every value of a piece is reached: pieces of one iterator do not overlap
  kBijective,   // and every iterator is used, every value of it counts, and nothing is padded
};

// One piece of an iterator x of `x_extent` values: ((x // lower) % extent) * scale. What x is, only the maker knows.
struct IterPiece {
  uint32_t iterator;
  PrimExpr lower;
  PrimExpr extent;
  PrimExpr scale;
};

// The sum of pieces and a term without iterators.
struct IterSum {
  std::vector<IterPiece> pieces;
  PrimExpr base;
};

// The indices as sums of at most one piece (of an iterator that may itself be fused from several). Nothing where they
// have no such form, where an iterator's range mentions another one, or where the predicate is no conjunction of
// comparisons of integers. What holds under `predicate` is used. An iterator of literally one value is that value.
auto DetectIterMap(Analyzer& analyzer, std::span<const PrimExpr> indices, std::span<const IterRange> iters,
                   PrimExpr predicate, IterMapLevel level) -> std::optional<std::vector<IterSum>>;

// The indices put together again from these forms: `(i * 4 + j) // 4` is `i` where j < 4. Where there are none, the
// indices as they are. The level is kSurjective.
auto IterMapSimplify(Analyzer& analyzer, std::span<const PrimExpr> indices, std::span<const IterRange> iters,
                     PrimExpr predicate) -> std::vector<PrimExpr>;

// What a region of ranges covers while the variables run through theirs, as sets: exactly where the ranges have literal
// extents and are an iteration map together, else each dimension by itself, by an iteration map or by evaluating its
// ends.
auto EstimateRegionUpperBound(Analyzer& analyzer, std::span<const Range> region, std::span<const IterRange> vars,
                              PrimExpr predicate) -> std::vector<IntSet>;

}  // namespace relayopt::arith
