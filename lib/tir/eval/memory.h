// The memory of a running program, and which threads accessed it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "relayopt/core/data_type.h"
#include "relayopt/support/ids.h"

namespace relayopt::tir {

// The number of threads in a warp, which may wait for each other without the rest of their block.
inline constexpr uint32_t kWarpSize = 32;

// The actor of an access: a thread of a block between two barriers, in a launch. An iteration of a parallel loop counts
// as a block with one thread. Outside of both, `launch` is 0 and there are no races.
struct Actor {
  uint32_t launch = 0;
  uint32_t block = 0;
  uint32_t thread = 0;
  // The number of barriers of the block that were passed.
  uint32_t phase = 0;
  // The number of warp barriers passed since then. They separate threads of one warp only.
  uint32_t warp_phase = 0;

  auto warp() const -> uint32_t { return thread / kWarpSize; }
  // Whether two actors may run at the same time.
  auto RacesWith(const Actor& other) const -> bool {
    if (launch == 0 || launch != other.launch) return false;
    if (block != other.block) return true;
    if (thread == other.thread || phase != other.phase) return false;
    return warp() != other.warp() || warp_phase == other.warp_phase;
  }
};

// The record of a byte while threads run.
struct Shadow {
  Actor writer;
  Actor reader;
  // Whether several actors wrote the same value, so that reading it is well-defined.
  bool is_agreed = false;
  // Whether it was read by several threads of the reader's warp since their barrier, by several warps of its block in
  // this phase, and by several blocks in this launch.
  bool many_threads_read = false;
  bool many_warps_read = false;
  bool many_blocks_read = false;
};

// The shadows of so many bytes in a row. A shadow is large, and most programs have threads touch little of what they
// declare, so a page is created when one of its bytes is first accessed.
inline constexpr size_t kShadowPage = 256;
using ShadowPage = std::array<Shadow, kShadowPage>;

struct Memory {
  std::vector<std::byte> bytes;
  // Whether each byte was written; empty: all were.
  std::vector<uint8_t> written;
  // By their number. Created when first needed.
  std::vector<std::unique_ptr<ShadowPage>> shadows;
  // The size that the pool counts for it.
  size_t charged = 0;
  // The pointer's variable, for messages.
  uint32_t var = UINT32_MAX;
  bool is_live = false;
  // Whether something was stored to the memory.
  bool is_stored = false;
  bool is_constant = false;
  // For fragments of matrices: m, n and k of the product they are for; 0 for other memory.
  std::array<int64_t, 3> product = {};
  // Whether only one thread can access it.
  bool is_private = false;
};

// All memory of a run. Memory 0 does not exist: it is that of the null pointer.
class MemoryPool {
 public:
  explicit MemoryPool(size_t max_bytes) : max_bytes_(max_bytes) { pool_.push_back(std::make_unique<Memory>()); }

  // Allocates zeroed memory, of which nothing counts as written unless `is_written`. Returns 0 when there is no room.
  auto Allocate(size_t bytes, bool is_written = false) -> uint32_t;
  void Free(uint32_t id);
  auto operator[](uint32_t id) -> Memory& { return *pool_[id]; }
  auto size() const -> size_t { return pool_.size(); }
  // Whether shadows, which are created without asking, have exceeded the limit.
  auto is_full() const -> bool { return in_use_ > max_bytes_; }

  // Records a read of the bytes [begin, end); returns false if another actor may be writing them. `at` is set to the
  // first conflicting byte.
  auto NoteRead(Memory& memory, size_t begin, size_t end, const Actor& actor, size_t& at) -> bool;
  // Records that they are overwritten by `bytes`; returns false if another actor may be reading or writing them.
  auto NoteWrite(Memory& memory, size_t begin, size_t end, const std::byte* bytes, const Actor& actor, size_t& at)
      -> bool;

 private:
  void Charge(Memory& memory, size_t bytes);
  auto ShadowAt(Memory& memory, size_t at) -> Shadow&;

  std::vector<std::unique_ptr<Memory>> pool_;
  std::vector<uint32_t> free_;
  size_t in_use_ = 0;
  size_t max_bytes_;
};

}  // namespace relayopt::tir
