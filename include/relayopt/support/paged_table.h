// PagedTable: values by id, where only few ids may have one.
#pragma once

#include <array>
#include <memory>
#include <vector>

namespace relayopt {

// Like a SideTable that grows on demand, but memory is only used near the ids that have a value. What has none is T().
template <typename IdT, typename T>
class PagedTable {
 public:
  auto operator[](IdT id) -> T& {
    const size_t page = id.value() / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
    return (*pages_[page])[id.value() % kPage];
  }
  // Calls `visit(id, value)` for every id near which there is a value, in ascending order.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (size_t page = 0; page < pages_.size(); ++page) {
      if (pages_[page] == nullptr) continue;
      for (size_t i = 0; i < kPage; ++i) visit(IdT(static_cast<uint32_t>(page * kPage + i)), (*pages_[page])[i]);
    }
  }

 private:
  static constexpr size_t kPage = 256;
  using Page = std::array<T, kPage>;

  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace relayopt
