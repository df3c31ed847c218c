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
};
// Nothing where the text begins with no rank.
auto ParseStorageScope(std::string_view text) -> std::optional<StorageScope>;

// `blockIdx.y` is rank 0, dimension 1; `threadIdx.x` rank 1, dimension 0; virtual threads rank 1, dimension -1.
struct ThreadScope {
  int rank = 0;
  int dimension = 0;
};
// Nothing for any other tag.
auto ParseThreadScope(std::string_view tag) -> std::optional<ThreadScope>;

}  // namespace relayopt::tir
