// Marks the loops whose body cannot end the evaluation after its first iteration, so that the number of iterations
// decides whether the steps suffice.
//
// A register is settled if each iteration of every loop finds the same value in it: constants, inputs, and what is
// computed of those. An instruction is open if it may end the evaluation in a later iteration but not in the first, and
// so is a jump whose condition is not settled. A loop is marked if no instruction of its body is open:
//
//   for i in range(n): A[0] = A[0] + 1    the index is settled: marked
//   for i in range(n): A[i] = 1           the index may leave A in any iteration: not marked
#include <algorithm>
#include <vector>

#include "lib/tir/eval/compiler.h"

namespace relayopt::tir {

namespace {

class SteadyLoops {
 public:
  explicit SteadyLoops(Program& program) : program_(program), settled_(program.frame.size(), true) {
    for (const Instr& instr : program.code) {
      if (instr.op == OpCode::kLoop || instr.op == OpCode::kForEach) loop_vars_.push_back(instr.dst);
    }
    std::ranges::sort(loop_vars_);
    for (const Reg var : loop_vars_) settled_[var] = false;
  }

  void Mark() {
    // The number of open instructions before each one.
    std::vector<uint32_t> open = {0};
    for (Instr& instr : program_.code) {
      if (instr.op == OpCode::kLoop) instr.c = open.back() == open[instr.a] ? 1 : 0;
      open.push_back(open.back() + (IsOpen(instr) ? 1 : 0));
      NoteResult(instr);
    }
  }

 private:
  auto IsSettled(std::initializer_list<Reg> regs) const -> bool {
    return std::ranges::all_of(regs, [this](Reg reg) { return settled_[reg]; });
  }

  auto IsOpen(const Instr& instr) const -> bool {
    switch (instr.op) {
      case OpCode::kMove:
      case OpCode::kBroadcast:
      case OpCode::kRamp:
      case OpCode::kAdd:
      case OpCode::kSub:
      case OpCode::kMul:
      case OpCode::kMin:
      case OpCode::kMax:
      case OpCode::kEQ:
      case OpCode::kNE:
      case OpCode::kLT:
      case OpCode::kLE:
      case OpCode::kGT:
      case OpCode::kGE:
      case OpCode::kAnd:
      case OpCode::kOr:
      case OpCode::kNot:
      case OpCode::kSelect:
      case OpCode::kCast:
      case OpCode::kAddress:
      case OpCode::kIntrinsic:
      case OpCode::kJump:
      case OpCode::kLoop:
      case OpCode::kAssume: return false;
      case OpCode::kDiv:
      case OpCode::kMod:
      case OpCode::kFloorDiv:
      case OpCode::kFloorMod:
      case OpCode::kPick:
      case OpCode::kJumpIfZero:
      case OpCode::kJumpIfOne: return !IsSettled({instr.b});
      case OpCode::kIndex: return !IsSettled({instr.b, instr.c});
      case OpCode::kCheckIndex:
      case OpCode::kLoad:
      case OpCode::kStore: return !IsSettled({instr.a, instr.b});
      case OpCode::kAssert: return !IsSettled({instr.a});
      case OpCode::kCheckDomain: return !IsSettled({instr.a, instr.b, instr.c});
      default: return true;
    }
  }

  void NoteResult(const Instr& instr) {
    const OpFields fields = FieldsOf(instr.op);
    if (instr.op == OpCode::kIntrinsic) {
      const CallSite& call = program_.calls[instr.a];
      Set(call.result, call.type.lanes, false);
    } else if (fields.dst && instr.op != OpCode::kStore) {
      const bool is_load = instr.op == OpCode::kLoad;
      const bool is_settled = !is_load && !IsOpen(instr) && (!fields.a || settled_[instr.a]) &&
                              (!fields.b || settled_[instr.b]) && (!fields.c || settled_[instr.c]);
      Set(instr.dst, instr.type.lanes, is_settled);
    }
  }

  void Set(Reg first, size_t lanes, bool is_settled) {
    const size_t end = std::min(settled_.size(), first + std::max<size_t>(lanes, 1));
    for (size_t reg = first; reg < end; ++reg) {
      settled_[reg] = is_settled && !std::ranges::binary_search(loop_vars_, static_cast<Reg>(reg));
    }
  }

  Program& program_;
  std::vector<bool> settled_;
  // Ascending.
  std::vector<Reg> loop_vars_;
};

}  // namespace

void MarkSteadyLoops(Program& program) { SteadyLoops(program).Mark(); }

}  // namespace relayopt::tir
