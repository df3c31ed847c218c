// An append-only table whose records never move.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "relayopt/support/check.h"

namespace relayopt {

// Records are reached by id without a lock while others append (appends need a lock of the owner). Each chunk holds
// twice as many as the one before, so a small context stays small and 27 chunks hold every 32-bit id.
template <typename IdT, typename T>
class AppendTable {
 public:
  AppendTable() = default;
  AppendTable(const AppendTable&) = delete;
  auto operator=(const AppendTable&) -> AppendTable& = delete;
  ~AppendTable() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (uint32_t i = 0; i < size_; ++i) Slot(i)->~T();
    }
    for (uint32_t k = kFirstChunk; k < chunks_.size(); ++k) {
      if (chunks_[k].load(std::memory_order_relaxed) != 0) {
        ::operator delete (Slot(static_cast<uint32_t>((uint64_t{1} << k) - kFirst)), std::align_val_t{alignof(T)});
      }
    }
  }

  auto Append(T value) -> IdT {
    const uint32_t chunk = ChunkOf(size_);
    if (chunks_[chunk].load(std::memory_order_relaxed) == 0) {
      const size_t records = size_t{1} << chunk;
      void* const begin = ::operator new (sizeof(T) * records, std::align_val_t{alignof(T)});
      chunks_[chunk].store(reinterpret_cast<uintptr_t>(begin) - sizeof(T) * (records - kFirst),
                           std::memory_order_release);
    }
    new (Slot(size_)) T(std::move(value));
    return IdT(size_++);
  }

  [[gnu::always_inline]] auto operator[](IdT id) const -> const T& { return *Slot(id.value()); }
  auto Mutable(IdT id) -> T& { return *Slot(id.value()); }
  auto size() const -> uint32_t { return size_; }

 private:
  // Record i is in chunk k, where 2^k is the highest power of two in i + 64: chunk 6 holds the first 64.
  static constexpr uint32_t kFirstChunk = 6;
  static constexpr uint32_t kFirst = 1 << kFirstChunk;

  static auto ChunkOf(uint32_t index) -> uint32_t {
    return static_cast<uint32_t>(std::bit_width(uint64_t{index} + kFirst)) - 1;
  }
  // A few instructions: every look at a record comes here.
  [[gnu::always_inline]] auto Slot(uint32_t index) const -> T* {
    return reinterpret_cast<T*>(chunks_[ChunkOf(index)].load(std::memory_order_acquire) + sizeof(T) * index);
  }

  // For each chunk, the address at which record 0 would be if the chunk began with it; 0 where there is no chunk.
  std::array<std::atomic<uintptr_t>, 33> chunks_{};
  uint32_t size_ = 0;
};

}  // namespace relayopt
