// The memory of a running program, and which threads accessed it.
#include "lib/tir/eval/memory.h"

#include <utility>

namespace relayopt::tir {

namespace {

// Larger memory is given back to the system when it is freed.
constexpr size_t kKeptCapacity = size_t{1} << 20;

template <typename T>
void Empty(std::vector<T>& values) {
  if (values.capacity() > kKeptCapacity)
    std::vector<T>().swap(values);
  else
    values.clear();
}

}  // namespace

void MemoryPool::Charge(Memory& memory, size_t bytes) {
  memory.charged += bytes;
  in_use_ += bytes;
}

auto MemoryPool::Allocate(size_t bytes, bool is_written) -> uint32_t {
  const size_t marks = is_written ? 0 : bytes;
  const size_t room = in_use_ < max_bytes_ ? max_bytes_ - in_use_ : 0;
  if (bytes > room || marks > room - bytes) return 0;
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(pool_.size()));
    pool_.push_back(std::make_unique<Memory>());
  }
  const uint32_t id = free_.back();
  free_.pop_back();
  Memory& memory = *pool_[id];
  memory.bytes.assign(bytes, std::byte{0});
  memory.written.assign(marks, 0);
  Charge(memory, bytes + marks);
  memory.product = {};
  memory.is_live = true;
  memory.is_stored = memory.is_constant = memory.is_private = false;
  return id;
}

void MemoryPool::Free(uint32_t id) {
  Memory& memory = *pool_[id];
  in_use_ -= std::exchange(memory.charged, 0);
  Empty(memory.bytes);
  Empty(memory.written);
  std::vector<std::unique_ptr<ShadowPage>>().swap(memory.shadows);
  memory.is_live = false;
  free_.push_back(id);
}

auto MemoryPool::ShadowAt(Memory& memory, size_t at) -> Shadow& {
  if (memory.shadows.empty()) {
    memory.shadows.resize(memory.bytes.size() / kShadowPage + 1);
    Charge(memory, memory.shadows.size() * sizeof(memory.shadows[0]));
  }
  auto& page = memory.shadows[at / kShadowPage];
  if (page == nullptr) {
    page = std::make_unique<ShadowPage>();
    Charge(memory, sizeof(ShadowPage));
  }
  return (*page)[at % kShadowPage];
}

auto MemoryPool::NoteRead(Memory& memory, size_t begin, size_t end, const Actor& actor, size_t& at) -> bool {
  for (at = begin; at < end; ++at) {
    Shadow& shadow = ShadowAt(memory, at);
    if (shadow.writer.RacesWith(actor) && !shadow.is_agreed) return false;
    Actor& reader = shadow.reader;
    const bool same_launch = reader.launch == actor.launch;
    const bool same_block = same_launch && reader.block == actor.block;
    if (!same_launch) shadow.many_blocks_read = false;
    if (same_launch && !same_block) shadow.many_blocks_read = true;
    const bool same_phase = same_block && reader.phase == actor.phase;
    const bool same_warp = same_phase && reader.warp() == actor.warp();
    shadow.many_warps_read = same_phase && (shadow.many_warps_read || !same_warp);
    if (!same_warp || reader.warp_phase != actor.warp_phase)
      shadow.many_threads_read = false;
    else if (reader.thread != actor.thread)
      shadow.many_threads_read = true;
    reader = actor;
  }
  return true;
}

auto MemoryPool::NoteWrite(Memory& memory, size_t begin, size_t end, const std::byte* bytes, const Actor& actor,
                           size_t& at) -> bool {
  for (at = begin; at < end; ++at) {
    Shadow& shadow = ShadowAt(memory, at);
    const bool is_written = memory.written.empty() || memory.written[at] != 0;
    const bool changes = !is_written || memory.bytes[at] != bytes[at - begin];
    const Actor& reader = shadow.reader;
    const bool same_launch = reader.launch == actor.launch && actor.launch != 0;
    const bool same_phase = same_launch && reader.block == actor.block && reader.phase == actor.phase;
    const bool same_step = same_phase && reader.warp_phase == actor.warp_phase;
    const bool is_read = reader.RacesWith(actor) || (same_launch && shadow.many_blocks_read) ||
                         (same_phase && shadow.many_warps_read) || (same_step && shadow.many_threads_read);
    const bool is_contended = shadow.writer.RacesWith(actor);
    // Writing the value that is already there is not a race.
    if (changes && (is_read || is_contended)) return false;
    shadow.is_agreed = is_contended || (shadow.is_agreed && !changes && shadow.writer.launch == actor.launch);
    if (!is_contended) shadow.writer = actor;
  }
  return true;
}

}  // namespace relayopt::tir
