// Compiles a function to code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/tir/eval/program.h"

namespace relayopt::tir {

// One walk over the statements and, for each of their expressions, over its terms, both with stacks of their own.
//
// Registers: those of variables, constants and loop bounds are kept for the whole function and numbered from kKept on;
// those of values in between are numbered from 0 in every statement again. Finish puts the kept ones after the others.
//
// A term is computed once in an expression: its register is remembered until a scope ends in which it need not have
// been computed (an arm of if_then_else) or may have another value (the body of a Let). A term with effects is computed
// wherever it occurs; operands of one term that are the same call have the value of the last one. Whether there are
// values of this type.
auto CanCompute(DataType type) -> bool;

class Compiler {
 public:
  Compiler(const Module& module, const PrimFunc& func, bool eager_selects);
  auto Run() -> std::unique_ptr<Program>;

 private:
  static constexpr Reg kKept = Reg{1} << 31;

  // A statement of the walk, of which `next` parts have been visited.
  struct StmtStep {
    Stmt stmt;
    uint32_t next = 0;
    // The number of variables in scope outside of the statement.
    size_t mark = 0;
    // Instructions to be completed, or to go back to.
    uint32_t jump = 0;
    uint32_t begin = 0;
    Reg reg = 0;
    bool flag = false;
  };
  struct ExprStep {
    PrimExpr expr;
    uint32_t next = 0;
    uint32_t jump = 0;
    Reg reg = 0;
  };
  // The part to visit next, or none if the statement is done.
  using Next = std::optional<size_t>;

  // Statements (compile_statements.cpp).
  void CompileBody(Stmt body);
  // Compiles the code before part `step.next`, or after the last part.
  auto Visit(StmtStep& step) -> Next;
  auto VisitLet(StmtStep& step, LetStmt let) -> Next;
  auto VisitFor(StmtStep& step, For loop) -> Next;
  auto VisitWhile(StmtStep& step, While loop) -> Next;
  auto VisitIf(StmtStep& step, IfThenElse branch) -> Next;
  auto VisitAllocate(StmtStep& step, Allocate allocate) -> Next;
  auto VisitConst(StmtStep& step, AllocateConst allocate) -> Next;
  auto VisitAttr(StmtStep& step, AttrStmt attr) -> Next;
  auto VisitRealize(StmtStep& step, BufferRealize realize) -> Next;
  auto VisitBlockRealize(StmtStep& step, BlockRealize realize) -> Next;
  auto VisitBlock(StmtStep& step, Block block) -> Next;
  void AllocateMemory(PrimExpr var, DataType type, Reg count, std::string_view scope);
  void BindMatch(const Block& block, const BlockMatch& match);
  void Store(BufferStore store);

  // Launches, and operations of all threads of a block (compile_threads.cpp).
  auto VisitThread(StmtStep& step, PrimExpr var, std::string_view tag, PrimExpr min, PrimExpr extent) -> Next;
  // Begins a launch with all threads that are bound in `stmt`.
  void BeginLaunch(Stmt stmt);
  auto Barrier(PrimExpr call) -> Reg;
  auto ExchangeLanes(PrimExpr call, const arith::IntrinsicRow& row) -> Reg;
  auto ReduceThreads(PrimExpr call) -> Reg;

  // Expressions (compile_expressions.cpp).
  // Emits code that computes the value, and returns its register.
  auto Value(PrimExpr expr) -> Reg;
  // Takes one step of the computation. Returns true if the term is done.
  auto Advance(ExprStep& step) -> bool;
  auto IsConditional(PrimExpr expr) const -> bool;
  auto AdvanceConditional(ExprStep& step) -> bool;
  auto AdvanceLet(ExprStep& step) -> bool;
  // Appends the terms that must be computed before this one.
  void Needs(PrimExpr expr, std::vector<PrimExpr>& terms) const;
  auto Compute(PrimExpr expr) -> Reg;
  auto ComputeShuffle(PrimExpr shuffle) -> Reg;
  auto ComputeCall(PrimExpr call) -> Reg;
  // Returns the row of the intrinsic that is called, or null if something else is.
  auto RowOf(PrimExpr call) const -> const arith::IntrinsicRow*;
  auto IsCallOf(PrimExpr expr, arith::IntrinsicId intrinsic) const -> bool;
  // The number of operands is one that the row accepts.
  auto ComputeIntrinsic(PrimExpr call, const arith::IntrinsicRow& row) -> Reg;
  auto ComputeExtern(PrimExpr call, std::string_view name, size_t first) -> Reg;
  auto ComputeGlsl(PrimExpr call) -> Reg;
  auto CopyBytes(PrimExpr call) -> Reg;
  auto AddCall(CallSite site, OpCode op, PrimExpr call, size_t first, size_t num_flags = 0) -> Reg;
  auto AddIntrinsic(const arith::IntrinsicRow& row, PrimExpr call, size_t first, size_t num_flags = 0) -> Reg;
  auto FailAtCount(const arith::IntrinsicRow& row, PrimExpr call, size_t first) -> Reg;
  void OpenScope();
  void CloseScope();
  // Returns the register of a term that needs no computing or was computed before.
  auto Remembered(PrimExpr expr) -> std::optional<Reg>;
  // Whether a term need not be computed again.
  auto IsReady(PrimExpr expr) -> bool;
  void Remember(PrimExpr expr, Reg reg);
  auto Known(PrimExpr expr) -> Reg;

  // Packed functions and the functions of the runtime (compile_packed.cpp).
  void AddPackedParameters();
  // Returns a call of one of the runtime's intrinsics, or nothing for another intrinsic.
  auto ComputeRuntimeCall(PrimExpr call, arith::IntrinsicId intrinsic) -> std::optional<Reg>;
  auto CallPacked(PrimExpr call, bool is_lowered, bool has_resource) -> Reg;
  void AddArguments(PackedCall& call, std::span<const PrimExpr> args);
  auto EmitCall(PackedCall call) -> Reg;
  // Returns a call of an unknown function.
  auto CallOutside(PrimExpr call, std::string_view name, size_t first) -> Reg;
  auto Field(PrimExpr call, bool is_set) -> Reg;
  auto MakeShape(PrimExpr call) -> Reg;
  auto MakeArray(PrimExpr call) -> Reg;
  // Memory of T.tvm_stack_alloca.
  auto StackAlloca(PrimExpr call, bool is_until_freed) -> Reg;
  void SetField(Reg structs, StructField field, DataType type, Reg value);

  // Buffers (compile_access.cpp).
  // A pointer and the element, in units of the buffer's type, for each lane of the last index.
  struct Access {
    Reg pointer = 0;
    Reg index = 0;
    uint16_t lanes = 1;
  };
  // A buffer that is a view of a region of another buffer.
  struct View {
    BufferId source;
    std::vector<Reg> mins;
  };
  // Appends the terms that an access needs in addition to its indices: extents, strides and offset, also of the buffers
  // that it is a view of.
  void PushAccessTerms(BufferId id, std::vector<PrimExpr>& terms) const;
  // `indices` are registers of one lane, but the last, which has `lanes`. Checks them against the shape.
  auto Locate(BufferId id, std::vector<Reg> indices, uint16_t lanes, bool is_checked) -> Access;
  auto LocateCompact(const Buffer& buffer, std::span<const Reg> indices, uint16_t lanes, bool is_checked) -> Reg;
  auto LocateStrided(const Buffer& buffer, std::span<const Reg> indices, uint16_t lanes, bool is_checked) -> Reg;
  auto LocateTerms(BufferId id, std::span<const PrimExpr> indices, bool is_checked) -> Access;
  auto Load(PrimExpr load) -> Reg;
  auto AddressOf(PrimExpr load) -> Reg;
  auto AtomicAdd(PrimExpr call) -> Reg;
  auto CopyAsync(PrimExpr call) -> Reg;
  auto LoadWhere(PrimExpr call) -> Reg;
  // Whether the body of a launch uses the pointer.
  auto IsUsedByThreads(PrimExpr var) -> bool;
  auto FragmentCall(PrimExpr call, MatrixCall what) -> Reg;
  auto ElementOfPointer(PrimExpr pointer) const -> DataType;

  // Matrices in registers (compile_warp.cpp).
  // Returns a call of one of these intrinsics, or nothing for another intrinsic.
  auto ComputeWarpCall(PrimExpr call, arith::IntrinsicId intrinsic) -> std::optional<Reg>;
  auto MultiplyMatrices(PrimExpr call, bool is_sparse) -> Reg;
  auto LoadMatrices(PrimExpr call) -> Reg;
  auto StoreMatrix(PrimExpr call) -> Reg;
  auto FillMatrix(PrimExpr call) -> Reg;
  // Adds an operand; returns false if the memory's elements have no type.
  auto AddOperand(WarpCall& call, PrimExpr pointer, PrimExpr offset) -> bool;
  auto EmitWarp(WarpCall call) -> Reg;
  // Returns the number of elements in the buffer's memory.
  auto CountElements(const Buffer& buffer) -> Reg;

  // Registers and code (compiler.cpp).
  auto Temp(size_t lanes = 1) -> Reg;
  auto Kept(size_t lanes = 1) -> Reg;
  auto Const(uint64_t word) -> Reg;
  auto ConstInt(int64_t value) -> Reg { return Const(static_cast<uint64_t>(value)); }
  // Returns `reg`, which has one lane or `lanes`, broadcast to `lanes` lanes.
  auto Widen(Reg reg, size_t from, size_t lanes) -> Reg;
  auto Emit(OpCode op, DataType type, Reg dst, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) -> uint32_t;
  auto EmitTo(OpCode op, DataType type, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) -> Reg;
  auto Index(OpCode op, Reg a, Reg b, size_t lanes = 1) -> Reg {
    return EmitTo(op, {TypeCode::kInt, 64, static_cast<uint16_t>(lanes)}, a, b);
  }
  // Emits an instruction that fails because `what` cannot be evaluated. Returns a register for the value.
  auto Fail(std::string what, size_t lanes = 1) -> Reg;
  auto Text(std::string text) -> uint32_t;
  auto Here() const -> uint32_t { return static_cast<uint32_t>(program_->code.size()); }
  void JumpHere(uint32_t instr) { program_->code[instr].a = Here(); }
  // Forgets the values computed for the previous statement.
  void BeginStatement(Stmt stmt);

  // Variables.
  // Returns the register of a variable. A variable that is not in scope becomes an input.
  auto RegOf(PrimExpr var) -> Reg;
  // From here on `var` has a register of its own.
  auto Define(PrimExpr var) -> Reg;
  auto IsDefined(PrimExpr var) const -> bool { return regs_.contains(var); }
  void UndefineTo(size_t mark);
  void NoteDefinitions();
  void AddParameters();
  void AddInput(PrimExpr var, StringId name, BufferId buffer, bool is_parameter);
  void Finish();

  const Module& module_;
  const PrimFunc& func_;
  // EvaluationLimits::eager_selects.
  bool eager_selects_;
  const Terms& terms_;
  const Tables& tables_;
  std::unique_ptr<Program> program_;
  // Created on first use.
  std::optional<absl::flat_hash_set<PrimExpr>> used_by_threads_;

  // The variables in scope, each with the register that it shadows.
  absl::flat_hash_map<PrimExpr, Reg> regs_;
  std::vector<std::pair<PrimExpr, std::optional<Reg>>> defined_;
  // The variables that some statement defines.
  absl::flat_hash_set<PrimExpr> ever_defined_;
  absl::flat_hash_map<uint64_t, Reg> const_regs_;
  std::vector<std::pair<Reg, uint64_t>> const_values_;
  Reg temps_ = 0;
  Reg max_temps_ = 0;
  Reg kept_ = 0;

  // The values computed in the current statement, and what to restore at the end of a scope.
  absl::flat_hash_map<PrimExpr, Reg> memo_;
  // The entries of `memo_` that were changed, with their old values.
  std::vector<std::pair<PrimExpr, std::optional<Reg>>> memo_log_;
  std::vector<size_t> scopes_;
  // The values computed outside of the bodies of Lets.
  std::vector<absl::flat_hash_map<PrimExpr, Reg>> hidden_;
  std::vector<ExprStep> expr_steps_;

  Place place_;
  // The buffers in `buffers` of the program.
  absl::flat_hash_set<BufferId> outside_;
  // Bounds of realized buffers: registers of minimum and extent for each dimension.
  absl::flat_hash_map<BufferId, std::vector<Reg>> realized_;
  absl::flat_hash_map<BufferId, std::string_view> realize_scopes_;
  absl::flat_hash_map<BufferId, View> views_;
  arith::CallOpId stack_alloca_;
  // The attribute device_type around the current statement, and after it.
  int64_t device_type_ = 1;
  bool in_launch_ = false;
  // The dimension of the launch whose index a variable is.
  absl::flat_hash_map<PrimExpr, uint32_t> thread_dims_;
  std::vector<ReducerId> reducers_;
  uint32_t num_allocations_ = 0;
};

}  // namespace relayopt::tir
