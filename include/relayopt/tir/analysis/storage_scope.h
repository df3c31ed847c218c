// Storage scopes and thread tags: what the names of memories and threads mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace relayopt::tir {

// Where memory lies, from the whole device to one thread.
enum class StorageRank : uint8_t {
  kGlobal,
  kShared,
  kWarp,
  kLocal,
  kWMMAMatrixA,
  kWMMAMatrixB,
  kWMMAAccumulator,
  kTexture,
  kAMXTMM,
  kMMAMatrixA,
  kMMAMatrixB,
  kMMAMatrixC,
};

// `shared.dyn` is rank kShared with the tag `.dyn`; the empty string is global.
struct StorageScope {
  StorageRank rank = StorageRank::kGlobal;
  std::string_view tag;
  friend auto operator==(const StorageScope&, const StorageScope&) -> bool = default;
};
// Nothing where the text begins with no rank.
auto ParseStorageScope(std::string_view text) -> std::optional<StorageScope>;

// What is known of a memory with a tag of its own, such as `local.vtcm`.
struct MemoryInfo {
  std::string_view scope;
  // Allocations are aligned to it.
  uint64_t simd_bits;
  uint64_t max_bits;
  // What an address in it counts.
  uint64_t unit_bits;
  // Where it begins; nothing where it has no addresses.
  std::optional<uint64_t> head_address;
};
// Null for a memory that nobody has described.
auto FindMemoryInfo(std::string_view scope) -> const MemoryInfo*;
// Whether all allocations in this memory become one: it has a tag, and not one that the reference knows better.
auto IsSpecialMemory(const StorageScope& scope) -> bool;

// `blockIdx.y` is rank 0, dimension 1; `threadIdx.x` rank 1, dimension 0; virtual threads rank 1, dimension -1.
struct ThreadScope {
  int rank = 0;
  int dimension = 0;
};
// Nothing for any other tag.
auto ParseThreadScope(std::string_view tag) -> std::optional<ThreadScope>;

}  // namespace relayopt::tir
