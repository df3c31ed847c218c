// Storage scopes and thread tags: the meaning of the names of memories and threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace relayopt::tir {

// The parts of the machine that share a memory, from the whole device to one thread.
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

// A storage scope: `shared.dyn` has rank kShared and the tag `.dyn`. The empty string means global.
struct StorageScope {
  StorageRank rank = StorageRank::kGlobal;
  std::string_view tag;
  friend auto operator==(const StorageScope&, const StorageScope&) -> bool = default;
};
// Parses a storage scope; returns nothing if the text does not begin with a rank.
auto ParseStorageScope(std::string_view text) -> std::optional<StorageScope>;

// The properties of a memory with a tag, such as `local.vtcm`.
struct MemoryInfo {
  std::string_view scope;
  // The alignment of allocations, in bits.
  uint64_t simd_bits;
  uint64_t max_bits;
  // The number of bits that consecutive addresses are apart.
  uint64_t unit_bits;
  // The first address; nothing if the memory has no addresses.
  std::optional<uint64_t> head_address;
};
// Returns the properties of a memory, or null if none were registered.
auto FindMemoryInfo(std::string_view scope) -> const MemoryInfo*;
// Whether all allocations in this memory are merged: it has a tag, and not one that TVM treats specially.
auto IsSpecialMemory(const StorageScope& scope) -> bool;

// The position of a thread in a launch. `blockIdx.y` has rank 0 and dimension 1, `threadIdx.x` rank 1 and dimension 0,
// virtual threads rank 1 and dimension -1.
struct ThreadScope {
  int rank = 0;
  int dimension = 0;
};
// Parses a thread tag; returns nothing if it is unknown.
auto ParseThreadScope(std::string_view tag) -> std::optional<ThreadScope>;

}  // namespace relayopt::tir
