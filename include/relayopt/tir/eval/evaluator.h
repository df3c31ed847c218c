// Evaluator: runs tensor programs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/tensor.h"
#include "relayopt/module/module.h"
#include "relayopt/support/result.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// Limits of a run, and what to do instead of failing when a program does something undefined.
struct EvaluationLimits {
  // The approximate number of instructions to execute altogether, each counted once for each of its lanes.
  uint64_t max_steps = uint64_t{1} << 30;
  // The bytes in use at any one time: memory, and what is recorded about it.
  size_t max_bytes = size_t{1} << 30;
  // The number of nested function calls.
  size_t max_depth = size_t{1} << 10;
  // When true, a race does not end the program, but is noted in Outcome::undefined.
  bool allow_races = false;
  // When true, an index outside of a buffer's shape does not end the program, but is noted in Outcome::undefined and
  // used as it is; an address outside of memory wraps around to its start.
  bool allow_outside = false;
  // Runs the threads of a block in lockstep, from store to store, as if there were a barrier before and after each
  // store. This is the meaning of a program before barriers are inserted, and rules out races.
  bool lockstep = false;
  // Evaluates both values of a scalar Select, as generated code does. Otherwise only the one that is chosen, since many
  // passes rely on the condition there.
  bool eager_selects = false;
  // When true, calls of functions outside of the module are not errors: they are noted in Outcome::calls and return 0,
  // or for pure functions a number derived from the arguments.
  bool note_calls = false;
  // Selects one of several values for each result that an intrinsic leaves open, such as T.clz(0): what depends on them
  // differs between runs.
  uint32_t open_value = 0;
  // When true, the assumption of simplification about indices (arith/index_range.h) is one of the program: an index
  // near the end of its type is undefined, unless a literal near the end brought it there.
  bool assume_index_range = false;
  // Unless 0: changes results of arithmetic in floats of 16 or 8 bits by about as much as rounding may, in a way that
  // depends on this number. What such runs differ by is what rounding decides.
  uint32_t disturbance = 0;
};

// Outcome::undefined after an overflow of int32 or int64.
inline constexpr const char* kOverflows = "an integer overflows";

// Something that a function receives from outside: a parameter, or what the function uses without defining it (a free
// variable, the memory behind a free pointer, an extent `n` in a parameter's shape).
struct Input {
  // The variable. For a buffer it is the data pointer, which identifies the memory.
  PrimExpr var;
  // The name of the parameter, or else of the buffer or variable.
  StringId name;
  // The buffer; invalid for a variable that is not a pointer.
  BufferId buffer;
  bool is_parameter = false;
};

// The value of an input: for the buffer of a parameter, its elements in its shape; for other memory, the elements in
// sequence; for a variable, a number of rank 0. The lanes of vectors form an additional last axis.
struct Argument {
  PrimExpr var;
  Tensor tensor;
};

// The outcome of a run.
struct Outcome {
  // The buffers among the arguments with their final content, in the order of the arguments.
  std::vector<Argument> buffers;
  // Whether the function wrote to each of them.
  std::vector<bool> written;
  // The value given to T.ret.
  std::optional<Tensor> returned;
  // The calls noted because of EvaluationLimits::note_calls, with their arguments.
  std::vector<std::string> calls;
  // The first event whose result TVM leaves undefined: reading uninitialized memory, overflow of int32 or int64, a
  // shift by too much, an index outside of a buffer. Empty if there was none.
  std::string undefined;
  SourceRange undefined_at;
  // Whether all such events were intrinsics with an unspecified result.
  bool has_open_results_only = false;
};

struct Program;

// Runs the functions of one module. A function is compiled once, to flat code for a small machine with registers,
// jumps, loads and stores. The blocks of a launch run one after the other; in a block, each thread in turn runs up to
// the next barrier. The order is fixed, so every run gives the same result.
//
// Errors carry the range of the statement: an index outside of a buffer's shape or of memory; integer division by zero;
// a race, that is, two threads (or iterations of a parallel loop) that access the same element without a barrier
// between them, at least one of them writing; a barrier that not all threads reach; a failed assertion; a call of an
// unknown function; a limit that is exceeded. Nothing recurses on the depth of a program. An evaluator is for one
// thread.
class Evaluator {
 public:
  explicit Evaluator(const Module& module, EvaluationLimits limits = {});
  Evaluator(const Evaluator&) = delete;
  auto operator=(const Evaluator&) -> Evaluator& = delete;
  ~Evaluator();

  auto module() const -> const Module& { return module_; }
  // Returns the number of barriers in the function's code.
  auto NumBarriers(GlobalId id) -> size_t;
  auto context() const -> Context& { return module_.context(); }
  // Returns the inputs of the function, parameters first. A handle without a known buffer gets no memory; it is null.
  auto InputsOf(GlobalId id) -> std::span<const Input>;
  // Returns the variables that a statement of the function defines and that are also used outside of it.
  auto EscapedOf(GlobalId id) -> std::span<const PrimExpr>;
  // Runs the function. There must be a value for each of its inputs, in any order. The elements are copied.
  auto Call(GlobalId id, std::span<const Argument> arguments) -> Result<Outcome>;

 private:
  friend class Machine;
  friend class ArgumentMaker;
  // Returns the code of a function, compiled on first use. Returns null for a global that is not a PrimFunc.
  auto ProgramOf(GlobalId id) -> const Program*;
  // Returns the function with this global symbol, or invalid if it is not in the module.
  auto FindSymbol(std::string_view symbol) -> GlobalId;

  const Module& module_;
  EvaluationLimits limits_;
  absl::flat_hash_map<const PrimFunc*, std::unique_ptr<Program>> programs_;
  // Filled on first use.
  absl::flat_hash_map<std::string, GlobalId> symbols_;
};

}  // namespace relayopt::tir
