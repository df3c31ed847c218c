// Lists of extents, axes and other integers, any of which may be unknown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "relayopt/core/attrs.h"
#include "relayopt/core/dim.h"

namespace relayopt {

inline auto AllKnown(std::span<const Dim> extents) -> bool { return std::ranges::all_of(extents, &Dim::is_int); }

// Returns the values, or nullopt if one is unknown.
inline auto KnownExtents(std::span<const Dim> extents) -> std::optional<std::vector<int64_t>> {
  if (!AllKnown(extents)) return std::nullopt;
  std::vector<int64_t> values(extents.size());
  std::ranges::transform(extents, values.begin(), &Dim::value);
  return values;
}
// Returns the values, or nullopt if one is unknown or the list is null.
inline auto KnownExtents(const DimList& list) -> std::optional<std::vector<int64_t>> {
  return list.null ? std::nullopt : KnownExtents(std::span(list.values));
}

// Returns the number of elements of a tensor with these extents: 1 for a scalar, and the largest int64 for more than
// that.
constexpr auto Product(std::span<const int64_t> extents) -> int64_t {
  int64_t product = 1;
  for (const int64_t extent : extents) {
    if (extent == 0) return 0;
    if (__builtin_mul_overflow(product, extent, &product)) product = std::numeric_limits<int64_t>::max();
  }
  return product;
}

// Whether a tensor with the extents `from` can be repeated to the extents `to`, as far as they are known.
inline auto MayBroadcastTo(std::span<const Dim> from, std::span<const Dim> to) -> bool {
  return from.size() <= to.size() && std::ranges::equal(from, to.last(from.size()), [](const Dim& a, const Dim& b) {
           return !a.is_int() || !b.is_int() || a.value() == b.value() || a.value() == 1;
         });
}

// Returns an axis counted from the front. Negative ones count from the end of `rank` axes.
constexpr auto NormalizedAxis(int64_t axis, size_t rank) -> int64_t {
  return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
}

}  // namespace relayopt
