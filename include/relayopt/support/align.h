// Which elements of two sequences correspond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace relayopt {

// The positions of a common subsequence, rising in both. A longest one where the sequences have few differences; where
// they have thousands only their equal beginning and end, in linear time.
auto Align(std::span<const uint64_t> a, std::span<const uint64_t> b) -> std::vector<std::pair<size_t, size_t>>;

}  // namespace relayopt
