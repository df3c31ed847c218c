// Running tensor programs.
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

struct EvaluationLimits {
  // Instructions altogether, about.
  uint64_t max_steps = uint64_t{1} << 33;
  // Of all memory that is in use at one time.
  size_t max_bytes = size_t{1} << 30;
  // Function calls that wait for others.
  size_t max_depth = size_t{1} << 10;
  // Races are noted (Outcome::undefined) and the program goes on.
  bool allow_races = false;
  // Indices outside of a shape are noted (Outcome::undefined) and taken as they are; those outside of memory begin at
  // its start again.
  bool allow_outside = false;
  // The threads of a block go from store to store together, as if a barrier stood before and behind each: what a
  // program means into which barriers are still to be put. Nothing races then.
  bool lockstep = false;
  // Calls of functions that are not part of the module are noted (Outcome::calls) and give 0; what is pure gives a
  // number made of its arguments. Otherwise they are errors.
  bool note_calls = false;
};

// Something that a function gets from outside: a parameter, or what nobody in it defines (a free variable, the memory
// behind a free pointer, an extent `n` of a parameter's shape).
struct Input {
  // The variable. Of a buffer its data, which tells the memory.
  PrimExpr var;
  // A parameter's name, else that of the buffer or variable.
  StringId name;
  // The buffer; none of a variable that is no pointer.
  BufferId buffer;
  bool is_parameter = false;
};

// The value of an input: of a parameter's buffer the elements in its shape, of other memory the elements one after the
// other, of a variable a number of rank 0. Lanes of vectors are a last axis.
struct Argument {
  PrimExpr var;
  Tensor tensor;
};

// What came of a run.
struct Outcome {
  // The buffers among the arguments as they are afterwards, in the order of the arguments.
  std::vector<Argument> buffers;
  // Whether the function wrote to them.
  std::vector<bool> written;
  // What T.ret gave.
  std::optional<Tensor> returned;
  // The calls that EvaluationLimits::note_calls is about, with their arguments.
  std::vector<std::string> calls;
  // The first thing that happened of which the reference leaves the result open: memory read before it was written, an
  // overflow of int32 or int64, a shift by too much, an index outside of a buffer. Empty when nothing of the kind did.
  std::string undefined;
  SourceRange undefined_at;
};

struct Program;

// Runs functions of one module. A function is compiled once to flat code for a small machine: registers, jumps, loads
// and stores. Launches of threads run block by block; in a block one thread after the other runs up to the next
// barrier. Everything happens in one order, so a run can be repeated.
//
// Errors, with the statement's place: indices outside of a buffer's shape or of memory, division of integers by zero,
// two threads (or iterations of a parallel loop) that touch one element with nothing between them and change it,
// barriers that not all threads reach, assertions, calls of what is not known, limits. Nothing recurses on the depth
// of a program. For one thread.
class Evaluator {
 public:
  explicit Evaluator(const Module& module, EvaluationLimits limits = {});
  Evaluator(const Evaluator&) = delete;
  auto operator=(const Evaluator&) -> Evaluator& = delete;
  ~Evaluator();

  auto module() const -> const Module& { return module_; }
  // How many barriers the function's code has.
  auto NumBarriers(GlobalId id) -> size_t;
  auto context() const -> Context& { return module_.context(); }
  // What the function gets, its parameters first. Of handles without a known buffer nothing is known; they are null.
  auto InputsOf(GlobalId id) -> std::span<const Input>;
  // The variables that some statement of the function defines, but that are used outside of it as well.
  auto EscapedOf(GlobalId id) -> std::span<const PrimExpr>;
  // Runs the function with a value for each of its inputs, in any order. The elements are copied.
  auto Call(GlobalId id, std::span<const Argument> arguments) -> Result<Outcome>;

 private:
  friend class Machine;
  friend class ArgumentMaker;
  // The code of a function; compiled when it is asked for first. Null for a global without a PrimFunc.
  auto ProgramOf(GlobalId id) -> const Program*;
  // The function that the runtime knows by this name; none: it comes from outside.
  auto FindSymbol(std::string_view symbol) -> GlobalId;

  const Module& module_;
  EvaluationLimits limits_;
  absl::flat_hash_map<const PrimFunc*, std::unique_ptr<Program>> programs_;
  // Made when first needed.
  absl::flat_hash_map<std::string, GlobalId> symbols_;
};

}  // namespace relayopt::tir
