// Compiles statements.
#include <algorithm>

#include "lib/tir/eval/compiler.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

void Compiler::CompileBody(Stmt body) {
  std::vector<StmtStep> steps;
  steps.push_back({.stmt = body});
  while (!steps.empty()) {
    StmtStep& step = steps.back();
    if (step.next == 0) step.mark = defined_.size();
    BeginStatement(step.stmt);
    const Next next = Visit(step);
    ++step.next;
    if (next) {
      steps.push_back({.stmt = step.stmt.part(*next)});
    } else {
      UndefineTo(step.mark);
      steps.pop_back();
    }
  }
}

auto Compiler::Visit(StmtStep& step) -> Next {
  const Stmt stmt = step.stmt;
  switch (stmt.kind()) {
    case StmtKind::kLet: return VisitLet(step, LetStmt(stmt));
    case StmtKind::kAttr: return VisitAttr(step, AttrStmt(stmt));
    case StmtKind::kAssert: {
      if (step.next != 0) return {};
      const Reg condition = Value(stmt.expr(0));
      const PrimExpr message = stmt.expr(1);
      const bool is_text = terms_.kind(message) == PrimKind::kStringImm;
      const std::string text(is_text ? func_.context().text(terms_.string_value(message)) : "");
      Emit(OpCode::kAssert, DataType::Bool(), 0, condition, Text(text));
      return 0;
    }
    case StmtKind::kStore: Store(BufferStore(stmt)); return {};
    case StmtKind::kRealize: return VisitRealize(step, BufferRealize(stmt));
    case StmtKind::kAllocate: return VisitAllocate(step, Allocate(stmt));
    case StmtKind::kAllocateConst: return VisitConst(step, AllocateConst(stmt));
    case StmtKind::kDeclBuffer: return step.next == 0 ? Next(0) : Next();
    case StmtKind::kSeq: return step.next < stmt.num_parts() ? Next(step.next) : Next();
    case StmtKind::kEvaluate:
      // A string or a literal has no effect.
      if (terms_.kind(stmt.expr(0)) != PrimKind::kStringImm) Value(stmt.expr(0));
      return {};
    case StmtKind::kIf: return VisitIf(step, IfThenElse(stmt));
    case StmtKind::kFor: return VisitFor(step, For(stmt));
    case StmtKind::kWhile: return VisitWhile(step, While(stmt));
    case StmtKind::kPrefetch: return {};
    case StmtKind::kBlock: return VisitBlock(step, Block(stmt));
    case StmtKind::kBlockRealize: return VisitBlockRealize(step, BlockRealize(stmt));
  }
  return {};
}

auto Compiler::VisitLet(StmtStep& step, LetStmt let) -> Next {
  if (step.next != 0) {
    if (step.flag) Emit(OpCode::kFreeScratch, DataType::Void(), 0, step.reg);
    return {};
  }
  // Memory on the stack lives as long as the variable.
  step.flag = terms_.IsCall(let.value(), stack_alloca_);
  const Reg value = step.flag ? StackAlloca(let.value(), true) : Value(let.value());
  step.reg = Define(let.var());
  Emit(OpCode::kMove, terms_.dtype(let.value()), step.reg, value);
  return 0;
}

auto Compiler::VisitIf(StmtStep& step, IfThenElse branch) -> Next {
  if (step.next == 0) {
    step.jump = Emit(OpCode::kJumpIfZero, DataType::Bool(), 0, 0, Value(branch.condition()));
    return 0;
  }
  if (step.next == 1 && branch.has_else()) {
    const uint32_t end = Emit(OpCode::kJump, DataType::Void(), 0);
    JumpHere(step.jump);
    step.jump = end;
    return 1;
  }
  JumpHere(step.jump);
  return {};
}

auto Compiler::VisitFor(StmtStep& step, For loop) -> Next {
  if (loop.for_kind() == ForKind::kThreadBinding && loop.thread_binding()) {
    const StringId tag = tables_.iter_var(loop.thread_binding()).thread_tag;
    return VisitThread(step, loop.loop_var(), func_.context().text(tag), loop.min(), loop.extent());
  }
  const DataType type = terms_.dtype(loop.loop_var());
  const bool is_parallel = loop.for_kind() == ForKind::kParallel;
  if (step.next == 0) {
    const Reg min = Value(loop.min());
    const Reg extent = Value(loop.extent());
    const Reg var = Define(loop.loop_var());
    program_->loop_regs[loop.loop_var()] = var;
    step.reg = Kept();
    Emit(OpCode::kMove, type, var, min);
    Emit(OpCode::kAdd, DataType::Int(64), step.reg, min, extent);
    if (is_parallel) Emit(OpCode::kBeginParallel, type, 0);
    const Reg is_empty = EmitTo(OpCode::kGE, DataType::Int(64), min, step.reg);
    step.jump = Emit(OpCode::kJumpIfOne, type, 0, 0, is_empty);
    step.begin = Here();
    return 0;
  }
  Emit(is_parallel ? OpCode::kForEach : OpCode::kLoop, type, RegOf(loop.loop_var()), step.begin, step.reg);
  JumpHere(step.jump);
  if (is_parallel) Emit(OpCode::kEndParallel, type, 0);
  return {};
}

auto Compiler::VisitWhile(StmtStep& step, While loop) -> Next {
  if (step.next == 0) {
    step.begin = Here();
    const Reg condition = Value(loop.condition());
    step.jump = Emit(OpCode::kJumpIfZero, DataType::Bool(), 0, 0, condition);
    return 0;
  }
  Emit(OpCode::kJump, DataType::Void(), 0, step.begin);
  JumpHere(step.jump);
  return {};
}

void Compiler::AllocateMemory(PrimExpr var, DataType type, Reg count, std::string_view scope) {
  Sharing sharing = Sharing::kThread;
  if (in_launch_ && scope.starts_with("shared")) sharing = Sharing::kBlock;
  if (in_launch_ && scope == "warp") sharing = Sharing::kWarp;
  place_.buffer = {};
  Emit(OpCode::kAllocate, arith::ElementOf(type), Define(var), count, static_cast<uint32_t>(sharing),
       num_allocations_++);
}

auto Compiler::IsUsedByThreads(PrimExpr var) -> bool {
  if (!used_by_threads_) {
    used_by_threads_.emplace();
    size_t launches = 0;
    const auto is_launch = [](Stmt stmt) {
      const auto attr = stmt.As<AttrStmt>();
      const auto loop = stmt.As<For>();
      return (attr && attr->launched_thread()) || (loop && loop->for_kind() == ForKind::kThreadBinding);
    };
    Walk(
        func_.body(),
        [&](Stmt stmt) {
          launches += is_launch(stmt) ? 1 : 0;
          if (launches == 0) return true;
          const auto use = [&](BufferId buffer) { used_by_threads_->insert(tables_.buffer(buffer).data); };
          if (const auto store = stmt.As<BufferStore>()) use(store->buffer());
          for (const PrimExpr term : arith::PostOrder(terms_, stmt.exprs())) {
            if (terms_.is_var(term)) used_by_threads_->insert(term);
            if (terms_.kind(term) == PrimKind::kBufferLoad) use(terms_.buffer(term));
          }
          return true;
        },
        [&](Stmt stmt) { launches -= is_launch(stmt) ? 1 : 0; });
  }
  return used_by_threads_->contains(var);
}

auto Compiler::VisitAllocate(StmtStep& step, Allocate allocate) -> Next {
  if (step.next == 0) {
    Reg count = ConstInt(allocate.dtype().lanes);
    for (const PrimExpr extent : allocate.extents()) count = Index(OpCode::kMul, count, Value(extent));
    const std::string_view scope = ScopeOf(terms_, func_.context(), allocate.buffer_var());
    const bool is_of_threads = scope.starts_with("local") || scope == "warp";
    if (!in_launch_ && is_of_threads && IsUsedByThreads(allocate.buffer_var())) {
      Fail("memory of threads that is allocated outside of their launch");
    }
    AllocateMemory(allocate.buffer_var(), allocate.dtype(), count, scope);
    return 0;
  }
  Emit(OpCode::kFree, DataType::Void(), 0);
  return {};
}

auto Compiler::VisitConst(StmtStep& step, AllocateConst allocate) -> Next {
  if (step.next != 0) return {};
  if (!allocate.data()) {
    Fail("a constant that is among those of the module");
    Define(allocate.buffer_var());
    return 0;
  }
  program_->constants.push_back(allocate.data());
  const auto number = static_cast<uint32_t>(program_->constants.size() - 1);
  Emit(OpCode::kConstant, allocate.dtype(), Define(allocate.buffer_var()), number);
  return 0;
}

auto Compiler::VisitAttr(StmtStep& step, AttrStmt attr) -> Next {
  const std::string_view key = attr.key_text();
  const AttrNode node = attr.node();
  if (const IterVarId thread = attr.launched_thread()) {
    const IterVar& iter = tables_.iter_var(thread);
    return VisitThread(step, iter.var, func_.context().text(iter.thread_tag), {}, attr.value());
  }
  if (step.next == 0) {
    if (key == "device_type") device_type_ = terms_.AsInt(attr.value()).value_or(device_type_);
    if (key == "reduce_scope" && node.reducer()) reducers_.push_back(node.reducer());
    if (key == "realize_scope" && node.buffer() && terms_.kind(attr.value()) == PrimKind::kStringImm)
      realize_scopes_[node.buffer()] = func_.context().text(terms_.string_value(attr.value()));
    if (key == "buffer_bind_scope") Fail("attribute buffer_bind_scope");
    return 0;
  }
  if (key == "reduce_scope" && node.reducer()) reducers_.pop_back();
  return {};
}

auto Compiler::VisitRealize(StmtStep& step, BufferRealize realize) -> Next {
  const BufferId id = realize.buffer();
  // A parameter has its memory already.
  const auto is_it = [&](const BufferBinding& binding) { return binding.buffer == id; };
  if (std::ranges::any_of(func_.buffer_map(), is_it)) return step.next == 0 ? Next(0) : Next();
  if (step.next == 0) {
    std::vector<Reg> bounds;
    const DataType type = tables_.buffer(id).dtype;
    Reg count = ConstInt(type.lanes);
    for (size_t i = 0; i < realize.bounds().size(); ++i) {
      const Reg value = Value(realize.bounds()[i]);
      bounds.push_back(Kept());
      Emit(OpCode::kMove, DataType::Int(64), bounds.back(), value);
      if (i % 2 == 1) count = Index(OpCode::kMul, count, value);
    }
    const auto scope = realize_scopes_.find(id);
    AllocateMemory(tables_.buffer(id).data, type, count,
                   scope != realize_scopes_.end() ? scope->second : tables_.Scope(id));
    step.flag = realized_.insert_or_assign(id, std::move(bounds)).second;
    return 0;
  }
  if (step.flag) realized_.erase(id);
  Emit(OpCode::kFree, DataType::Void(), 0);
  return {};
}

auto Compiler::VisitBlockRealize(StmtStep& step, BlockRealize realize) -> Next {
  if (step.next != 0) {
    if (step.flag) JumpHere(step.jump);
    return {};
  }
  step.flag = !terms_.IsInt(realize.predicate(), 1);
  if (step.flag) step.jump = Emit(OpCode::kJumpIfZero, DataType::Bool(), 0, 0, Value(realize.predicate()));
  const Block block = realize.block();
  const auto values = MapToVector<Reg>(realize.values(), [&](PrimExpr value) { return Value(value); });
  for (size_t i = 0; i < values.size(); ++i) {
    const PrimExpr var = block.axes()[i].var;
    const Reg min = Value(block.axis_min(i));
    const Reg extent = Value(block.axis_extent(i));
    place_.axis = static_cast<uint32_t>(i);
    Emit(OpCode::kCheckDomain, terms_.dtype(var), 0, values[i], min, extent);
    const Reg reg = Define(var);
    program_->loop_regs[var] = reg;
    Emit(OpCode::kMove, terms_.dtype(var), reg, values[i]);
  }
  return 0;
}

auto Compiler::VisitBlock(StmtStep& step, Block block) -> Next {
  // Parts are [init,] body; a block without init begins with its body.
  const size_t stage = step.next + (block.has_init() ? 0 : 1);
  if (step.next == 0) {
    for (const BufferId id : block.alloc_buffers()) {
      const Buffer& buffer = tables_.buffer(id);
      AllocateMemory(buffer.data, buffer.dtype, CountElements(buffer), tables_.Scope(id));
    }
    for (const BlockMatch& match : block.match_buffers()) BindMatch(block, match);
    if (stage == 1) return 0;
    // Whether this is the first iteration of all reduction axes.
    Reg is_first = ConstInt(1);
    for (size_t i = 0; i < block.axes().size(); ++i) {
      if (block.axes()[i].type != IterType::kCommReduce) continue;
      const Reg equal = Index(OpCode::kEQ, RegOf(block.axes()[i].var), Value(block.axis_min(i)));
      is_first = EmitTo(OpCode::kAnd, DataType::Bool(), is_first, equal);
    }
    step.jump = Emit(OpCode::kJumpIfZero, DataType::Bool(), 0, 0, is_first);
    return 0;
  }
  if (stage == 1) {
    JumpHere(step.jump);
    return 1;
  }
  for (size_t i = 0; i < block.alloc_buffers().size(); ++i) Emit(OpCode::kFree, DataType::Void(), 0);
  for (const BlockMatch& match : block.match_buffers()) views_.erase(match.buffer);
  return {};
}

void Compiler::BindMatch(const Block& block, const BlockMatch& match) {
  const Bounds bounds = block.bounds(match.source);
  const Buffer& target = tables_.buffer(match.buffer);
  const Buffer& source = tables_.buffer(match.source.buffer);
  View view{match.source.buffer, {}};
  std::vector<PrimExpr> needs;
  PushAccessTerms(match.source.buffer, needs);
  for (const PrimExpr term : needs) Value(term);
  const auto keep = [&](Reg value) {
    const Reg reg = Kept();
    Emit(OpCode::kMove, DataType::Int(64), reg, value);
    return reg;
  };
  for (size_t i = 0; i < match.source.ndim; ++i) view.mins.push_back(keep(Value(bounds[2 * i])));
  const Access access = Locate(match.source.buffer, view.mins, 1, false);
  const auto bind = [&](PrimExpr var, Reg value) {
    if (!terms_.is_var(var) || IsDefined(var)) return;
    Emit(OpCode::kMove, DataType::Int(64), Define(var), value);
  };
  // When the offset is a variable to be bound, the pointer stays that of the source; otherwise it is moved.
  const bool binds_offset = terms_.is_var(target.elem_offset);
  bind(target.data,
       binds_offset ? access.pointer : EmitTo(OpCode::kAddress, target.dtype, access.pointer, access.index));
  bind(target.elem_offset, access.index);
  const size_t skipped = match.source.ndim - target.ndim();
  for (size_t i = 0; i < target.ndim(); ++i) bind(target.shape[i], Value(bounds[2 * (skipped + i) + 1]));
  Reg compact = ConstInt(1);
  for (size_t i = target.strides.size(); i-- > 0;) {
    bind(target.strides[i], source.strides.empty() ? compact : Value(source.strides[skipped + i]));
    if (source.strides.empty()) compact = Index(OpCode::kMul, compact, Value(source.shape[skipped + i]));
  }
  views_[match.buffer] = std::move(view);
}

}  // namespace relayopt::tir
