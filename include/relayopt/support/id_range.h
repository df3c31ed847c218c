// Ranges of ids, for loops over all records of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace relayopt {

// The ids of the first `size` records of a table in ascending order; `reversed()` descends. The table may grow during
// the loop: new records are not visited.
template <typename IdT>
class IdRange {
 public:
  // Moves by kStep, 1 or -1, for each increment.
  template <int kStep>
  class Iterator {
   public:
    using value_type = IdT;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    explicit Iterator(uint32_t value) : value_(value) {}
    auto operator*() const -> IdT { return IdT(value_); }
    auto operator++() -> Iterator& {
      value_ += static_cast<uint32_t>(kStep);
      return *this;
    }
    auto operator++(int) -> Iterator {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend auto operator==(const Iterator&, const Iterator&) -> bool = default;

   private:
    uint32_t value_ = 0;
  };

  class Reversed {
   public:
    explicit Reversed(uint32_t size) : size_(size) {}
    // Where the descending loop ends: one below id 0, which wraps around to the largest number.
    auto begin() const -> Iterator<-1> { return Iterator<-1>(size_ - 1); }
    auto end() const -> Iterator<-1> { return Iterator<-1>(UINT32_MAX); }

   private:
    uint32_t size_;
  };

  explicit IdRange(size_t size) : size_(static_cast<uint32_t>(size)) {}
  auto begin() const -> Iterator<1> { return Iterator<1>(0); }
  auto end() const -> Iterator<1> { return Iterator<1>(size_); }
  auto reversed() const -> Reversed { return Reversed(size_); }

 private:
  uint32_t size_;
};

}  // namespace relayopt
