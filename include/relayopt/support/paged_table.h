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

 private:
  static constexpr size_t kPage = 256;
  using Page = std::array<T, kPage>;

  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace relayopt
