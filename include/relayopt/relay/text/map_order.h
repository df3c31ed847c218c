// The order in which TVM's string maps iterate.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace relayopt {

// Returns the iteration order of a map with these distinct keys, inserted in this order, as positions in `keys`. Up to
// four keys stay in order; larger maps are hash tables, whose slots are simulated.
auto MapOrder(std::span<const std::string_view> keys) -> std::vector<size_t>;

// The same for keys that were read from text. Colliding keys are swapped each time a map is printed and read back, in a
// cycle. An order that is part of such a cycle was printed by TVM, and is kept.
auto ReadMapOrder(std::span<const std::string_view> keys) -> std::vector<size_t>;

// The same for a map that TVM first collects in a C++ hash table and then copies: maps read from a metadata
// section, and the root of a section that is written.
auto CollectedMapOrder(std::span<const std::string_view> keys) -> std::vector<size_t>;

// TVM's hash of a string.
auto StableHash(std::string_view text) -> uint64_t;

}  // namespace relayopt
