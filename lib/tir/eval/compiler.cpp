// Compiles a function: registers, variables, instructions.
#include "lib/tir/eval/compiler.h"

#include <utility>

#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

auto FieldsOf(OpCode op) -> OpFields {
  switch (op) {
    case OpCode::kMove:
    case OpCode::kBroadcast:
    case OpCode::kNot:
    case OpCode::kCast:
    case OpCode::kAllocate:
    case OpCode::kScratch: return {true, true, false, false};
    case OpCode::kPick: return {true, true, true, false};
    case OpCode::kIndex:
    case OpCode::kSelect: return {true, true, true, true};
    case OpCode::kCheckIndex: return {false, true, true, false};
    case OpCode::kLoad:
    case OpCode::kStore:
    case OpCode::kStructGet:
    case OpCode::kStructSet:
    case OpCode::kAddress:
    case OpCode::kExchange: return {true, true, true, false};
    case OpCode::kFree:
    case OpCode::kIntrinsic:
    case OpCode::kExtern:
    case OpCode::kMatrix:
    case OpCode::kCall:
    case OpCode::kCallPacked:
    case OpCode::kBeginParallel:
    case OpCode::kEndParallel:
    case OpCode::kLaunch:
    case OpCode::kThreadEnd:
    case OpCode::kBarrier:
    case OpCode::kWarp:
    case OpCode::kAllReduce:
    case OpCode::kJump:
    case OpCode::kFail: return {false, false, false, false};
    case OpCode::kConstant: return {true, false, false, false};
    case OpCode::kReturn:
    case OpCode::kFreeScratch:
    case OpCode::kAssert:
    case OpCode::kAssume: return {false, true, false, false};
    case OpCode::kJumpIfZero:
    case OpCode::kJumpIfOne: return {false, false, true, false};
    case OpCode::kLoop:
    case OpCode::kForEach: return {true, false, true, false};
    case OpCode::kThreadIndex: return {true, false, true, true};
    case OpCode::kCheckDomain: return {false, true, true, true};
    default: return {true, true, true, false};
  }
}

Compiler::Compiler(const Module& module, const PrimFunc& func, bool eager_selects)
    : module_(module),
      func_(func),
      eager_selects_(eager_selects),
      terms_(func.terms()),
      tables_(func.tables()),
      program_(std::make_unique<Program>()),
      stack_alloca_(func.terms().Intrinsic("tir.tvm_stack_alloca"_intrin)) {
  program_->func = &func;
}

auto Compiler::Run() -> std::unique_ptr<Program> {
  NoteDefinitions();
  AddParameters();
  CompileBody(func_.body());
  Emit(OpCode::kReturn, DataType::Void(), 0);
  Finish();
  MarkSteadyLoops(*program_);
  return std::move(program_);
}

auto Compiler::Temp(size_t lanes) -> Reg {
  const Reg reg = temps_;
  temps_ += static_cast<Reg>(lanes);
  max_temps_ = std::max(max_temps_, temps_);
  return reg;
}

auto Compiler::Kept(size_t lanes) -> Reg {
  const Reg reg = kKept + kept_;
  kept_ += static_cast<Reg>(lanes);
  return reg;
}

auto Compiler::Const(uint64_t word) -> Reg {
  const auto [entry, is_new] = const_regs_.try_emplace(word);
  if (is_new) {
    entry->second = Kept();
    const_values_.emplace_back(entry->second, word);
  }
  return entry->second;
}

auto Compiler::Widen(Reg reg, size_t from, size_t lanes) -> Reg {
  if (from == lanes) return reg;
  return EmitTo(OpCode::kBroadcast, {TypeCode::kInt, 64, static_cast<uint16_t>(lanes)}, reg);
}

auto Compiler::Emit(OpCode op, DataType type, Reg dst, uint32_t a, uint32_t b, uint32_t c) -> uint32_t {
  program_->code.push_back({op, type, dst, a, b, c});
  program_->places.push_back(place_);
  return Here() - 1;
}

auto Compiler::EmitTo(OpCode op, DataType type, uint32_t a, uint32_t b, uint32_t c) -> Reg {
  const Reg dst = Temp(type.lanes);
  Emit(op, type, dst, a, b, c);
  return dst;
}

auto Compiler::Text(std::string text) -> uint32_t {
  program_->texts.push_back(std::move(text));
  return static_cast<uint32_t>(program_->texts.size() - 1);
}

auto Compiler::Fail(std::string what, size_t lanes) -> Reg {
  Emit(OpCode::kFail, DataType::Void(), 0, Text(std::move(what)));
  return Temp(lanes);
}

void Compiler::BeginStatement(Stmt stmt) {
  place_ = {stmt.id(), {}, 0};
  temps_ = 0;
  memo_.clear();
  memo_log_.clear();
}

auto Compiler::RegOf(PrimExpr var) -> Reg {
  if (const auto known = regs_.find(var); known != regs_.end()) return known->second;
  const auto input = program_->input_regs.find(var);
  if (input != program_->input_regs.end()) return input->second;
  if (ever_defined_.contains(var)) program_->escaped.push_back(var);
  AddInput(var, terms_.var(var).name, {}, false);
  return program_->input_regs[var];
}

void Compiler::AddInput(PrimExpr var, StringId name, BufferId buffer, bool is_parameter) {
  program_->inputs.push_back({var, name, buffer, is_parameter});
  program_->input_regs.try_emplace(var, Kept(terms_.lanes(var)));
}

auto Compiler::Define(PrimExpr var) -> Reg {
  const Reg reg = Kept(std::max(terms_.lanes(var), 1));
  const auto hidden = regs_.find(var);
  defined_.emplace_back(var, hidden == regs_.end() ? std::nullopt : std::optional(hidden->second));
  regs_[var] = reg;
  return reg;
}

void Compiler::UndefineTo(size_t mark) {
  for (; defined_.size() > mark; defined_.pop_back()) {
    const auto& [var, hidden] = defined_.back();
    if (hidden)
      regs_[var] = *hidden;
    else
      regs_.erase(var);
  }
}

void Compiler::NoteDefinitions() {
  for (StmtId id(0U); id.value() < func_.size(); ++id) {
    const Stmt stmt = func_.stmt(id);
    if (const auto let = stmt.As<LetStmt>()) ever_defined_.insert(let->var());
    if (const auto loop = stmt.As<For>()) ever_defined_.insert(loop->loop_var());
    if (const auto allocate = stmt.As<Allocate>()) ever_defined_.insert(allocate->buffer_var());
    if (const auto allocate = stmt.As<AllocateConst>()) ever_defined_.insert(allocate->buffer_var());
    if (const auto attr = stmt.As<AttrStmt>(); attr && attr->launched_thread())
      ever_defined_.insert(tables_.iter_var(attr->node().iter_var()).var);
    if (const auto block = stmt.As<Block>()) {
      for (const BlockAxis& axis : block->axes()) ever_defined_.insert(axis.var);
      for (const BufferId buffer : block->alloc_buffers()) ever_defined_.insert(tables_.buffer(buffer).data);
    }
  }
}

void Compiler::AddParameters() {
  program_->packed = ReadPackedSignature(func_);
  if (program_->packed) return AddPackedParameters();
  const ParamBuffers buffers(func_);
  for (const PrimExpr param : func_.params()) {
    const BufferId buffer = buffers[param];
    if (!buffer) {
      AddInput(param, terms_.var(param).name, {}, true);
      continue;
    }
    const PrimExpr data = tables_.buffer(buffer).data;
    if (program_->input_regs.contains(data)) Fail("a function with two parameters for one memory");
    AddInput(data, tables_.buffer(buffer).name, buffer, true);
    // The handle itself, if it is used.
    const Reg reg = program_->input_regs[data];
    program_->input_regs.try_emplace(param, reg);
  }
  for (const BufferBinding& binding : func_.buffer_map()) {
    const Buffer& buffer = tables_.buffer(binding.buffer);
    std::vector<PrimExpr> fields = buffer.shape;
    fields.insert(fields.end(), buffer.strides.begin(), buffer.strides.end());
    fields.push_back(buffer.elem_offset);
    for (const PrimExpr field : fields) {
      for (const PrimExpr var : arith::FreeVars(terms_, field)) RegOf(var);
    }
  }
}

void Compiler::Finish() {
  const auto settle = [&](uint32_t& reg) {
    if ((reg & kKept) != 0) reg = max_temps_ + (reg & ~kKept);
  };
  const auto settle_all = [&](std::vector<Reg>& regs) {
    for (Reg& reg : regs) settle(reg);
  };
  for (Instr& instr : program_->code) {
    const OpFields fields = FieldsOf(instr.op);
    if (fields.dst) settle(instr.dst);
    if (fields.a) settle(instr.a);
    if (fields.b) settle(instr.b);
    if (fields.c) settle(instr.c);
  }
  for (CallSite& call : program_->calls) {
    settle(call.result);
    settle_all(call.args);
  }
  for (PackedCall& call : program_->packed_calls) {
    for (Reg* reg : {&call.result, &call.values, &call.codes}) settle(*reg);
    settle_all(call.args);
  }
  for (Launch& launch : program_->launches) {
    for (ThreadDim& dim : launch.dims) settle(dim.extent);
  }
  for (AllReduce& reduce : program_->reductions) {
    settle(reduce.condition);
    for (auto* regs : {&reduce.values, &reduce.results, &reduce.lhs, &reduce.rhs, &reduce.out, &reduce.identity})
      settle_all(*regs);
  }
  for (WarpCall& call : program_->warp_calls) {
    for (WarpOperand& operand : call.operands) {
      settle(operand.pointer);
      settle(operand.offset);
    }
  }
  for (auto& [var, reg] : program_->input_regs) settle(reg);
  for (auto& [var, reg] : program_->packed_regs) settle(reg);
  for (auto& [var, reg] : program_->loop_regs) settle(reg);
  program_->costs.assign(1, 0);
  for (const Instr& instr : program_->code)
    program_->costs.push_back(program_->costs.back() + std::max<size_t>(instr.type.lanes, 1));
  program_->frame.assign(max_temps_ + kept_, 0);
  for (auto [reg, word] : const_values_) {
    settle(reg);
    program_->frame[reg] = word;
  }
}

auto Compile(const Module& module, const PrimFunc& func, bool eager_selects) -> std::unique_ptr<Program> {
  return Compiler(module, func, eager_selects).Run();
}

}  // namespace relayopt::tir
