// Compiles expressions.
#include <algorithm>
#include <utility>

#include "lib/tir/eval/compiler.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

auto CanCompute(DataType type) -> bool {
  if (arith::IsInteger(type)) return type.bits <= 64;
  if (arith::IsHandle(type)) return true;
  return type.code == TypeCode::kBFloat ? type.bits == 16 : type.is_float() && type.bits <= 64;
}

namespace {

auto OpOf(PrimKind kind) -> OpCode {
  return static_cast<OpCode>(static_cast<int>(OpCode::kAdd) +
                             (static_cast<int>(kind) - static_cast<int>(PrimKind::kAdd)));
}
static_assert(static_cast<int>(OpCode::kOr) - static_cast<int>(OpCode::kAdd) ==
              static_cast<int>(PrimKind::kOr) - static_cast<int>(PrimKind::kAdd));

// Whether a call has no effect on values and memory. Asynchronous copies are executed at once.
auto HasNoEffect(const arith::IntrinsicRow& row) -> bool {
  return row.role == arith::IntrinsicRole::kMarker || row.role == arith::IntrinsicRole::kAsyncGroup;
}

}  // namespace

auto Compiler::Value(PrimExpr root) -> Reg {
  const size_t bottom = expr_steps_.size();
  expr_steps_.push_back({root});
  while (expr_steps_.size() > bottom) {
    // A copy, because a step may push others and so move the vector.
    ExprStep step = expr_steps_.back();
    const size_t at = expr_steps_.size() - 1;
    if (step.next == 0 && IsReady(step.expr)) {
      expr_steps_.pop_back();
      continue;
    }
    const bool done = Advance(step);
    if (done)
      expr_steps_.pop_back();
    else
      expr_steps_[at] = step;
  }
  return Known(root);
}

auto Compiler::Advance(ExprStep& step) -> bool {
  const PrimExpr expr = step.expr;
  if (terms_.kind(expr) == PrimKind::kLet) return AdvanceLet(step);
  if (IsConditional(expr)) return AdvanceConditional(step);
  if (step.next++ == 0) {
    std::vector<PrimExpr> needs;
    Needs(expr, needs);
    const size_t before = expr_steps_.size();
    for (size_t i = needs.size(); i-- > 0;) {
      if (!IsReady(needs[i])) expr_steps_.push_back({needs[i]});
    }
    if (expr_steps_.size() != before) return false;
  }
  Remember(expr, Compute(expr));
  return true;
}

// Whether an expression evaluates operands conditionally: if_then_else, but also Select, `and` and `or`, because passes
// rely on the condition in their operands.
auto Compiler::IsConditional(PrimExpr expr) const -> bool {
  const PrimKind kind = terms_.kind(expr);
  if (terms_.IsCall(expr, terms_.ops().if_then_else)) return true;
  if (kind == PrimKind::kSelect && eager_selects_) return false;
  const bool chooses = kind == PrimKind::kSelect || kind == PrimKind::kAnd || kind == PrimKind::kOr;
  return chooses && terms_.lanes(terms_.operand(expr, 0)) == 1;
}

auto Compiler::AdvanceConditional(ExprStep& step) -> bool {
  const PrimExpr expr = step.expr;
  const DataType type = terms_.dtype(expr);
  const PrimKind kind = terms_.kind(expr);
  const bool is_or = kind == PrimKind::kOr;
  const bool has_arms = !is_or && kind != PrimKind::kAnd;
  switch (step.next++) {
    case 0: expr_steps_.push_back({terms_.operand(expr, 0)}); return false;
    case 1: {
      const Reg condition = Known(terms_.operand(expr, 0));
      step.reg = Temp(type.lanes);
      if (!has_arms) Emit(OpCode::kMove, type, step.reg, condition);
      step.jump = Emit(is_or ? OpCode::kJumpIfOne : OpCode::kJumpIfZero, type, 0, 0, condition);
      OpenScope();
      expr_steps_.push_back({terms_.operand(expr, 1)});
      return false;
    }
    case 2: {
      Emit(OpCode::kMove, type, step.reg, Known(terms_.operand(expr, 1)));
      CloseScope();
      const uint32_t end = has_arms ? Emit(OpCode::kJump, type, 0) : 0;
      JumpHere(step.jump);
      if (!has_arms) break;
      step.jump = end;
      OpenScope();
      expr_steps_.push_back({terms_.operand(expr, 2)});
      return false;
    }
    default:
      Emit(OpCode::kMove, type, step.reg, Known(terms_.operand(expr, 2)));
      CloseScope();
      JumpHere(step.jump);
      break;
  }
  Remember(expr, step.reg);
  return true;
}

auto Compiler::AdvanceLet(ExprStep& step) -> bool {
  const auto operands = terms_.operands(step.expr);
  switch (step.next++) {
    case 0: expr_steps_.push_back({operands[1]}); return false;
    case 1: {
      const Reg value = Known(operands[1]);
      step.jump = static_cast<uint32_t>(defined_.size());
      Emit(OpCode::kMove, terms_.dtype(operands[0]), Define(operands[0]), value);
      // The same term may have a different value inside of the body.
      hidden_.push_back(std::exchange(memo_, {}));
      OpenScope();
      expr_steps_.push_back({operands[2]});
      return false;
    }
    default: {
      const Reg result = Known(operands[2]);
      CloseScope();
      memo_ = std::move(hidden_.back());
      hidden_.pop_back();
      UndefineTo(step.jump);
      Remember(step.expr, result);
      return true;
    }
  }
}

void Compiler::OpenScope() { scopes_.push_back(memo_log_.size()); }

void Compiler::CloseScope() {
  for (; memo_log_.size() > scopes_.back(); memo_log_.pop_back()) {
    const auto& [expr, before] = memo_log_.back();
    if (before)
      memo_[expr] = *before;
    else
      memo_.erase(expr);
  }
  scopes_.pop_back();
}

auto Compiler::Remembered(PrimExpr expr) -> std::optional<Reg> {
  switch (terms_.kind(expr)) {
    case PrimKind::kVar:
    case PrimKind::kSizeVar: return RegOf(expr);
    case PrimKind::kIntImm: return ConstInt(terms_.int_value(expr));
    case PrimKind::kFloatImm:
      if (!CanCompute(terms_.dtype(expr))) return std::nullopt;
      return Const(std::bit_cast<uint64_t>(arith::RoundToType(terms_.dtype(expr), terms_.float_value(expr))));
    default: break;
  }
  const auto known = memo_.find(expr);
  return known == memo_.end() ? std::nullopt : std::optional(known->second);
}

auto Compiler::IsReady(PrimExpr expr) -> bool {
  return terms_.effect(expr) <= arith::CallEffect::kReadState && Remembered(expr).has_value();
}

void Compiler::Remember(PrimExpr expr, Reg reg) {
  const auto [entry, is_new] = memo_.try_emplace(expr, reg);
  memo_log_.emplace_back(expr, is_new ? std::nullopt : std::optional(entry->second));
  entry->second = reg;
}

auto Compiler::Known(PrimExpr expr) -> Reg {
  const auto reg = Remembered(expr);
  RELAYOPT_CHECK(reg.has_value(), "a term is computed before those that use it");
  return *reg;
}

void Compiler::Needs(PrimExpr expr, std::vector<PrimExpr>& terms) const {
  const auto operands = terms_.operands(expr);
  if (terms_.kind(expr) == PrimKind::kBufferLoad) {
    terms.assign(operands.begin(), operands.end());
    return PushAccessTerms(terms_.buffer(expr), terms);
  }
  if (terms_.kind(expr) != PrimKind::kCall) return terms.assign(operands.begin(), operands.end());
  const arith::IntrinsicRow* row = RowOf(expr);
  if (row != nullptr && HasNoEffect(*row)) return;
  const auto is = [row](arith::IntrinsicId intrinsic) { return row != nullptr && row->id() == intrinsic; };
  if (is("tir.address_of"_intrin) && terms_.kind(operands[0]) == PrimKind::kBufferLoad) {
    return Needs(operands[0], terms);
  }
  // The destination of a reduction is not read.
  const bool is_reduction = is("tir.tvm_thread_allreduce"_intrin) && operands.size() >= 2;
  const auto count = is_reduction ? static_cast<size_t>(terms_.AsInt(operands[0]).value_or(0)) : 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const PrimExpr operand = operands[i];
    // This operand is read only if the condition holds.
    if (is("tir.ptx_ldg32"_intrin) && i == 2) continue;
    if (is_reduction && i >= 2 + count && i < 2 + 2 * count && terms_.kind(operand) == PrimKind::kBufferLoad) continue;
    const bool is_text = terms_.kind(operand) == PrimKind::kStringImm;
    if (!is_text && !(is("tir.tvm_access_ptr"_intrin) && operand == operands[0])) terms.push_back(operand);
  }
}

auto Compiler::Compute(PrimExpr expr) -> Reg {
  const DataType type = terms_.dtype(expr);
  const auto operands = terms_.operands(expr);
  const PrimKind kind = terms_.kind(expr);
  if (kind == PrimKind::kStringImm) return Fail("a string that is not an argument");
  if (!type.is_void() && !CanCompute(type)) return Fail("a value of type " + ToString(type), type.lanes);
  if (arith::IsBinary(kind)) {
    const DataType of = terms_.dtype(operands[0]);
    return EmitTo(OpOf(kind), of, Known(operands[0]), Known(operands[1]));
  }
  switch (kind) {
    case PrimKind::kNot: return EmitTo(OpCode::kNot, type, Known(operands[0]));
    case PrimKind::kCast: {
      const DataType from = terms_.dtype(operands[0]);
      return EmitTo(OpCode::kCast, type, Known(operands[0]), 0, std::bit_cast<uint32_t>(from));
    }
    case PrimKind::kSelect: {
      const Reg condition = Widen(Known(operands[0]), terms_.lanes(operands[0]), type.lanes);
      return EmitTo(OpCode::kSelect, type, condition, Known(operands[1]), Known(operands[2]));
    }
    case PrimKind::kRamp: return EmitTo(OpCode::kRamp, type, Known(operands[0]), Known(operands[1]));
    case PrimKind::kBroadcast: return EmitTo(OpCode::kBroadcast, type, Known(operands[0]));
    case PrimKind::kBufferLoad: return Load(expr);
    case PrimKind::kShuffle: return ComputeShuffle(expr);
    case PrimKind::kCall: return ComputeCall(expr);
    default: return Fail("a term " + std::string(arith::KindName(kind)), type.lanes);
  }
}

auto Compiler::ComputeShuffle(PrimExpr shuffle) -> Reg {
  const auto operands = terms_.operands(shuffle);
  const auto vectors = operands.first(terms_.num_vectors(shuffle));
  size_t lanes = 0;
  for (const PrimExpr vector : vectors) lanes += static_cast<size_t>(terms_.lanes(vector));
  const Reg all = Temp(lanes);
  Reg next = all;
  for (const PrimExpr vector : vectors) {
    Emit(OpCode::kMove, terms_.dtype(vector), next, Known(vector));
    next += static_cast<Reg>(terms_.lanes(vector));
  }
  const DataType element = arith::ElementOf(terms_.dtype(shuffle));
  const auto indices = operands.subspan(vectors.size());
  const Reg result = Temp(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    Emit(OpCode::kPick, element, result + static_cast<Reg>(i), all, Known(indices[i]), static_cast<uint32_t>(lanes));
  }
  return result;
}

// The arguments are the operands of the call from `first` on, except the last `num_flags`.
auto Compiler::AddCall(CallSite site, OpCode op, PrimExpr call, size_t first, size_t num_flags) -> Reg {
  site.type = terms_.dtype(call);
  const auto operands = terms_.operands(call);
  for (const PrimExpr arg : operands.subspan(first, operands.size() - num_flags - first)) {
    if (terms_.kind(arg) == PrimKind::kStringImm) return Fail("a string as an argument", site.type.lanes);
    site.args.push_back(Known(arg));
    site.types.push_back(terms_.dtype(arg));
  }
  const Reg result = site.result = Temp(std::max<size_t>(site.type.lanes, 1));
  program_->calls.push_back(std::move(site));
  Emit(op, terms_.dtype(call), 0, static_cast<uint32_t>(program_->calls.size() - 1));
  return result;
}

auto Compiler::ComputeCall(PrimExpr call) -> Reg {
  const arith::CallOp& op = terms_.op(terms_.call_op(call));
  const std::string_view name = func_.context().text(op.name);
  if (op.kind == arith::CallOpKind::kGlobal) {
    const GlobalId callee = module_.FindGlobal(name);
    if (!callee || module_.function<PrimFunc>(callee) == nullptr) return Fail("a call of " + std::string(name));
    return AddCall({.callee = callee}, OpCode::kCall, call, 0);
  }
  const arith::IntrinsicRow* row = RowOf(call);
  if (row == nullptr) return Fail("a call of " + std::string(name), std::max<size_t>(terms_.dtype(call).lanes, 1));
  if (row->evaluate != nullptr) return AddIntrinsic(*row, call, 0);
  if (!row->arity().Accepts(terms_.num_operands(call))) return FailAtCount(*row, call, 0);
  return ComputeIntrinsic(call, *row);
}

auto Compiler::FailAtCount(const arith::IntrinsicRow& row, PrimExpr call, size_t first) -> Reg {
  const size_t count = terms_.num_operands(call) - std::min(first, terms_.num_operands(call));
  return Fail("a call of " + std::string(row.printed) + " with " + std::to_string(count) + " arguments",
              std::max<size_t>(terms_.dtype(call).lanes, 1));
}

// The operands of the intrinsic are those of the call from `first` on, except the last `num_flags`.
auto Compiler::AddIntrinsic(const arith::IntrinsicRow& row, PrimExpr call, size_t first, size_t num_flags) -> Reg {
  auto args = terms_.operands(call);
  if (args.size() < first + num_flags || !row.arity().Accepts(args.size() - first - num_flags))
    return FailAtCount(row, call, first);
  args = args.first(args.size() - num_flags);
  const size_t lanes = std::max<size_t>(terms_.dtype(call).lanes, 1);
  // Each lane of the result is computed from the same lane of all operands, except where vectors are put together.
  size_t total = 0;
  bool has_lanes = true;
  for (const PrimExpr arg : args.subspan(first)) {
    const auto of_arg = static_cast<size_t>(terms_.lanes(arg));
    total += of_arg;
    has_lanes = has_lanes && of_arg >= lanes;
  }
  if (row.id() == "tir.vectorcombine"_intrin) has_lanes = total == lanes;
  if (row.id() == "tir.reinterpret"_intrin) has_lanes = true;
  if (!has_lanes) return Fail("a call of " + std::string(row.printed) + " with operands of fewer lanes", lanes);
  return AddCall({.intrinsic = &row}, OpCode::kIntrinsic, call, first, num_flags);
}

auto Compiler::RowOf(PrimExpr call) const -> const arith::IntrinsicRow* {
  const arith::CallOp& op = terms_.op(terms_.call_op(call));
  return op.kind == arith::CallOpKind::kIntrinsic ? arith::FindIntrinsic(func_.context().text(op.name)) : nullptr;
}

auto Compiler::IsCallOf(PrimExpr expr, arith::IntrinsicId intrinsic) const -> bool {
  if (terms_.kind(expr) != PrimKind::kCall) return false;
  const arith::IntrinsicRow* row = RowOf(expr);
  return row != nullptr && row->id() == intrinsic;
}

auto Compiler::ComputeIntrinsic(PrimExpr call, const arith::IntrinsicRow& row) -> Reg {
  using enum arith::IntrinsicRole;
  switch (row.role) {
    case kMarker:
    case kAsyncGroup: return Widen(ConstInt(0), 1, std::max<size_t>(terms_.dtype(call).lanes, 1));
    case kShuffle: return ExchangeLanes(call, row);
    case kActiveMask: return ConstInt(UINT32_MAX);
    case kBarrier: return Barrier(call);
    case kOther: break;
  }
  const auto args = terms_.operands(call);
  const auto text = [&]() -> std::string_view {
    const bool is_text = !args.empty() && terms_.kind(args[0]) == PrimKind::kStringImm;
    return is_text ? func_.context().text(terms_.string_value(args[0])) : "";
  };
  switch (row.id().index) {
    case "tir.address_of"_intrin.index: return AddressOf(call);
    case "tir.assume"_intrin.index:
      if (terms_.lanes(args[0]) != 1) break;
      Emit(OpCode::kAssume, DataType::Bool(), 0, Known(args[0]));
      return Widen(ConstInt(0), 1, std::max<size_t>(terms_.dtype(call).lanes, 1));
    case "tir.tvm_access_ptr"_intrin.index:
      return EmitTo(OpCode::kAddress, terms_.dtype(args[0]), Known(args[1]), Known(args[2]));
    case "tir.atomic_add"_intrin.index: return AtomicAdd(call);
    case "tir.ret"_intrin.index: Emit(OpCode::kReturn, terms_.dtype(args[0]), 0, Known(args[0])); return Temp();
    case "tir.call_extern"_intrin.index:
    case "tir.call_pure_extern"_intrin.index: return ComputeExtern(call, text(), 1);
    case "tir.call_llvm_intrin"_intrin.index:
    case "tir.call_llvm_pure_intrin"_intrin.index: return ComputeExtern(call, text(), 2);
    case "tir.ptx_cp_async"_intrin.index: return CopyAsync(call);
    case "tir.dma_copy"_intrin.index: return CopyBytes(call);
    case "tir.call_spirv_pure_glsl450"_intrin.index: return ComputeGlsl(call);
    case "tir.ptx_ldg32"_intrin.index: return LoadWhere(call);
    case "tir.tvm_fill_fragment"_intrin.index: return FragmentCall(call, MatrixCall::kFill);
    case "tir.tvm_load_matrix_sync"_intrin.index: return FragmentCall(call, MatrixCall::kLoad);
    case "tir.tvm_store_matrix_sync"_intrin.index: return FragmentCall(call, MatrixCall::kStore);
    case "tir.tvm_mma_sync"_intrin.index: return FragmentCall(call, MatrixCall::kMultiply);
    case "tir.tvm_thread_allreduce"_intrin.index: return ReduceThreads(call);
    default: break;
  }
  if (const std::optional<Reg> made = ComputeWarpCall(call, row.id())) return *made;
  if (const std::optional<Reg> made = ComputeRuntimeCall(call, row.id())) return *made;
  return Fail("a call of " + std::string(row.name), std::max<size_t>(terms_.dtype(call).lanes, 1));
}

// (number, arguments...) of the instruction set GLSL.std.450.
auto Compiler::ComputeGlsl(PrimExpr call) -> Reg {
  constexpr int64_t kFindUMsb = 75;
  const int64_t number = terms_.AsInt(terms_.operand(call, 0)).value_or(0);
  if (terms_.num_operands(call) < 2) return Fail("an instruction of GLSL.std.450 without operands", terms_.lanes(call));
  const bool finds_bit = number == kFindUMsb && terms_.dtype(terms_.operand(call, 1)).bits == 32;
  const std::string_view name = finds_bit ? "tir.clz"_intrin.name() : GlslIntrinsic(number);
  if (name.empty()) return Fail("instruction " + std::to_string(number) + " of GLSL.std.450", terms_.lanes(call));
  const Reg value = AddIntrinsic(*arith::FindIntrinsic(name), call, 1);
  if (!finds_bit) return value;
  const auto lanes = static_cast<size_t>(terms_.lanes(call));
  return EmitTo(OpCode::kSub, terms_.dtype(call), Widen(ConstInt(31), 1, lanes), value);
}

// dma_copy(queue, to, from, bytes, bypasses the cache) is executed immediately.
auto Compiler::CopyBytes(PrimExpr call) -> Reg {
  const auto args = terms_.operands(call);
  CallSite site{.function = FindExtern("memcpy"), .type = DataType::Int(32)};
  for (size_t i = 1; i < 4; ++i) {
    site.args.push_back(Known(args[i]));
    site.types.push_back(terms_.dtype(args[i]));
  }
  const Reg result = site.result = Temp();
  program_->calls.push_back(std::move(site));
  Emit(OpCode::kExtern, DataType::Int(32), 0, static_cast<uint32_t>(program_->calls.size() - 1));
  return result;
}

auto Compiler::ComputeExtern(PrimExpr call, std::string_view name, size_t first) -> Reg {
  // Functions of the module come first: between devices of one kind they are called by name.
  if (const GlobalId callee = module_.FindGlobal(name); callee && module_.function<PrimFunc>(callee) != nullptr)
    return AddCall({.callee = callee}, OpCode::kCall, call, first);
  const ExternRow* row = FindExtern(name);
  if (row == nullptr) return CallOutside(call, name, first);
  if (row->intrinsic.empty()) return AddCall({.function = row}, OpCode::kExtern, call, first);
  return AddIntrinsic(*arith::FindIntrinsic(row->intrinsic), call, first, row->num_flags);
}

}  // namespace relayopt::tir
