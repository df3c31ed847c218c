// Alignment of two sequences: which elements of one correspond to which of the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace relayopt {

// The positions (in `a`, in `b`) of a common subsequence, ascending in both. It is a longest one where the sequences
// have few differences; where they have thousands, it is only their common prefix and suffix, found in linear time.
auto Align(std::span<const uint64_t> a, std::span<const uint64_t> b) -> std::vector<std::pair<size_t, size_t>>;

}  // namespace relayopt
