// The machine that runs programs.
#include "lib/tir/eval/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "lib/tir/eval/arithmetic.h"
#include "lib/tir/eval/machine_error.h"
#include "relayopt/arith/index_range.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/tir/eval/arguments.h"
#include "relayopt/tir/eval/diagnostics.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

// Returns the distance between 1 and the next number of a float type of at most 16 bits.
auto DistanceAtOne(DataType type) -> double {
  switch (type.code) {
    case TypeCode::kBFloat: return 0x1p-7;
    case TypeCode::kE4M3: return 0x1p-3;
    case TypeCode::kE5M2: return 0x1p-2;
    default: return 0x1p-10;
  }
}

}  // namespace

void Machine::NoteUndefined(const Strand& strand, const char* what) {
  has_open_results_only_ = false;
  if (!undefined_.empty()) return;
  undefined_ = what;
  undefined_at_ = strand.program->func->stmt(PlaceOf(strand).stmt).range();
}

void Machine::NoteIndexRange(const Strand& strand, DataType type, Reg first) {
  if (limits_.assume_index_range && HasIndexNearEnd(strand, type, first))
    NoteUndefined(strand, "an index is near the end of its type");
}

auto Machine::HasIndexNearEnd(const Strand& strand, DataType type, Reg first) -> bool {
  const std::span<const uint64_t> words(strand.frame.data() + first, type.lanes);
  return std::ranges::any_of(words, [element = arith::ElementOf(type)](uint64_t word) {
    return arith::IsNearEnd(element, static_cast<int64_t>(word));
  });
}

void Machine::Disturb(DataType type, uint64_t* first) {
  if (limits_.disturbance == 0 || !type.is_float() || type.bits > 16) return;
  // Three quarters of the distance between the numbers from 1 on: about one step, in one of the directions.
  const double step = 0.75 * DistanceAtOne(type);
  const DataType element = arith::ElementOf(type);
  for (size_t i = 0; i < type.lanes; ++i) {
    uint64_t hash = (++num_disturbed_ * 8 + limits_.disturbance) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
    const double sign = static_cast<double>(hash % 3) - 1;
    const auto value = std::bit_cast<double>(first[i]);
    first[i] = std::bit_cast<uint64_t>(arith::RoundToType(element, value * (1 + sign * step)));
  }
}

auto Machine::DisturbLoaded(DataType type, uint64_t word) -> uint64_t {
  if (limits_.disturbance == 0 || !type.is_float() || type.bits > 8) return word;
  const auto value = std::bit_cast<double>(word);
  const double normal = SmallestNormal(type);
  if (!(std::abs(value) < normal)) return word;
  // The instructions that convert floats of 8 bits take smaller numbers for normal ones, or for zero.
  const uint64_t choice = (++num_disturbed_ + limits_.disturbance) % 3;
  const double scale = choice == 0 ? 0 : choice == 1 ? normal : normal / 2;
  return std::bit_cast<uint64_t>(choice == 2 && value != 0 ? value : std::copysign(scale, value));
}

void Machine::NoteOpen(const Strand& strand, arith::Lanes result) {
  const bool others = has_open_results_only_;
  NoteUndefined(strand, "an intrinsic leaves its result open");
  has_open_results_only_ = others;
  if (limits_.open_value == 0) return;
  for (size_t i = 0; i < result.size(); ++i) {
    // A number, or the number with the complementary bits.
    const int64_t value = limits_.open_value == 1 ? ~result.integer(i) : int64_t{limits_.open_value} * 41;
    if (result.type.is_float()) {
      result.Set(i, std::numeric_limits<double>::quiet_NaN());
    } else {
      result.Set(i, value);
    }
  }
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
  if (!Spend(strand, strand.program->Cost(target, strand.pc + 1))) return false;
  strand.pc = target;
  return true;
}

auto Machine::CanFinish(const Strand& strand, uint64_t iterations) -> bool {
  // Fewer iterations are quickly made.
  constexpr uint64_t kMany = uint64_t{1} << 20;
  if (iterations < kMany) return true;
  const Program& program = *strand.program;
  const uint64_t cost = program.Cost(program.code[strand.pc].a, strand.pc + 1);
  if (iterations <= (limits_.max_steps - steps_) / cost) return true;
  return Error(strand, diag::kTooManySteps, limits_.max_steps);
}

auto Machine::Spend(const Strand& strand, uint64_t steps) -> bool {
  if (steps > limits_.max_steps - steps_) return Error(strand, diag::kTooManySteps, limits_.max_steps);
  steps_ += steps;
  return !memory_.is_full() || Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
}

auto Machine::CallIntrinsic(Strand& strand, const CallSite& call) -> bool {
  std::array<arith::Lanes, 8> args;
  const size_t count = std::min(call.args.size(), args.size());
  for (size_t i = 0; i < count; ++i) args[i] = {call.types[i], &strand.frame[call.args[i]]};
  const arith::Lanes result = {call.type, &strand.frame[call.result]};
  if (!call.intrinsic->evaluate(result, {args.data(), count})) NoteOpen(strand, result);
  // Bits are not rounded.
  if (call.intrinsic->id() != "tir.reinterpret"_intrin) Disturb(call.type, &strand.frame[call.result]);
  return true;
}

// memcpy(to, from, bytes) and memset(to, value, bytes).
auto Machine::CallExtern(Strand& strand, const CallSite& call) -> bool {
  if (call.args.size() != 3) return Error(strand, diag::kNotEvaluated, "a call with that many arguments");
  const uint64_t to = strand.frame[call.args[0]];
  const uint64_t from = strand.frame[call.args[1]];
  const uint64_t count = strand.frame[call.args[2]];
  if (call.function->name == "memcpy") {
    if (!CopyBytes(strand, to, from, count)) return false;
  } else {
    for (uint64_t i = 0; i < count; ++i) {
      if (!Spend(strand, 1)) return false;
      if (!WriteElement(strand, DataType::UInt(8), to, static_cast<int64_t>(i), from & 0xFF)) return false;
    }
  }
  strand.frame[call.result] = to;
  return true;
}

auto Machine::CopyBytes(Strand& strand, uint64_t to, uint64_t from, uint64_t count) -> bool {
  for (uint64_t i = 0; i < count; ++i) {
    if (!Spend(strand, 1)) return false;
    const Instr bytewise{OpCode::kLoad, DataType::UInt(8), 0, 0, 0, 1};
    const auto at = static_cast<int64_t>(i);
    size_t begin = 0;
    Memory* source = Touch(strand, bytewise, from, at, begin);
    if (source == nullptr) return false;
    // Unwritten bytes may be copied; the copies are then unwritten, too.
    const bool has_value = source->written.empty() || source->written[begin] != 0;
    const auto byte = static_cast<uint64_t>(source->bytes[begin]);
    if (has_value && !NoteRead(strand, bytewise, *source, begin, begin + 1)) return false;
    if (!WriteElement(strand, DataType::UInt(8), to, at, byte)) return false;
    if (has_value) continue;
    Memory* target = Touch(strand, bytewise, to, at, begin);
    if (target != nullptr && !target->written.empty()) target->written[begin] = 0;
  }
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
    if (static_cast<size_t>(callee->func->terms().lanes(callee->inputs[i].var)) != lanes)
      return Error(strand, diag::kNotEvaluated, "a call of a function with an argument of a different number of lanes");
    std::memcpy(&frame[callee->input_regs.at(callee->inputs[i].var)], &strand.frame[call.args[i]],
                lanes * sizeof(uint64_t));
  }
  return Enter(strand, *callee, std::move(frame), {.result = call.result, .type = call.type});
}

auto Machine::Enter(Strand& strand, const Program& callee, std::vector<uint64_t> frame, Strand::Caller caller) -> bool {
  if (!Spend(strand, frame.size() + callee.Cost(0, callee.code.size()))) return false;
  waiting_registers_ += strand.frame.size();
  if (waiting_registers_ > limits_.max_bytes / sizeof(uint64_t))
    return Error(strand, diag::kLimitReached, limits_.max_bytes, "bytes");
  caller.program = strand.program;
  caller.pc = strand.pc + 1;
  caller.frame = std::exchange(strand.frame, std::move(frame));
  caller.allocations = strand.allocations.size();
  caller.actors = strand.actors.size();
  if (caller.kind != Strand::CallKind::kPacked) caller.scratch = strand.scratch.size();
  strand.callers.push_back(std::move(caller));
  strand.program = &callee;
  strand.pc = 0;
  return true;
}

auto Machine::Return(Strand& strand, const Instr& instr) -> Stop {
  const size_t lanes = instr.type.lanes;
  const size_t kept = strand.callers.empty() ? 0 : strand.callers.back().allocations;
  for (; strand.allocations.size() > kept; strand.allocations.pop_back()) {
    if (strand.allocations.back() != 0) memory_.Free(strand.allocations.back());
  }
  if (strand.callers.empty()) {
    const auto words = std::span(strand.frame).subspan(instr.a, lanes);
    strand.returned.assign(words.begin(), words.end());
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
  waiting_registers_ -= strand.frame.size();
  return Stop::kThreadEnd;
}

namespace {

// The lanes base, base + stride, ..., in the type of the vector's elements; an overflow as where they are added up.
auto Ramp(DataType type, uint64_t* to, uint64_t base, uint64_t stride) -> Arith {
  const DataType element = arith::ElementOf(type);
  bool overflows = false;
  for (size_t i = 0; i < type.lanes; ++i) {
    const auto value = static_cast<int64_t>(base + i * stride);
    const int64_t wrapped = arith::WrapToType(element, value);
    int64_t offset = 0;
    int64_t sum = 0;
    overflows = overflows || wrapped != value ||
                __builtin_mul_overflow(static_cast<int64_t>(stride), static_cast<int64_t>(i), &offset) ||
                __builtin_add_overflow(static_cast<int64_t>(base), offset, &sum);
    to[i] = static_cast<uint64_t>(wrapped);
  }
  return overflows && element.is_int() && element.bits >= 32 ? Arith::kOverflow : Arith::kFine;
}

// And, or, not and select, lane by lane.
void Combine(const Instr& instr, uint64_t* f) {
  uint64_t* const to = f + instr.dst;
  const uint64_t* const a = f + instr.a;
  const uint64_t* const b = f + instr.b;
  for (size_t i = 0; i < instr.type.lanes; ++i) {
    if (instr.op == OpCode::kAnd) {
      to[i] = a[i] & b[i];
    } else if (instr.op == OpCode::kOr) {
      to[i] = a[i] | b[i];
    } else if (instr.op == OpCode::kNot) {
      to[i] = a[i] ^ 1;
    } else {
      to[i] = a[i] != 0 ? b[i] : f[instr.c + i];
    }
  }
}

}  // namespace

auto Machine::Calculate(Strand& strand, const Instr& instr) -> bool {
  uint64_t* f = strand.frame.data();
  // An index near the end was noted where it came from, and a literal there is taken into account by simplification.
  const bool is_noted = limits_.assume_index_range &&
                        (HasIndexNearEnd(strand, instr.type, instr.a) || HasIndexNearEnd(strand, instr.type, instr.b));
  const Arith what = Operate(instr.op, instr.type, f + instr.dst, f + instr.a, f + instr.b);
  if (what == Arith::kDivisionByZero) return Error(strand, diag::kDivisionByZero);
  if (what == Arith::kOverflow) NoteUndefined(strand, kOverflows);
  if (!is_noted) NoteIndexRange(strand, instr.type, instr.dst);
  if (instr.op < OpCode::kMin) Disturb(instr.type, f + instr.dst);
  return true;
}

auto Machine::Pick(Strand& strand, const Instr& instr) -> bool {
  uint64_t* f = strand.frame.data();
  if (f[instr.b] >= instr.c) return Error(strand, diag::kNotEvaluated, "a lane outside of the vector");
  f[instr.dst] = f[instr.a + f[instr.b]];
  return true;
}

auto Machine::CheckIndices(Strand& strand, const Instr& instr) -> bool {
  uint64_t* f = strand.frame.data();
  const bool adds = instr.op == OpCode::kIndex;
  const auto extent = static_cast<int64_t>(f[instr.b]);
  for (size_t i = 0; i < instr.type.lanes; ++i) {
    const auto index = static_cast<int64_t>(f[(adds ? instr.c : instr.a) + i]);
    const bool is_outside = index < 0 || index >= extent;
    if (is_outside && limits_.allow_outside) {
      NoteUndefined(strand, "an index is outside of its buffer");
    } else if (is_outside) {
      return Error(strand, diag::kOutOfBounds, index, PlaceOf(strand).axis, BufferName(strand, {}), extent);
    }
    if (adds) f[instr.dst + i] = f[instr.a + i] * static_cast<uint64_t>(extent) + static_cast<uint64_t>(index);
  }
  return true;
}

auto Machine::ReadThreadIndex(Strand& strand, const Instr& instr) -> bool {
  uint64_t* f = strand.frame.data();
  if (static_cast<int64_t>(f[instr.c]) != block_->extents[instr.a])
    return Error(strand, diag::kNotEvaluated, "a thread whose extent differs from its launch");
  f[instr.dst] = f[instr.b] + static_cast<uint64_t>(strand.position[instr.a]);
  return true;
}

auto Machine::CheckDomain(Strand& strand, const Instr& instr) -> bool {
  const uint64_t* f = strand.frame.data();
  const auto value = static_cast<int64_t>(f[instr.a]);
  const auto min = static_cast<int64_t>(f[instr.b]);
  const int64_t end = min + static_cast<int64_t>(f[instr.c]);
  if (value < min || value >= end) return Error(strand, diag::kOutsideDomain, PlaceOf(strand).axis, value, min, end);
  return true;
}

// One case for each instruction; what takes more than a few lines is a function above.
auto Machine::Go(Strand& strand) -> Stop {
  for (;;) {
    const Instr& instr = strand.program->code[strand.pc];
    uint64_t* f = strand.frame.data();
    const size_t lanes = instr.type.lanes;
    switch (instr.op) {
      case OpCode::kMove: std::memmove(f + instr.dst, f + instr.a, lanes * sizeof(uint64_t)); break;
      case OpCode::kBroadcast: std::fill_n(f + instr.dst, lanes, f[instr.a]); break;
      case OpCode::kRamp:
        if (Ramp(instr.type, f + instr.dst, f[instr.a], f[instr.b]) == Arith::kOverflow) {
          NoteUndefined(strand, kOverflows);
        } else {
          NoteIndexRange(strand, instr.type, instr.dst);
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
      case OpCode::kMax:
        if (!Calculate(strand, instr)) return Stop::kError;
        break;
      case OpCode::kEQ:
      case OpCode::kNE:
      case OpCode::kLT:
      case OpCode::kLE:
      case OpCode::kGT:
      case OpCode::kGE: Compare(instr.op, instr.type, f + instr.dst, f + instr.a, f + instr.b); break;
      case OpCode::kAnd:
      case OpCode::kOr:
      case OpCode::kNot:
      case OpCode::kSelect: Combine(instr, f); break;
      case OpCode::kCast:
        if (Cast(instr.type, std::bit_cast<DataType>(instr.c), f + instr.dst, f + instr.a) == Arith::kOverflow)
          NoteUndefined(strand, "a float does not fit the integer that it is cast to");
        NoteIndexRange(strand, instr.type, instr.dst);
        Disturb(instr.type, f + instr.dst);
        break;
      case OpCode::kPick:
        if (!Pick(strand, instr)) return Stop::kError;
        break;
      case OpCode::kIndex:
      case OpCode::kCheckIndex:
        if (!CheckIndices(strand, instr)) return Stop::kError;
        break;
      case OpCode::kLoad:
        if (!Load(strand, instr)) return Stop::kError;
        NoteIndexRange(strand, instr.type, instr.dst);
        break;
      case OpCode::kStore:
        if (const Stop stop = StoreInStep(strand, instr); stop != Stop::kThreadEnd) return stop;
        break;
      case OpCode::kAddress: MoveAddress(strand, instr); break;
      case OpCode::kAllocate:
        if (!Allocate(strand, instr)) return Stop::kError;
        break;
      case OpCode::kFree:
        if (strand.allocations.back() != 0) memory_.Free(strand.allocations.back());
        strand.allocations.pop_back();
        break;
      case OpCode::kConstant:
        if (!PlaceConstant(strand, instr)) return Stop::kError;
        break;
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
        // Stop::kThreadEnd: the caller continues.
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
      case OpCode::kScratch:
        if (!AllocateScratch(strand, instr)) return Stop::kError;
        break;
      case OpCode::kFreeScratch:
        if (!FreeScratch(strand, instr)) return Stop::kError;
        break;
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
        if (instr.c != 0 && !CanFinish(strand, f[instr.b] - f[instr.dst])) return Stop::kError;
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
        if (!ReadThreadIndex(strand, instr)) return Stop::kError;
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
      case OpCode::kWarp:
        if (block_ != nullptr) return Stop::kWarp;
        Error(strand, diag::kNotEvaluated, "a matrix instruction outside of a launch of threads");
        return Stop::kError;
      case OpCode::kAllReduce: return Stop::kAllReduce;
      case OpCode::kAssume:
        if (f[instr.a] == 0) NoteUndefined(strand, "an assumption does not hold");
        break;
      case OpCode::kAssert:
        if (f[instr.a] == 0) {
          Error(strand, diag::kAssertionFailed, strand.program->texts[instr.b]);
          return Stop::kError;
        }
        break;
      case OpCode::kCheckDomain:
        if (!CheckDomain(strand, instr)) return Stop::kError;
        break;
      case OpCode::kFail: Error(strand, diag::kNotEvaluated, strand.program->texts[instr.a]); return Stop::kError;
    }
    ++strand.pc;
  }
}

}  // namespace relayopt::tir
