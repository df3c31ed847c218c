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
  auto size() const -> size_t { return static_cast<size_t>(end_ - items_.get()); }
  auto empty() const -> bool { return end_ == items_.get(); }
  auto back() -> T& { return end_[-1]; }
  auto operator[](size_t i) -> T& { return items_[i]; }
  // Returns the elements from index `first` on. Valid until the next push.
  auto From(size_t first) const -> std::span<const T> { return {items_.get() + first, end_}; }
  [[gnu::always_inline]] void push_back(const T& item) {
    if (end_ == limit_) return Grow(item);
    *end_++ = item;
  }
  void pop_back() { --end_; }
  // Leaves `size` elements, or brings back elements that were popped and not replaced since.
  void Shrink(size_t size) { end_ = items_.get() + size; }
  // As many as `size`, which is not below what there is.
  void Fill(size_t size, const T& item) {
    while (this->size() < size) push_back(item);
  }

 private:
  [[gnu::noinline]] void Grow(const T& item) {
    const size_t old_size = size();
    const size_t capacity = std::max<size_t>(64, 2 * old_size);
    std::unique_ptr<T[]> items(new T[capacity]);
    std::copy_n(items_.get(), old_size, items.get());
    // Before the old elements go, of which `item` may be one.
    items[old_size] = item;
    items_ = std::move(items);
    end_ = items_.get() + old_size + 1;
    limit_ = items_.get() + capacity;
  }

  std::unique_ptr<T[]> items_;
  T* end_ = nullptr;
  T* limit_ = nullptr;
};

}  // namespace relayopt::tir
