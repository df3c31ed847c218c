// IdSet: a set of ids, for walks that visit each id once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace relayopt {

// One bit for each id, in pages that exist only near the members: ids that were created one after the other share a
// page, and a set costs memory for its own members only, however many other ids there are.
template <typename IdT>
class IdSet {
 public:
  // Adds the id. Returns whether it was not in the set before.
  auto Insert(IdT id) -> bool {
    uint64_t& word = PageOf(id.value() / kBits)[id.value() % kBits / 64];
    const uint64_t bit = uint64_t{1} << id.value() % 64;
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  // Removes the id, which must be in the set.
  void Remove(IdT id) { PageOf(id.value() / kBits)[id.value() % kBits / 64] &= ~(uint64_t{1} << id.value() % 64); }
  auto Contains(IdT id) const -> bool {
    const auto found = index_.find(id.value() / kBits);
    return found != index_.end() && (pages_[found->second][id.value() % kBits / 64] >> id.value() % 64 & 1) != 0;
  }

 private:
  // A page is one cache line.
  static constexpr uint32_t kBits = 512;
  using Page = std::array<uint64_t, kBits / 64>;

  auto PageOf(uint32_t page) -> Page& {
    if (page == last_) return pages_[last_index_];
    const auto [found, is_new] = index_.try_emplace(page, static_cast<uint32_t>(pages_.size()));
    if (is_new) pages_.emplace_back();
    last_ = page;
    last_index_ = found->second;
    return pages_[last_index_];
  }

  // Where the page with this number is in `pages_`.
  absl::flat_hash_map<uint32_t, uint32_t> index_;
  std::vector<Page> pages_;
  // The page that was used last: most walks use it again.
  uint32_t last_ = UINT32_MAX;
  uint32_t last_index_ = 0;
};

}  // namespace relayopt
