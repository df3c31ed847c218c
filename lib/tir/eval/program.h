// The code that a function is compiled to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/tir/eval/externs.h"
#include "lib/tir/eval/packed.h"
#include "lib/tir/eval/warp_matrix.h"
#include "relayopt/arith/intrinsics.h"
#include "relayopt/tir/eval/evaluator.h"

namespace relayopt::tir {

// A value with n lanes takes n registers in a row, each a word as in arith::Lanes. A register is its position in the
// frame of a call. A handle is a word, too; see Pointer.
using Reg = uint32_t;

// The operation of an instruction. dst, a, b and c are registers and `type` is that of the result, unless stated
// otherwise. Operands have as many lanes as the type.
enum class OpCode : uint8_t {
  kMove,       // dst = a
  kBroadcast,  // dst[i] = a
  kRamp,       // dst[i] = a + i * b
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kFloorDiv,
  kFloorMod,
  kMin,
  kMax,
  // Comparisons of operands of the type; dst is bool.
  kEQ,
  kNE,
  kLT,
  kLE,
  kGT,
  kGE,
  kAnd,
  kOr,
  kNot,
  kSelect,         // dst[i] = a[i] ? b[i] : c[i]
  kCast,           // dst = a, of the type whose bits c is
  kPick,           // dst = a[b]: one lane by its number; c: how many lanes there are
  kIndex,          // dst[i] = a[i] * b[0] + c[i], where 0 <= c[i] < b[0]
  kCheckIndex,     // 0 <= a[i] < b[0]
  kLoad,           // dst = memory at a, element b[i]; c: lanes of an element
  kStore,          // memory at a, element b[i], = dst; c: lanes of an element
  kAddress,        // dst = a, b elements of the type further
  kAllocate,       // dst = new memory of a elements of the type; b: a Sharing; c: the number of shared memory
  kFree,           // the newest memory of kAllocate that is this thread's
  kConstant,       // dst = memory of Program::constants[a]
  kIntrinsic,      // Program::calls[a]
  kExtern,         // Program::calls[a]
  kMatrix,         // Program::calls[a], of fragments of matrices
  kCall,           // Program::calls[a]
  kCallPacked,     // Program::packed_calls[a]
  kStructGet,      // dst = field c of struct b of those at a
  kStructSet,      // field c of struct b of those at a = dst
  kScratch,        // dst = new memory of a elements of the type, until the function returns; b: or kFreeScratch
  kFreeScratch,    // memory at a, of kScratch with b
  kReturn,         // a, of the type; void: nothing
  kJump,           // to a
  kJumpIfZero,     // to a if b is 0
  kJumpIfOne,      // to a if b is not 0
  kLoop,           // dst += 1; to a if dst < b; c: whether only the number of iterations ends it (MarkSteadyLoops)
  kForEach,        // as kLoop, at the end of an iteration of a parallel loop
  kBeginParallel,  // of a parallel loop
  kEndParallel,
  kLaunch,       // Program::launches[a]
  kThreadEnd,    // of the code of a launch
  kThreadIndex,  // dst = b[0] + the index of the thread in dimension a; the extent there is c[0]
  kBarrier,      // a: a BarrierScope
  kExchange,     // dst = a of the thread whose number in its part of the warp is b[0]; c: a Shuffle, the width
  kWarp,         // Program::warp_calls[a]
  kAllReduce,    // Program::reductions[a]
  kAssert,       // a is not 0; b: message in Program::texts
  kAssume,       // a is not 0, or what follows is undefined
  kCheckDomain,  // b[0] <= a < b[0] + c[0]
  kFail,         // Program::texts[a] cannot be evaluated
};

// The fields of an instruction that are registers.
struct OpFields {
  bool dst, a, b, c;
};
auto FieldsOf(OpCode op) -> OpFields;

// A flag above the lanes in `c` of a kLoad or kStore that is part of an atomic operation.
inline constexpr uint32_t kAtomic = uint32_t{1} << 31;

// A kScratch that lasts until a kFreeScratch.
inline constexpr uint32_t kUntilFreed = 1;

// Operations on fragments. Arguments are those of the intrinsics; the types of pointers are those of their
// elements. Fragments are stored one after the other, row by row.
enum class MatrixCall : uint8_t { kNone, kFill, kLoad, kStore, kMultiply };

enum class Sharing : uint8_t { kThread, kWarp, kBlock };
enum class BarrierScope : uint8_t { kWarp, kBlock, kGlobal };
// The position, above the Shuffle in its instruction, of the number of threads that exchange values.
inline constexpr uint32_t kExchangeWidthShift = 8;

struct Instr {
  OpCode op;
  DataType type;
  uint32_t dst = 0, a = 0, b = 0, c = 0;
};

// The program construct that an instruction belongs to, for messages.
struct Place {
  StmtId stmt;
  BufferId buffer;
  // The dimension of the buffer, or the axis of the block.
  uint32_t axis = 0;
};

struct CallSite {
  // kIntrinsic.
  const arith::IntrinsicRow* intrinsic = nullptr;
  // kExtern.
  const ExternRow* function = nullptr;
  // kMatrix.
  MatrixCall matrix = {};
  // kCall.
  GlobalId callee = {};
  DataType type = {};
  Reg result = 0;
  std::vector<Reg> args = {};
  std::vector<DataType> types = {};
};

// A call by name with packed arguments (packed.h), of values and their types or of the arrays that hold them; or of a
// function from outside.
struct PackedCall {
  enum class Kind : uint8_t { kPacked, kLowered, kExtern, kPureExtern };
  std::string name;
  DataType type = {};
  Reg result = 0;
  Kind kind = Kind::kPacked;
  // Values. The type of a string argument is void.
  std::vector<Reg> args = {};
  std::vector<DataType> types = {};
  // Whether each of them is known to be a tensor.
  std::vector<bool> are_tensors = {};
  // For a lowered call: registers of pointers to the first value and the first code, and the number of values.
  Reg values = 0;
  Reg codes = 0;
  uint32_t count = 0;
};

// Memory of elements of a type: a pointer and an offset in elements.
struct WarpOperand {
  Reg pointer = 0;
  Reg offset = 0;
  DataType type = {};
};
// Operations of all threads of a warp (warp_calls.cpp).
struct WarpCall {
  enum class Kind : uint8_t { kMultiply, kLoad, kLoadBytes, kStore };
  Kind kind = Kind::kMultiply;
  Mma mma = {};
  std::vector<WarpOperand> operands = {};
  // kLoad.
  int count = 0;
  bool is_transposed = false;
};

// A dimension of a launch.
struct ThreadDim {
  std::string tag;
  Reg extent = 0;
};
struct Launch {
  // Dimensions of the grid first (blockIdx), then of the block; the last one varies fastest.
  std::vector<ThreadDim> dims;
  size_t num_grid_dims = 0;
  // The beginning of a thread's code; execution continues at kThreadEnd.
  uint32_t begin = 0;
  uint32_t end = 0;
};

// A reduction over threads: result i of the combiner of lhs and rhs.
struct AllReduce {
  std::vector<Reg> values;
  std::vector<DataType> types;
  Reg condition = 0;
  // Registers of pointers to the results.
  std::vector<Reg> results;
  // Dimensions that are reduced over.
  std::vector<uint32_t> dims;
  // Code of the combiner: from registers lhs and rhs to registers out, which begin with the identity.
  std::vector<Reg> lhs, rhs, out, identity;
  uint32_t begin = 0;
};

struct Program {
  const PrimFunc* func = nullptr;
  std::vector<Instr> code;
  // For each instruction.
  std::vector<Place> places;
  // For each instruction, the sum of the costs of those before it; at the end, that of all. An instruction costs as
  // many steps as it has lanes.
  std::vector<uint64_t> costs;
  auto Cost(size_t begin, size_t end) const -> uint64_t { return costs[end] - costs[begin]; }
  // The initial content of a frame: constants and zeros.
  std::vector<uint64_t> frame;
  // The parameters, then variables from outside in the order of first use. For a packed function: its actual inputs.
  std::vector<Input> inputs;
  // The registers of the inputs and of all parameters.
  absl::flat_hash_map<PrimExpr, Reg> input_regs;
  // For a packed function: how it takes its arguments, and registers for the values of `inputs`, which its own code
  // does not use.
  std::optional<PackedSignature> packed;
  absl::flat_hash_map<PrimExpr, Reg> packed_regs;
  // The registers of the variables that loops and the like define, for messages.
  absl::flat_hash_map<PrimExpr, Reg> loop_regs;
  // Variables that a statement defines, but that are also used outside of it.
  std::vector<PrimExpr> escaped;
  // The buffers by which memory from outside is used, by its pointer.
  absl::flat_hash_map<PrimExpr, std::vector<BufferId>> buffers;
  std::vector<CallSite> calls;
  std::vector<PackedCall> packed_calls;
  std::vector<Launch> launches;
  std::vector<AllReduce> reductions;
  std::vector<WarpCall> warp_calls;
  std::vector<ConstantId> constants;
  std::vector<std::string> texts;
};

// Compiles a function. Code that cannot be run becomes kFail, so that only a run that reaches it fails.
auto Compile(const Module& module, const PrimFunc& func, bool eager_selects) -> std::unique_ptr<Program>;

// Sets `c` of those kLoop whose body cannot end the evaluation but in its first iteration.
void MarkSteadyLoops(Program& program);

// The word of a handle: a memory and a byte offset. 0 is the null pointer.
struct Pointer {
  static constexpr int kOffsetBits = 40;
  uint32_t memory = 0;
  int64_t offset = 0;

  static auto Of(uint64_t word) -> Pointer {
    const auto shifted = static_cast<int64_t>(word << (64 - kOffsetBits));
    return {static_cast<uint32_t>(word >> kOffsetBits), shifted >> (64 - kOffsetBits)};
  }
  auto word() const -> uint64_t {
    return uint64_t{memory} << kOffsetBits | (static_cast<uint64_t>(offset) & ((uint64_t{1} << kOffsetBits) - 1));
  }
};

}  // namespace relayopt::tir
