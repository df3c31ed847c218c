// FlatVector: a vector of records that are copied as bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "relayopt/support/check.h"

namespace relayopt {

// Like std::vector for tables that grow to millions of records: it grows by realloc, which moves the pages of a large
// table instead of copying it, and never needs the memory of the old and the new table at once.
template <typename T>
class FlatVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  FlatVector() = default;
  FlatVector(const FlatVector& other) {
    reserve(other.size_);
    size_ = other.size_;
    if (size_ != 0) std::memcpy(static_cast<void*>(data_), other.data_, size_ * sizeof(T));
  }
  FlatVector(FlatVector&& other) noexcept { swap(other); }
  auto operator=(FlatVector other) noexcept -> FlatVector& {
    swap(other);
    return *this;
  }
  ~FlatVector() { std::free(data_); }

  auto size() const -> size_t { return size_; }
  auto empty() const -> bool { return size_ == 0; }
  auto data() -> T* { return data_; }
  auto data() const -> const T* { return data_; }
  auto begin() -> T* { return data_; }
  auto end() -> T* { return data_ + size_; }
  auto begin() const -> const T* { return data_; }
  auto end() const -> const T* { return data_ + size_; }
  auto operator[](size_t i) -> T& {
    RELAYOPT_DCHECK(i < size_, "index outside its vector");
    return data_[i];
  }
  auto operator[](size_t i) const -> const T& {
    RELAYOPT_DCHECK(i < size_, "index outside its vector");
    return data_[i];
  }
  auto back() -> T& { return (*this)[size_ - 1]; }
  auto back() const -> const T& { return (*this)[size_ - 1]; }

  void push_back(T value) {
    if (size_ == capacity_) [[unlikely]]
      Grow(size_ + 1);
    new (data_ + size_++) T(value);
  }
  void pop_back() { --size_; }
  // Appends records, which may be few: one by one is faster than a call of memcpy.
  void append(std::span<const T> values) {
    if (values.size() > capacity_ - size_) [[unlikely]]
      Grow(size_ + values.size());
    T* to = data_ + size_;
    for (const T& value : values) new (to++) T(value);
    size_ += values.size();
  }
  void reserve(size_t capacity) {
    if (capacity > capacity_) Reallocate(capacity);
  }
  // Removes all records from `size` on.
  void truncate(size_t size) { size_ = std::min(size, size_); }
  void clear() { size_ = 0; }
  void swap(FlatVector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  [[gnu::noinline]] void Grow(size_t size) {
    constexpr size_t kLeast = 8;
    Reallocate(std::max({size, 2 * capacity_, kLeast}));
  }
  void Reallocate(size_t capacity) {
    void* const data = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (data == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(data);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace relayopt
