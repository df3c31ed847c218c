// An append-only table whose records never move.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <new>

#include "relayopt/support/check.h"

namespace relayopt {

// Records are reached by id without a lock while others append (appends need a lock of the owner). Chunk k holds
// 64 << k records, so a small context stays small and 26 chunks hold every 32-bit id.
template <typename IdT, typename T>
class AppendTable {
 public:
  AppendTable() = default;
  AppendTable(const AppendTable&) = delete;
  auto operator=(const AppendTable&) -> AppendTable& = delete;
  ~AppendTable() {
    for (uint32_t i = 0; i < size_; ++i) Slot(i)->~T();
    for (uint32_t k = 0; k < kChunks; ++k) {
      if (T* chunk = chunks_[k].load(std::memory_order_relaxed)) {
        ::operator delete (chunk, std::align_val_t{alignof(T)});
      }
    }
  }

  auto Append(T value) -> IdT {
    const uint32_t chunk = ChunkOf(size_);
    if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
      const size_t bytes = sizeof(T) * (size_t{kFirst} << chunk);
      chunks_[chunk].store(static_cast<T*>(::operator new (bytes, std::align_val_t{alignof(T)})),
                           std::memory_order_release);
    }
    new (Slot(size_)) T(std::move(value));
    return IdT(size_++);
  }

  auto operator[](IdT id) const -> const T& { return *Slot(id.value()); }
  auto Mutable(IdT id) -> T& { return *Slot(id.value()); }
  auto size() const -> uint32_t { return size_; }

 private:
  static constexpr uint32_t kFirst = 64;
  static constexpr uint32_t kChunks = 27;

  static auto ChunkOf(uint32_t index) -> uint32_t {
    return static_cast<uint32_t>(std::bit_width((uint64_t{index} + kFirst) / kFirst)) - 1;
  }
  auto Slot(uint32_t index) const -> T* {
    const uint32_t chunk = ChunkOf(index);
    const uint64_t first = (uint64_t{kFirst} << chunk) - kFirst;
    return chunks_[chunk].load(std::memory_order_acquire) + (index - first);
  }

  std::array<std::atomic<T*>, kChunks> chunks_{};
  uint32_t size_ = 0;
};

}  // namespace relayopt
