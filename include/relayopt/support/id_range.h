// All records of a table in order, for loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace relayopt {

// The ids of the first `size` records of a table, upwards; `reversed()` goes down. The table may grow meanwhile: what
// is new is not visited.
template <typename IdT>
class IdRange {
 public:
  // Steps by 1 or -1.
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
    // The id below the first is the one above all others.
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
