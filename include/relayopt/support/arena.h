// Bump allocation for immutable records that live as long as their owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace relayopt {

// Hands out memory that is freed all at once. Only for trivially destructible records. Not thread-safe.
class Arena {
 public:
  // Copies `values` into the arena.
  template <typename T>
  auto Copy(std::span<const T> values) -> std::span<const T> {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    T* to = static_cast<T*>(Allocate(values.size_bytes(), alignof(T)));
    std::memcpy(static_cast<void*>(to), values.data(), values.size_bytes());
    return {to, values.size()};
  }
  auto Copy(std::string_view text) -> std::string_view {
    const auto copy = Copy(std::span<const char>(text.data(), text.size()));
    return {copy.data(), copy.size()};
  }

  // Returns the number of bytes that the arena has requested from the system.
  auto bytes() const -> size_t { return bytes_; }

 private:
  static constexpr size_t kBlock = 16 << 10;

  auto Allocate(size_t bytes, size_t align) -> void* {
    size_t start = (used_ + align - 1) & ~(align - 1);
    if (blocks_.empty() || start + bytes > capacity_) {
      capacity_ = std::max(kBlock, bytes);
      bytes_ += capacity_;
      blocks_.push_back(std::make_unique<std::byte[]>(capacity_));
      start = 0;
    }
    used_ = start + bytes;
    return blocks_.back().get() + start;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t used_ = 0;
  size_t capacity_ = 0;
  size_t bytes_ = 0;
};

}  // namespace relayopt
