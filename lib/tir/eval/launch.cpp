// Launches of threads: blocks one after the other, their threads in turn from barrier to barrier.
#include <algorithm>
#include <cstring>
#include <map>

#include "lib/tir/eval/machine.h"
#include "lib/tir/eval/machine_error.h"
#include "relayopt/arith/fold.h"
#include "relayopt/tir/eval/diagnostics.h"

namespace relayopt::tir {

namespace {

// Advances to the next index of the dimensions [begin, end). Returns false after the last one.
auto NextIndex(std::vector<int64_t>& index, std::span<const int64_t> extents, size_t begin, size_t end) -> bool {
  for (size_t i = end; i-- > begin;) {
    if (++index[i] < extents[i]) return true;
    index[i] = 0;
  }
  return false;
}

}  // namespace

auto Machine::RunLaunch(Strand& strand, const Launch& launch) -> bool {
  if (block_ != nullptr || strand.actor.launch != 0)
    return Error(strand, diag::kNotEvaluated, "a launch of threads by a thread");
  if (strand.is_kernel && !CheckLaunch(strand, launch)) return false;
  BlockState block;
  block.launch = &launch;
  for (const ThreadDim& dim : launch.dims) block.extents.push_back(static_cast<int64_t>(strand.frame[dim.extent]));
  if (std::any_of(block.extents.begin(), block.extents.end(), [](int64_t extent) { return extent <= 0; })) return true;
  Actor actor = {++launches_, 0, 0, 0, 0};
  std::vector<int64_t> position(launch.dims.size(), 0);
  block_ = &block;
  bool fine = true;
  size_t threads = 1;
  for (size_t i = launch.num_grid_dims; i < block.extents.size() && threads <= kMaxThreads; ++i)
    threads *= static_cast<size_t>(std::min<int64_t>(block.extents[i], kMaxThreads + 1));
  if (threads > kMaxThreads) fine = Error(strand, diag::kLimitReached, kMaxThreads, "threads in a block");
  // Every thread has a frame of its own.
  const size_t words = threads * strand.frame.size();
  if (fine && words > limits_.max_bytes / sizeof(uint64_t))
    fine = Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
  const uint64_t cost = words + threads * strand.program->Cost(launch.begin, launch.end);
  while (fine) {
    fine = Spend(strand, cost);
    if (!fine) break;
    block.strands.clear();
    std::vector<int64_t> thread = position;
    actor.thread = 0;
    do {
      Strand made;
      made.program = strand.program;
      made.pc = launch.begin;
      made.frame = strand.frame;
      if (!limits_.lockstep) made.actor = actor;
      made.position = thread;
      made.number = actor.thread++;
      block.strands.push_back(std::move(made));
    } while (NextIndex(thread, block.extents, launch.num_grid_dims, launch.dims.size()));
    fine = RunBlock(block);
    for (const auto& [key, id] : block.shared) {
      if (id != 0) memory_.Free(id);
    }
    block.shared.clear();
    ++actor.block;
    if (!NextIndex(position, block.extents, 0, launch.num_grid_dims)) break;
  }
  block_ = nullptr;
  return fine;
}

auto Machine::RunBlock(BlockState& block) -> bool {
  block.stops.assign(block.strands.size(), Stop::kBarrier);
  for (;;) {
    bool all_done = true;
    for (size_t i = 0; i < block.strands.size(); ++i) {
      Strand& strand = block.strands[i];
      if (block.runs.empty() || block.runs[i]) {
        block.stops[i] = Go(strand);
        if (block.stops[i] == Stop::kError) return false;
        if (block.stops[i] == Stop::kReturned) block.stops[i] = Stop::kThreadEnd;
      }
      all_done = all_done && block.stops[i] == Stop::kThreadEnd;
    }
    if (all_done) {
      block.runs.clear();
      return true;
    }
    if (!Step(block) && !Resume(block)) return false;
  }
}

// In lockstep, resumes the threads that have executed least. Returns false if none is between two stores.
auto Machine::Step(BlockState& block) -> bool {
  const auto order = [&](size_t i) {
    const Strand& strand = block.strands[i];
    return std::pair(-static_cast<int64_t>(strand.callers.size()), strand.pc);
  };
  size_t behind = block.strands.size();
  for (size_t i = 0; i < block.strands.size(); ++i) {
    if (block.stops[i] == Stop::kStep && (behind == block.strands.size() || order(i) < order(behind))) behind = i;
  }
  if (behind == block.strands.size()) return false;
  block.runs.assign(block.strands.size(), false);
  for (size_t i = 0; i < block.strands.size(); ++i)
    block.runs[i] = block.stops[i] == Stop::kStep && order(i) == order(behind);
  return true;
}

auto Machine::WaitTogether(const BlockState& block, size_t begin, size_t end) -> bool {
  const auto same = [&](size_t i) {
    return block.stops[i] == block.stops[begin] && block.strands[i].pc == block.strands[begin].pc &&
           block.strands[i].program == block.strands[begin].program;
  };
  for (size_t i = begin; i < end; ++i) {
    if (same(i)) continue;
    const bool ended = block.stops[begin] == Stop::kThreadEnd;
    return Error(block.strands[ended ? i : begin], diag::kDivergentBarrier);
  }
  return true;
}

// Resumes the threads that wait at a barrier together: first within warps, then all.
auto Machine::Resume(BlockState& block) -> bool {
  block.runs.assign(block.strands.size(), false);
  bool resumed = false;
  if (!ResumeWarps(block, resumed)) return false;
  if (resumed) return true;
  if (!WaitTogether(block, 0, block.strands.size())) return false;
  if (block.stops[0] == Stop::kAllReduce && !ReduceThreads(block)) return false;
  uint32_t phase = 0;
  for (const Strand& strand : block.strands) phase = std::max(phase, strand.actor.phase);
  for (size_t i = 0; i < block.strands.size(); ++i) {
    block.strands[i].actor.phase = phase + 1;
    block.strands[i].actor.warp_phase = 0;
    ++block.strands[i].pc;
    block.runs[i] = true;
  }
  return true;
}

// A barrier of a warp applies to those of its threads that reach it; others may be in another branch.
auto Machine::ResumeWarps(BlockState& block, bool& resumed) -> bool {
  std::vector<size_t> group;
  for (size_t begin = 0; begin < block.strands.size(); begin += kWarpSize) {
    const size_t end = std::min<size_t>(begin + kWarpSize, block.strands.size());
    for (size_t i = begin; i < end; ++i) {
      const Strand& first = block.strands[i];
      const Instr& instr = first.program->code[first.pc];
      const bool is_warp_barrier =
          block.stops[i] == Stop::kBarrier && static_cast<BarrierScope>(instr.a) == BarrierScope::kWarp;
      const bool exchanges = block.stops[i] == Stop::kExchange || block.stops[i] == Stop::kWarp;
      if (block.runs[i] || (!is_warp_barrier && !exchanges)) continue;
      group.clear();
      for (size_t other = i; other < end; ++other) {
        const Strand& strand = block.strands[other];
        const bool is_same = strand.pc == first.pc && strand.program == first.program;
        if (block.stops[other] == block.stops[i] && is_same && !block.runs[other]) group.push_back(other);
      }
      if (block.stops[i] == Stop::kExchange) ExchangeLanes(block, group);
      if (block.stops[i] == Stop::kWarp && !CallWarp(block, group)) return false;
      for (const size_t other : group) {
        ++block.strands[other].actor.warp_phase;
        ++block.strands[other].pc;
        block.runs[other] = true;
      }
      resumed = true;
    }
  }
  return true;
}

void Machine::ExchangeLanes(BlockState& block, std::span<const size_t> group) {
  const Strand& first = block.strands[group[0]];
  const Instr instr = first.program->code[first.pc];
  const size_t lanes = instr.type.lanes;
  const auto exchange = static_cast<arith::Shuffle>(instr.c & ((1U << kExchangeWidthShift) - 1));
  const auto width = static_cast<int64_t>(instr.c >> kExchangeWidthShift);
  const auto lane_of = [](size_t thread) { return static_cast<int64_t>(thread % kWarpSize); };
  std::vector<uint64_t> values(kWarpSize * lanes);
  std::vector<bool> has_value(kWarpSize);
  for (const size_t thread : group) {
    const auto lane = static_cast<size_t>(lane_of(thread));
    std::memcpy(&values[lane * lanes], &block.strands[thread].frame[instr.a], lanes * sizeof(uint64_t));
    has_value[lane] = true;
  }
  for (const size_t thread : group) {
    std::vector<uint64_t>& frame = block.strands[thread].frame;
    const int64_t own = lane_of(thread);
    const auto given = static_cast<int64_t>(frame[instr.b]);
    const int64_t first_lane = own - own % width;
    // As in CUDA: a number is taken modulo the width; a thread that looks beyond its part gets its own value. A lane
    // that does not take part has none.
    int64_t lane = first_lane + arith::FloorModInt(given, width);
    if (exchange == arith::Shuffle::kUp) lane = own - given;
    if (exchange == arith::Shuffle::kDown) lane = own + given;
    if (lane < first_lane || lane >= first_lane + width) lane = own;
    if (!has_value[static_cast<size_t>(lane)]) {
      const bool is_there = static_cast<size_t>(lane) + (thread - static_cast<size_t>(own)) < block.strands.size();
      if (is_there) NoteUndefined(block.strands[thread], "a thread gives a value that does not come to the exchange");
      lane = own;
    }
    std::memcpy(&frame[instr.dst], &values[static_cast<size_t>(lane) * lanes], lanes * sizeof(uint64_t));
  }
}

auto Machine::ReduceThreads(BlockState& block) -> bool {
  const Strand& first = block.strands[0];
  const AllReduce& reduce = first.program->reductions[first.program->code[first.pc].a];
  // Threads whose index is the same in all other dimensions, in the order of the threads.
  std::map<std::vector<int64_t>, std::vector<size_t>> groups;
  for (size_t i = 0; i < block.strands.size(); ++i) {
    std::vector<int64_t> key = block.strands[i].position;
    for (const uint32_t dim : reduce.dims) key[dim] = 0;
    groups[key].push_back(i);
  }
  for (const auto& [key, group] : groups) {
    if (!ReduceGroup(block, reduce, group)) return false;
  }
  return true;
}

auto Machine::ReduceGroup(BlockState& block, const AllReduce& reduce, const std::vector<size_t>& group) -> bool {
  Strand combine = block.strands[group[0]];
  const auto copy = [&](size_t i, Reg to, const std::vector<uint64_t>& from, Reg reg) {
    std::memcpy(&combine.frame[to], &from[reg], reduce.types[i].lanes * sizeof(uint64_t));
  };
  for (size_t i = 0; i < reduce.out.size(); ++i) copy(i, reduce.out[i], combine.frame, reduce.identity[i]);
  for (const size_t thread : group) {
    const std::vector<uint64_t>& frame = block.strands[thread].frame;
    if (frame[reduce.condition] == 0) continue;
    for (size_t i = 0; i < reduce.out.size(); ++i) {
      copy(i, reduce.lhs[i], combine.frame, reduce.out[i]);
      copy(i, reduce.rhs[i], frame, reduce.values[i]);
    }
    combine.pc = reduce.begin;
    if (Go(combine) == Stop::kError) return false;
  }
  for (const size_t thread : group) {
    Strand& strand = block.strands[thread];
    for (size_t i = 0; i < reduce.out.size(); ++i) {
      const Pointer pointer = Pointer::Of(strand.frame[reduce.results[i]]);
      Memory& memory = memory_[pointer.memory];
      const size_t bytes = arith::ElementOf(reduce.types[i]).bytes();
      const size_t end = static_cast<size_t>(pointer.offset) + bytes * reduce.types[i].lanes;
      if (pointer.memory == 0 || pointer.offset < 0 || end > memory.bytes.size())
        return Error(strand, diag::kNotEvaluated, "a reduction over threads without room for its result");
      for (size_t lane = 0; lane < reduce.types[i].lanes; ++lane) {
        const size_t at = static_cast<size_t>(pointer.offset) + lane * bytes;
        arith::StoreWord(reduce.types[i], combine.frame[reduce.out[i] + lane], &memory.bytes[at]);
        if (!memory.written.empty()) std::fill_n(memory.written.begin() + static_cast<ptrdiff_t>(at), bytes, 1);
      }
    }
  }
  return true;
}

}  // namespace relayopt::tir
