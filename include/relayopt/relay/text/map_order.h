// The order in which the reference's string maps iterate.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace relayopt {

// The positions of `keys`, which are distinct and were inserted one by one, in iteration order. Up to four stay as they
// are; more are in a hash table, whose slots this simulates.
auto MapOrder(std::span<const std::string_view> keys) -> std::vector<size_t>;

// The same for keys that were read from text. Keys that collide change places each time a map is printed and read back;
// an order to which that comes back sooner or later is one that was printed, and stays.
auto ReadMapOrder(std::span<const std::string_view> keys) -> std::vector<size_t>;

// The same for a map that was first collected in a hash table of the C++ library and then copied: maps that are read
// from a metadata section, and the root of one that is written.
auto CollectedMapOrder(std::span<const std::string_view> keys) -> std::vector<size_t>;

// The reference's hash of a string.
auto StableHash(std::string_view text) -> uint64_t;

}  // namespace relayopt
