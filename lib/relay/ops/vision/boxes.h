// Boxes and their scores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// The element types that boxes are computed and counted in.
inline constexpr DataType kFloat = DataType::Float(32);

struct Box {
  float left;
  float top;
  float right;
  float bottom;
};

// Returns the box between two corners, x before y or y before x, in either order.
inline auto BoxAt(const float* corners) -> Box {
  return {std::min(corners[0], corners[2]), std::min(corners[1], corners[3]), std::max(corners[0], corners[2]),
          std::max(corners[1], corners[3])};
}

// Returns the area of the intersection divided by that of the union, or 0 for an empty union.
auto Overlap(const Box& a, const Box& b) -> float;

// 0 to count - 1 by descending score; equal scores stay in order, NaN comes last.
auto ByScore(int64_t count, const std::function<float(int64_t)>& score) -> std::vector<int64_t>;

// Returns a number that is an operand, or nothing, with the error reported, if it has no single element.
auto ScalarOf(KernelContext& kernel, size_t i) -> std::optional<double>;

// Returns the boxes that survive, given best first: those that no kept box before them suppresses, according to
// `suppresses(better, candidate)`, and at most `limit` if that is not negative.
template <typename Suppresses>
auto Survivors(const std::vector<int64_t>& order, int64_t limit, Suppresses suppresses) -> std::vector<int64_t> {
  std::vector<int64_t> kept;
  for (const int64_t candidate : order) {
    if (limit >= 0 && static_cast<int64_t>(kept.size()) >= limit) break;
    const bool lost =
        std::any_of(kept.begin(), kept.end(), [&](int64_t better) { return suppresses(better, candidate); });
    if (!lost) kept.push_back(candidate);
  }
  return kept;
}

}  // namespace relayopt
