// The instructions of the machine that allocate memory, load and store.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "lib/tir/eval/machine.h"
#include "lib/tir/eval/machine_error.h"
#include "relayopt/tir/eval/diagnostics.h"

namespace relayopt::tir {

namespace {

// How many bytes of new memory count as a step.
constexpr uint64_t kBytesPerStep = 16;

}  // namespace

auto Machine::Touch(Strand& strand, const Instr& instr, uint64_t pointer, int64_t element, size_t& begin) -> Memory* {
  const size_t bytes = arith::ElementOf(instr.type).bytes();
  const size_t size = bytes * (instr.c & ~kAtomic);
  const Pointer at = Pointer::Of(pointer);
  int64_t offset = 0;
  if (__builtin_mul_overflow(element, static_cast<int64_t>(size), &offset) ||
      __builtin_add_overflow(offset, at.offset, &offset)) {
    offset = element < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
  Memory* memory = at.memory < memory_.size() ? &memory_[at.memory] : nullptr;
  if (at.memory == 0 || memory == nullptr || !memory->is_live) {
    Error(strand, diag::kNotEvaluated, "an access by a pointer to no memory");
    return nullptr;
  }
  const bool is_inside = offset >= 0 && static_cast<size_t>(offset) + size <= memory->bytes.size();
  if (!is_inside && limits_.allow_outside && memory->bytes.size() >= size) {
    NoteUndefined(strand, "an index is outside of memory");
    const auto count = static_cast<int64_t>(memory->bytes.size() / size);
    const int64_t rest = offset / static_cast<int64_t>(size) % count;
    offset = (rest < 0 ? rest + count : rest) * static_cast<int64_t>(size);
  } else if (!is_inside) {
    Error(strand, diag::kOutsideMemory, size, offset, BufferName(strand, *memory), memory->bytes.size());
    return nullptr;
  }
  begin = static_cast<size_t>(offset);
  return memory;
}

auto Machine::NoteRead(Strand& strand, const Instr& instr, Memory& memory, size_t begin, size_t end) -> bool {
  if (strand.actor.launch != 0 && !memory.is_private && (instr.c & kAtomic) == 0) {
    size_t at = 0;
    if (!memory_.NoteRead(memory, begin, end, strand.actor, at) && !AllowRace(strand)) {
      return Error(strand, diag::kDataRace, "read", at / arith::ElementOf(instr.type).bytes(),
                   BufferName(strand, memory), "another thread or iteration writes");
    }
  }
  if (!memory.written.empty()) {
    const auto written = std::span(memory.written).subspan(begin, end - begin);
    if (std::ranges::find(written, 0) != written.end()) NoteUndefined(strand, "memory is read that nothing wrote");
  }
  return true;
}

auto Machine::PutElement(Strand& strand, const Instr& instr, Memory& memory, size_t at, uint64_t word) -> bool {
  const size_t bytes = arith::ElementOf(instr.type).bytes();
  std::byte made[sizeof(uint64_t)];
  arith::StoreWord(instr.type, word, made);
  if (strand.actor.launch != 0 && !memory.is_private && (instr.c & kAtomic) == 0) {
    size_t where = 0;
    if (!memory_.NoteWrite(memory, at, at + bytes, made, strand.actor, where) && !AllowRace(strand)) {
      return Error(strand, diag::kDataRace, "write", where / bytes, BufferName(strand, memory),
                   "another thread or iteration uses");
    }
  }
  std::memcpy(&memory.bytes[at], made, bytes);
  if (!memory.written.empty()) std::fill_n(memory.written.begin() + static_cast<ptrdiff_t>(at), bytes, 1);
  memory.is_stored = true;
  return true;
}

auto Machine::Load(Strand& strand, const Instr& instr) -> bool {
  const size_t bytes = arith::ElementOf(instr.type).bytes();
  const size_t lanes = instr.c & ~kAtomic;
  uint64_t* frame = strand.frame.data();
  for (size_t i = 0, done = 0; done < instr.type.lanes; ++i, done += lanes) {
    size_t begin = 0;
    Memory* memory = Touch(strand, instr, frame[instr.a], static_cast<int64_t>(frame[instr.b + i]), begin);
    if (memory == nullptr) return false;
    const size_t end = begin + bytes * lanes;
    if (!NoteRead(strand, instr, *memory, begin, end)) return false;
    for (size_t lane = 0; lane < lanes; ++lane) {
      const uint64_t word = arith::LoadWord(instr.type, &memory->bytes[begin + lane * bytes]);
      frame[instr.dst + done + lane] = DisturbLoaded(arith::ElementOf(instr.type), word);
    }
  }
  return true;
}

auto Machine::Store(Strand& strand, const Instr& instr) -> bool {
  const size_t bytes = arith::ElementOf(instr.type).bytes();
  const size_t lanes = instr.c & ~kAtomic;
  const uint64_t* frame = strand.frame.data();
  for (size_t i = 0, done = 0; done < instr.type.lanes; ++i, done += lanes) {
    size_t begin = 0;
    Memory* memory = Touch(strand, instr, frame[instr.a], static_cast<int64_t>(frame[instr.b + i]), begin);
    if (memory == nullptr) return false;
    if (memory->is_constant) return Error(strand, diag::kNotEvaluated, "a store to constant memory");
    for (size_t lane = 0; lane < lanes; ++lane) {
      if (!PutElement(strand, instr, *memory, begin + lane * bytes, frame[instr.dst + done + lane])) return false;
    }
  }
  return true;
}

auto Machine::Allocate(Strand& strand, const Instr& instr) -> bool {
  // A negative number of elements means none.
  const int64_t count = std::max<int64_t>(static_cast<int64_t>(strand.frame[instr.a]), 0);
  const auto sharing = static_cast<Sharing>(instr.b);
  const size_t bytes = arith::ElementOf(instr.type).bytes();
  if (bytes == 0) return Error(strand, diag::kNotEvaluated, "an allocation of elements of unknown size");
  if (static_cast<uint64_t>(count) > limits_.max_bytes / bytes)
    return Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
  if (!Spend(strand, static_cast<uint64_t>(count) * bytes / kBytesPerStep)) return false;
  const auto allocate = [&]() -> uint32_t {
    // An empty allocation has an address, too.
    const uint32_t id = memory_.Allocate(static_cast<size_t>(count) * bytes);
    if (id == 0) return Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
    memory_[id].is_private = sharing == Sharing::kThread && strand.actor.launch != 0;
    return id;
  };
  uint32_t id = 0;
  if (sharing == Sharing::kThread || block_ == nullptr) {
    id = allocate();
    strand.allocations.push_back(id);
  } else {
    // Copies of virtual threads, and of warps.
    uint64_t copy = sharing == Sharing::kWarp ? 1 + strand.number / kWarpSize : 0;
    for (size_t i = 0; i < strand.position.size(); ++i) {
      if (block_->launch->dims[i].tag.find('#') != std::string::npos)
        copy = copy * static_cast<uint64_t>(block_->extents[i]) + static_cast<uint64_t>(strand.position[i]);
    }
    const auto [entry, is_new] = block_->shared.try_emplace({instr.c, copy}, 0);
    if (is_new) entry->second = allocate();
    id = entry->second;
    strand.allocations.push_back(0);
  }
  strand.frame[instr.dst] = Pointer{id, 0}.word();
  return id != 0;
}

auto Machine::StoreInStep(Strand& strand, const Instr& instr) -> Stop {
  // In lockstep, all threads stop before and after a store.
  const bool in_lockstep = limits_.lockstep && block_ != nullptr;
  if (in_lockstep && !std::exchange(strand.may_store, !strand.may_store)) return Stop::kStep;
  if (!Store(strand, instr)) return Stop::kError;
  if (!in_lockstep) return Stop::kThreadEnd;
  ++strand.pc;
  return Stop::kStep;
}

void Machine::MoveAddress(Strand& strand, const Instr& instr) {
  uint64_t* f = strand.frame.data();
  Pointer pointer = Pointer::Of(f[instr.a]);
  pointer.offset += static_cast<int64_t>(f[instr.b] * instr.type.bytes());
  f[instr.dst] = pointer.word();
}

auto Machine::PlaceConstant(Strand& strand, const Instr& instr) -> bool {
  const ConstantId id = strand.program->constants[instr.a];
  const auto [entry, is_new] = constants_.try_emplace(id, 0);
  if (is_new) {
    const auto bytes = strand.program->func->context().constant(id).Bytes();
    entry->second = memory_.Allocate(bytes->size(), true);
    if (entry->second == 0) return Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
    Memory& memory = memory_[entry->second];
    memory.bytes.assign(bytes->begin(), bytes->end());
    memory.is_constant = true;
  }
  strand.frame[instr.dst] = Pointer{entry->second, 0}.word();
  return true;
}

auto Machine::AllocateScratch(Strand& strand, const Instr& instr) -> bool {
  const uint64_t bytes = strand.frame[instr.a] * arith::ElementOf(instr.type).bytes();
  const uint32_t id = bytes > limits_.max_bytes ? 0 : memory_.Allocate(bytes);
  if (id != 0 && !Spend(strand, bytes / kBytesPerStep)) return false;
  if (id == 0) return Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
  memory_[id].is_private = strand.actor.launch != 0;
  if (instr.b != kUntilFreed) strand.scratch.push_back(id);
  strand.frame[instr.dst] = Pointer{id, 0}.word();
  return true;
}

auto Machine::FreeScratch(Strand& strand, const Instr& instr) -> bool {
  const uint32_t id = Pointer::Of(strand.frame[instr.a]).memory;
  if (id == 0 || id >= memory_.size() || !memory_[id].is_live)
    return Error(strand, diag::kNotEvaluated, "freeing memory that was not allocated");
  memory_.Free(id);
  return true;
}

}  // namespace relayopt::tir
