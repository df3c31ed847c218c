// A stack for what is pushed and popped all the time.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>

namespace relayopt::tir {

// A stack of plain records whose push is a few instructions.
template <typename T>
class PlainStack {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  auto size() const -> size_t { return size_; }
  auto empty() const -> bool { return size_ == 0; }
  auto back() -> T& { return items_[size_ - 1]; }
  auto operator[](size_t i) -> T& { return items_[i]; }
  // Returns the elements from index `first` on. Valid until the next push.
  auto From(size_t first) const -> std::span<const T> { return {items_.get() + first, size_ - first}; }
  [[gnu::always_inline]] void push_back(const T& item) {
    if (size_ == capacity_) return Grow(item);
    items_[size_++] = item;
  }
  void pop_back() { --size_; }
  // Leaves `size` elements, or brings back elements that were popped and not replaced since.
  void Shrink(size_t size) { size_ = size; }
  // As many as `size`, which is not below what there is.
  void Fill(size_t size, const T& item) {
    while (size_ < size) push_back(item);
  }

 private:
  [[gnu::noinline]] void Grow(T item) {
    const size_t capacity = std::max<size_t>(64, 2 * capacity_);
    std::unique_ptr<T[]> items(new T[capacity]);
    std::copy_n(items_.get(), size_, items.get());
    items_ = std::move(items);
    capacity_ = capacity;
    items_[size_++] = item;
  }

  std::unique_ptr<T[]> items_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace relayopt::tir
