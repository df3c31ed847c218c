// Storage scopes and thread tags.
#include "relayopt/tir/analysis/storage_scope.h"

#include <utility>

namespace relayopt::tir {

auto ParseStorageScope(std::string_view text) -> std::optional<StorageScope> {
  using enum StorageRank;
  constexpr std::pair<std::string_view, StorageRank> kPrefixes[] = {
      {"global", kGlobal},
      {"shared", kShared},
      {"warp", kWarp},
      {"local", kLocal},
      {"wmma.matrix_a", kWMMAMatrixA},
      {"wmma.matrix_b", kWMMAMatrixB},
      {"wmma.accumulator", kWMMAAccumulator},
      {"texture", kTexture},
      {"amx.tmm", kAMXTMM},
      {"m16n8k8.matrixA", kMMAMatrixA},
      {"m16n8k8.matrixB", kMMAMatrixB},
      {"m16n8k8.matrixC", kMMAMatrixC},
  };
  if (text.empty()) return StorageScope{};
  for (const auto& [prefix, rank] : kPrefixes) {
    if (text.starts_with(prefix)) return StorageScope{rank, text.substr(prefix.size())};
  }
  return std::nullopt;
}

auto FindMemoryInfo(std::string_view scope) -> const MemoryInfo* {
  constexpr uint64_t kTextureBits = uint64_t{16384} * 16384 * 4 * 32;
  static constexpr MemoryInfo kMemories[] = {
      {"local.vtcm", 1024, uint64_t{4} * 1024 * 1024 * 8, 8, 100},
      {"global.texture", 128, kTextureBits, 16, {}},
      {"global.texture-nhwc", 128, kTextureBits, 16, {}},
      {"global.texture-weight", 128, kTextureBits, 16, {}},
  };
  for (const MemoryInfo& memory : kMemories) {
    if (memory.scope == scope) return &memory;
  }
  return nullptr;
}

auto IsSpecialMemory(const StorageScope& scope) -> bool {
  return !scope.tag.empty() && scope.tag != ".dyn" && scope.tag != ".workspace" && scope.tag != ".vtcm";
}

auto ParseThreadScope(std::string_view tag) -> std::optional<ThreadScope> {
  if (tag == "cthread" || tag.starts_with("vthread")) return ThreadScope{1, -1};
  for (const auto& [prefix, rank] : {std::pair(std::string_view("blockIdx."), 0), {"threadIdx.", 1}}) {
    if (!tag.starts_with(prefix) || tag.size() != prefix.size() + 1) continue;
    const char axis = tag.back();
    if (axis >= 'x' && axis <= 'z') return ThreadScope{rank, axis - 'x'};
  }
  return std::nullopt;
}

}  // namespace relayopt::tir
