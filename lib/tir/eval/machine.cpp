// The machine that runs programs.
#include "lib/tir/eval/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/tir/eval/arithmetic.h"
#include "lib/tir/eval/machine_error.h"
#include "relayopt/tir/eval/diagnostics.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

void Machine::NoteUndefined(const Strand& strand, const char* what) {
  if (!undefined_.empty()) return;
  undefined_ = what;
  undefined_at_ = strand.program->func->stmt(PlaceOf(strand).stmt).range();
}

auto Machine::AllowRace(const Strand& strand) -> bool {
  if (limits_.allow_races) NoteUndefined(strand, "threads race");
  return limits_.allow_races;
}

void Machine::NoteLoops(const Strand& strand, Diagnostic& error) const {
  const Program& program = *strand.program;
  const PrimFunc& func = *program.func;
  const auto parents = Parents(func.stmts());
  std::vector<std::string> values;
  const auto note = [&](PrimExpr var) {
    const auto reg = program.loop_regs.find(var);
    if (reg == program.loop_regs.end()) return;
    values.push_back(fmt::format("{} = {}", func.context().text(func.terms().var(var).name),
                                 static_cast<int64_t>(strand.frame[reg->second])));
  };
  for (StmtId id = PlaceOf(strand).stmt; id; id = parents[id]) {
    const Stmt stmt = func.stmt(id);
    if (const auto loop = stmt.As<For>()) note(loop->loop_var());
    if (const auto attr = stmt.As<AttrStmt>(); attr && attr->node().iter_var())
      note(func.tables().iter_var(attr->node().iter_var()).var);
  }
  if (values.empty()) return;
  std::reverse(values.begin(), values.end());
  error.Note(fmt::format("where {}", fmt::join(values, ", ")));
}

auto Machine::BufferName(const Strand& strand, const Memory& memory) const -> std::string {
  const PrimFunc& func = *strand.program->func;
  if (const BufferId buffer = PlaceOf(strand).buffer)
    return std::string(func.context().text(func.tables().buffer(buffer).name));
  if (memory.var == UINT32_MAX) return "memory";
  return std::string(func.context().text(func.terms().var(PrimExpr(memory.var)).name));
}

auto Machine::Back(Strand& strand, uint32_t target) -> bool {
  steps_ += strand.pc - target;
  if (steps_ > limits_.max_steps) return Error(strand, diag::kLimitReached, limits_.max_steps, "steps");
  strand.pc = target;
  return true;
}

auto Machine::Touch(Strand& strand, const Instr& instr, uint64_t pointer, int64_t element, size_t& begin) -> Memory* {
  const size_t bytes = arith::ElementOf(instr.type).bytes();
  const size_t size = bytes * (instr.c & ~kAtomic);
  const Pointer at = Pointer::Of(pointer);
  int64_t offset = at.offset + element * static_cast<int64_t>(size);
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
  if (!memory.written.empty() &&
      std::find(memory.written.begin() + begin, memory.written.begin() + end, 0) != memory.written.begin() + end) {
    NoteUndefined(strand, "memory is read that nothing wrote");
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
      frame[instr.dst + done + lane] = arith::LoadWord(instr.type, &memory->bytes[begin + lane * bytes]);
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
  const auto count = static_cast<int64_t>(strand.frame[instr.a]);
  const auto sharing = static_cast<Sharing>(instr.b);
  const size_t bytes = arith::ElementOf(instr.type).bytes();
  if (count < 0 || static_cast<uint64_t>(count) > limits_.max_bytes / bytes)
    return Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
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

auto Machine::CallIntrinsic(Strand& strand, const CallSite& call) -> bool {
  std::array<arith::Lanes, 8> args;
  const size_t count = std::min(call.args.size(), args.size());
  for (size_t i = 0; i < count; ++i) args[i] = {call.types[i], &strand.frame[call.args[i]]};
  const bool defined = call.intrinsic->evaluate({call.type, &strand.frame[call.result]}, {args.data(), count});
  if (!defined) NoteUndefined(strand, "an intrinsic leaves its result open");
  return true;
}

// memcpy(to, from, bytes) and memset(to, value, bytes).
auto Machine::CallExtern(Strand& strand, const CallSite& call) -> bool {
  if (call.args.size() != 3) return Error(strand, diag::kNotEvaluated, "a call with that many arguments");
  const bool copies = call.function->name == "memcpy";
  const Instr bytewise{OpCode::kLoad, DataType::UInt(8), 0, 0, 0, 1};
  const uint64_t to = strand.frame[call.args[0]];
  const uint64_t from = strand.frame[call.args[1]];
  for (uint64_t i = 0; i < strand.frame[call.args[2]]; ++i) {
    size_t begin = 0;
    auto byte = static_cast<std::byte>(from);
    if (copies) {
      Memory* source = Touch(strand, bytewise, from, static_cast<int64_t>(i), begin);
      if (source == nullptr) return false;
      byte = source->bytes[begin];
    }
    Memory* target = Touch(strand, bytewise, to, static_cast<int64_t>(i), begin);
    if (target == nullptr) return false;
    target->bytes[begin] = byte;
    if (!target->written.empty()) target->written[begin] = 1;
    target->is_stored = true;
  }
  strand.frame[call.result] = to;
  return true;
}

auto Machine::CallFunction(Strand& strand, const CallSite& call) -> bool {
  const Program* callee = evaluator_.ProgramOf(call.callee);
  if (callee == nullptr) return Error(strand, diag::kNotEvaluated, "a function without a body");
  if (strand.callers.size() >= limits_.max_depth)
    return Error(strand, diag::kLimitReached, limits_.max_depth, "calls inside of one another");
  if (callee->packed || callee->inputs.size() != call.args.size() || callee->func->params().size() != call.args.size())
    return Error(strand, diag::kNotEvaluated, "a call of a function that needs more than its arguments");
  std::vector<uint64_t> frame = callee->frame;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const size_t lanes = std::max<size_t>(call.types[i].lanes, 1);
    std::memcpy(&frame[callee->input_regs.at(callee->inputs[i].var)], &strand.frame[call.args[i]],
                lanes * sizeof(uint64_t));
  }
  Enter(strand, *callee, std::move(frame), {.result = call.result, .type = call.type});
  return true;
}

void Machine::Enter(Strand& strand, const Program& callee, std::vector<uint64_t> frame, Strand::Caller caller) {
  caller.program = strand.program;
  caller.pc = strand.pc + 1;
  caller.frame = std::exchange(strand.frame, std::move(frame));
  caller.allocations = strand.allocations.size();
  caller.actors = strand.actors.size();
  if (caller.kind != Strand::CallKind::kPacked) caller.scratch = strand.scratch.size();
  strand.callers.push_back(std::move(caller));
  strand.program = &callee;
  strand.pc = 0;
  ++steps_;
}

auto Machine::Return(Strand& strand, const Instr& instr) -> Stop {
  const size_t lanes = instr.type.lanes;
  const size_t kept = strand.callers.empty() ? 0 : strand.callers.back().allocations;
  for (; strand.allocations.size() > kept; strand.allocations.pop_back()) {
    if (strand.allocations.back() != 0) memory_.Free(strand.allocations.back());
  }
  if (strand.callers.empty()) {
    strand.returned.assign(strand.frame.begin() + instr.a, strand.frame.begin() + instr.a + lanes);
    strand.return_type = instr.type;
    return Stop::kReturned;
  }
  Strand::Caller caller = std::move(strand.callers.back());
  if (caller.kind == Strand::CallKind::kPacked) {
    if (!instr.type.is_void() && strand.frame[instr.a] != 0) {
      Error(strand, diag::kAssertionFailed, "a packed function returns an error");
      return Stop::kError;
    }
    caller.frame[caller.result] = TakeResult(caller.result_memory, caller.type).value_or(0);
  } else {
    for (size_t i = 0; i < std::min<size_t>(lanes, caller.type.lanes); ++i)
      caller.frame[caller.result + i] = strand.frame[instr.a + i];
  }
  if (caller.kind == Strand::CallKind::kKernel) strand.is_kernel = false;
  strand.callers.pop_back();
  for (; strand.scratch.size() > caller.scratch; strand.scratch.pop_back()) memory_.Free(strand.scratch.back());
  if (strand.actors.size() > caller.actors) {
    strand.actor = strand.actors[caller.actors];
    strand.actors.resize(caller.actors);
  }
  strand.program = caller.program;
  strand.pc = caller.pc;
  strand.frame = std::move(caller.frame);
  return Stop::kThreadEnd;
}

auto Machine::Go(Strand& strand) -> Stop {
  for (;;) {
    const Instr& instr = strand.program->code[strand.pc];
    uint64_t* f = strand.frame.data();
    const size_t lanes = instr.type.lanes;
    switch (instr.op) {
      case OpCode::kMove: std::memmove(f + instr.dst, f + instr.a, lanes * sizeof(uint64_t)); break;
      case OpCode::kBroadcast: std::fill_n(f + instr.dst, lanes, f[instr.a]); break;
      case OpCode::kRamp:
        for (size_t i = 0; i < lanes; ++i) {
          const uint64_t value = f[instr.a] + i * f[instr.b];
          f[instr.dst + i] =
              static_cast<uint64_t>(arith::WrapToType(arith::ElementOf(instr.type), static_cast<int64_t>(value)));
        }
        break;
      case OpCode::kAdd:
      case OpCode::kSub:
      case OpCode::kMul:
      case OpCode::kDiv:
      case OpCode::kMod:
      case OpCode::kFloorDiv:
      case OpCode::kFloorMod:
      case OpCode::kMin:
      case OpCode::kMax: {
        const Arith what = Operate(instr.op, instr.type, f + instr.dst, f + instr.a, f + instr.b);
        if (what == Arith::kDivisionByZero) {
          Error(strand, diag::kDivisionByZero);
          return Stop::kError;
        }
        if (what == Arith::kOverflow) NoteUndefined(strand, "an integer overflows");
        break;
      }
      case OpCode::kEQ:
      case OpCode::kNE:
      case OpCode::kLT:
      case OpCode::kLE:
      case OpCode::kGT:
      case OpCode::kGE: Compare(instr.op, instr.type, f + instr.dst, f + instr.a, f + instr.b); break;
      case OpCode::kAnd:
        for (size_t i = 0; i < lanes; ++i) f[instr.dst + i] = f[instr.a + i] & f[instr.b + i];
        break;
      case OpCode::kOr:
        for (size_t i = 0; i < lanes; ++i) f[instr.dst + i] = f[instr.a + i] | f[instr.b + i];
        break;
      case OpCode::kNot:
        for (size_t i = 0; i < lanes; ++i) f[instr.dst + i] = f[instr.a + i] ^ 1;
        break;
      case OpCode::kSelect:
        for (size_t i = 0; i < lanes; ++i) f[instr.dst + i] = f[instr.a + i] != 0 ? f[instr.b + i] : f[instr.c + i];
        break;
      case OpCode::kCast:
        if (Cast(instr.type, std::bit_cast<DataType>(instr.c), f + instr.dst, f + instr.a) == Arith::kOverflow)
          NoteUndefined(strand, "a float does not fit the integer that it is cast to");
        break;
      case OpCode::kPick:
        if (f[instr.b] >= instr.c) {
          Error(strand, diag::kNotEvaluated, "a lane that is not there");
          return Stop::kError;
        }
        f[instr.dst] = f[instr.a + f[instr.b]];
        break;
      case OpCode::kIndex:
      case OpCode::kCheckIndex: {
        const bool adds = instr.op == OpCode::kIndex;
        const auto extent = static_cast<int64_t>(f[instr.b]);
        for (size_t i = 0; i < lanes; ++i) {
          const auto index = static_cast<int64_t>(f[(adds ? instr.c : instr.a) + i]);
          const bool is_outside = index < 0 || index >= extent;
          if (is_outside && limits_.allow_outside) {
            NoteUndefined(strand, "an index is outside of its buffer");
          } else if (is_outside) {
            Error(strand, diag::kOutOfBounds, index, PlaceOf(strand).axis, BufferName(strand, {}), extent);
            return Stop::kError;
          }
          if (adds) f[instr.dst + i] = f[instr.a + i] * static_cast<uint64_t>(extent) + static_cast<uint64_t>(index);
        }
        break;
      }
      case OpCode::kLoad:
        if (!Load(strand, instr)) return Stop::kError;
        break;
      case OpCode::kStore:
        // In lockstep all threads come before and behind a store.
        if (limits_.lockstep && block_ != nullptr && !std::exchange(strand.may_store, !strand.may_store))
          return Stop::kStep;
        if (!Store(strand, instr)) return Stop::kError;
        if (limits_.lockstep && block_ != nullptr) {
          ++strand.pc;
          return Stop::kStep;
        }
        break;
      case OpCode::kAddress: {
        Pointer pointer = Pointer::Of(f[instr.a]);
        pointer.offset += static_cast<int64_t>(f[instr.b] * instr.type.bytes());
        f[instr.dst] = pointer.word();
        break;
      }
      case OpCode::kAllocate:
        if (!Allocate(strand, instr)) return Stop::kError;
        break;
      case OpCode::kFree:
        if (strand.allocations.back() != 0) memory_.Free(strand.allocations.back());
        strand.allocations.pop_back();
        break;
      case OpCode::kConstant: {
        const ConstantId id = strand.program->constants[instr.a];
        const auto [entry, is_new] = constants_.try_emplace(id, 0);
        if (is_new) {
          const auto bytes = strand.program->func->context().constant(id).Bytes();
          entry->second = memory_.Allocate(bytes->size());
          if (entry->second == 0) {
            Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
            return Stop::kError;
          }
          Memory& memory = memory_[entry->second];
          memory.bytes = *bytes;
          memory.written.clear();
          memory.is_constant = true;
        }
        f[instr.dst] = Pointer{entry->second, 0}.word();
        break;
      }
      case OpCode::kIntrinsic: CallIntrinsic(strand, strand.program->calls[instr.a]); break;
      case OpCode::kExtern:
        if (!CallExtern(strand, strand.program->calls[instr.a])) return Stop::kError;
        break;
      case OpCode::kMatrix:
        if (!CallMatrix(strand, strand.program->calls[instr.a])) return Stop::kError;
        break;
      case OpCode::kCall:
        if (!CallFunction(strand, strand.program->calls[instr.a])) return Stop::kError;
        continue;
      case OpCode::kReturn:
        // Stop::kThreadEnd: the caller goes on.
        if (const Stop stop = Return(strand, instr); stop != Stop::kThreadEnd) return stop;
        continue;
      case OpCode::kCallPacked:
        if (!CallPacked(strand, strand.program->packed_calls[instr.a])) return Stop::kError;
        continue;
      case OpCode::kStructGet:
        if (!GetField(strand, instr)) return Stop::kError;
        break;
      case OpCode::kStructSet:
        if (!SetField(strand, instr)) return Stop::kError;
        break;
      case OpCode::kScratch: {
        const uint64_t bytes = f[instr.a] * arith::ElementOf(instr.type).bytes();
        const uint32_t id = bytes > limits_.max_bytes ? 0 : memory_.Allocate(bytes);
        if (id == 0) {
          Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
          return Stop::kError;
        }
        memory_[id].is_private = strand.actor.launch != 0;
        if (instr.b != kUntilFreed) strand.scratch.push_back(id);
        f[instr.dst] = Pointer{id, 0}.word();
        break;
      }
      case OpCode::kFreeScratch: {
        const uint32_t id = Pointer::Of(f[instr.a]).memory;
        if (id == 0 || id >= memory_.size() || !memory_[id].is_live) {
          Error(strand, diag::kNotEvaluated, "an end of memory that is not there");
          return Stop::kError;
        }
        memory_.Free(id);
        break;
      }
      case OpCode::kJump:
        if (instr.a <= strand.pc) {
          if (!Back(strand, instr.a)) return Stop::kError;
        } else {
          strand.pc = instr.a;
        }
        continue;
      case OpCode::kJumpIfZero:
      case OpCode::kJumpIfOne:
        if ((f[instr.b] != 0) != (instr.op == OpCode::kJumpIfOne)) break;
        strand.pc = instr.a;
        continue;
      case OpCode::kForEach:
        if (strand.actors.back().launch == 0) ++strand.actor.block;
        [[fallthrough]];
      case OpCode::kLoop:
        if (static_cast<int64_t>(++f[instr.dst]) >= static_cast<int64_t>(f[instr.b])) break;
        if (!Back(strand, instr.a)) return Stop::kError;
        continue;
      case OpCode::kBeginParallel:
        strand.actors.push_back(strand.actor);
        if (strand.actor.launch == 0) strand.actor = {++launches_, 0, 0, 0, 0};
        break;
      case OpCode::kEndParallel:
        strand.actor = strand.actors.back();
        strand.actors.pop_back();
        break;
      case OpCode::kLaunch: {
        const Launch& launch = strand.program->launches[instr.a];
        if (!RunLaunch(strand, launch)) return Stop::kError;
        strand.pc = launch.end;
        continue;
      }
      case OpCode::kThreadEnd: return Stop::kThreadEnd;
      case OpCode::kThreadIndex:
        if (static_cast<int64_t>(f[instr.c]) != block_->extents[instr.a]) {
          Error(strand, diag::kNotEvaluated, "a thread with another extent than in its launch");
          return Stop::kError;
        }
        f[instr.dst] = f[instr.b] + static_cast<uint64_t>(strand.position[instr.a]);
        break;
      case OpCode::kBarrier:
        if (block_ == nullptr) break;
        if (static_cast<BarrierScope>(instr.a) == BarrierScope::kGlobal) {
          Error(strand, diag::kNotEvaluated, "a barrier of all blocks");
          return Stop::kError;
        }
        return Stop::kBarrier;
      case OpCode::kExchange:
        if (block_ != nullptr) return Stop::kExchange;
        std::memmove(f + instr.dst, f + instr.a, lanes * sizeof(uint64_t));
        break;
      case OpCode::kAllReduce: return Stop::kAllReduce;
      case OpCode::kAssert:
        if (f[instr.a] == 0) {
          Error(strand, diag::kAssertionFailed, strand.program->texts[instr.b]);
          return Stop::kError;
        }
        break;
      case OpCode::kCheckDomain: {
        const auto value = static_cast<int64_t>(f[instr.a]);
        const auto min = static_cast<int64_t>(f[instr.b]);
        const int64_t end = min + static_cast<int64_t>(f[instr.c]);
        if (value < min || value >= end) {
          Error(strand, diag::kOutsideDomain, PlaceOf(strand).axis, value, min, end);
          return Stop::kError;
        }
        break;
      }
      case OpCode::kFail: Error(strand, diag::kNotEvaluated, strand.program->texts[instr.a]); return Stop::kError;
    }
    ++strand.pc;
  }
}

}  // namespace relayopt::tir
