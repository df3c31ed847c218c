// Compiles the arguments of packed functions, packed calls, and accesses to the memory in which both are passed.
#include <algorithm>
#include <string>

#include "lib/tir/eval/compiler.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

void Compiler::AddPackedParameters() {
  for (const PrimExpr param : func_.params())
    program_->input_regs.try_emplace(param, Kept(std::max(terms_.lanes(param), 1)));
  const auto add = [&](PrimExpr var, StringId name, BufferId buffer, bool is_parameter) {
    if (!program_->packed_regs.try_emplace(var, 0).second) return;
    program_->packed_regs[var] = Kept(std::max(terms_.lanes(var), 1));
    program_->inputs.push_back({var, name, buffer, is_parameter});
  };
  for (const PackedArg& arg : program_->packed->args) {
    PrimExpr var = arg.data ? arg.data : arg.var;
    // A parameter that the function does not read is the resource handle; each further one gets a variable of its own,
    // so that the parameters keep their positions.
    if (!var) var = func_.params()[kResource];
    if (program_->packed_regs.contains(var)) var = func_.terms().Var("unread", arith::kHandleType);
    add(var, arg.buffer ? tables_.buffer(arg.buffer).name : terms_.var(var).name, arg.buffer, true);
  }
  for (const PackedArg& arg : program_->packed->args) {
    if (!arg.buffer) continue;
    const Buffer& buffer = tables_.buffer(arg.buffer);
    std::vector<PrimExpr> fields = buffer.shape;
    fields.insert(fields.end(), buffer.strides.begin(), buffer.strides.end());
    fields.push_back(buffer.elem_offset);
    for (const PrimExpr field : fields) {
      for (const PrimExpr var : arith::FreeVars(terms_, field)) add(var, terms_.var(var).name, {}, false);
    }
  }
}

auto Compiler::ComputeRuntimeCall(PrimExpr call, arith::IntrinsicId intrinsic) -> std::optional<Reg> {
  const auto args = terms_.operands(call);
  switch (intrinsic.index) {
    case "tir.tvm_call_packed"_intrin.index: return CallPacked(call, false, false);
    case "tir.tvm_call_packed_lowered"_intrin.index: return CallPacked(call, true, false);
    // The last operand is a resource handle.
    case "tir.tvm_call_cpacked"_intrin.index:
      return args.size() >= 2 ? std::optional(CallPacked(call, false, true)) : std::nullopt;
    case "tir.tvm_call_cpacked_lowered"_intrin.index:
      return args.size() == 6 ? std::optional(CallPacked(call, true, true)) : std::nullopt;
    case "tir.tvm_struct_get"_intrin.index: return Field(call, false);
    case "tir.tvm_struct_set"_intrin.index: return Field(call, true);
    case "tir.tvm_stack_make_shape"_intrin.index: return MakeShape(call);
    case "tir.tvm_stack_make_array"_intrin.index: return MakeArray(call);
    case "tir.tvm_stack_alloca"_intrin.index: return StackAlloca(call, false);
    case "tir.TVMBackendAllocWorkspace"_intrin.index:
      return EmitTo(OpCode::kScratch, DataType::UInt(8), Known(args[2]), kUntilFreed);
    case "tir.TVMBackendFreeWorkspace"_intrin.index:
      Emit(OpCode::kFreeScratch, DataType::Void(), 0, Known(args[2]));
      return ConstInt(0);
    case "tir.tvm_throw_last_error"_intrin.index:
      Emit(OpCode::kAssert, DataType::Bool(), 0, ConstInt(0), Text("a call of the runtime failed"));
      return ConstInt(0);
    case "tir.tvm_context_id"_intrin.index: return ConstInt(0);
    case "tir.tvm_thread_context"_intrin.index: return Known(args[0]);
    default: return std::nullopt;
  }
}

// (name, arguments..., [resource handle]) or, lowered, (name, values, codes, begin, end, [resource handle]).
auto Compiler::CallPacked(PrimExpr call, bool is_lowered, bool has_resource) -> Reg {
  const auto args = terms_.operands(call);
  const DataType type = terms_.dtype(call);
  const size_t lanes = std::max<size_t>(type.lanes, 1);
  if (terms_.kind(args[0]) != PrimKind::kStringImm) return Fail("a packed call of a function without a name", lanes);
  PackedCall made{.name = std::string(func_.context().text(terms_.string_value(args[0]))), .type = type};
  if (is_lowered) made.kind = PackedCall::Kind::kLowered;
  if (is_lowered) {
    const auto begin = terms_.AsInt(args[3]);
    const auto end = terms_.AsInt(args[4]);
    // As TVM, the resource handle is counted although it is not an argument.
    int64_t count = -1;
    const bool is_known = begin && end && !__builtin_sub_overflow(*end, *begin + (has_resource ? 1 : 0), &count);
    if (!is_known || count < 0 || count > INT32_MAX)
      return Fail("a packed call of an unknown number of arguments", lanes);
    made.count = static_cast<uint32_t>(count);
    made.values = EmitTo(OpCode::kAddress, DataType::Int(64), Known(args[1]), ConstInt(*begin));
    made.codes = EmitTo(OpCode::kAddress, DataType::Int(32), Known(args[2]), ConstInt(*begin));
  } else {
    AddArguments(made, args.subspan(1, args.size() - (has_resource ? 2 : 1)));
  }
  return EmitCall(std::move(made));
}

void Compiler::AddArguments(PackedCall& call, std::span<const PrimExpr> args) {
  for (const PrimExpr arg : args) {
    const bool is_text = terms_.kind(arg) == PrimKind::kStringImm;
    call.args.push_back(is_text ? ConstInt(0) : Known(arg));
    call.types.push_back(is_text ? DataType::Void() : terms_.dtype(arg));
    const bool is_address = IsCallOf(arg, "tir.tvm_struct_get"_intrin) &&
                            terms_.IsInt(terms_.operand(arg, 2), static_cast<int64_t>(StructField::kAddress));
    call.are_tensors.push_back(is_address || IsCallOf(arg, "tir.tvm_stack_make_array"_intrin));
  }
}

auto Compiler::EmitCall(PackedCall call) -> Reg {
  const Reg result = call.result = Temp(std::max<size_t>(call.type.lanes, 1));
  const DataType type = call.type;
  program_->packed_calls.push_back(std::move(call));
  Emit(OpCode::kCallPacked, type, 0, static_cast<uint32_t>(program_->packed_calls.size() - 1));
  return result;
}

auto Compiler::CallOutside(PrimExpr call, std::string_view name, size_t first) -> Reg {
  PackedCall made{.name = std::string(name), .type = terms_.dtype(call)};
  const bool is_pure = terms_.op(terms_.call_op(call)).effect <= arith::CallEffect::kPure;
  made.kind = is_pure ? PackedCall::Kind::kPureExtern : PackedCall::Kind::kExtern;
  AddArguments(made, terms_.operands(call).subspan(first));
  return EmitCall(std::move(made));
}

auto Compiler::Field(PrimExpr call, bool is_set) -> Reg {
  const auto args = terms_.operands(call);
  const auto field = terms_.AsInt(args[2]);
  if (!field || *field < 0 || !PlaceOfField(static_cast<uint32_t>(*field)))
    return Fail("a field that no struct has", std::max<size_t>(terms_.dtype(call).lanes, 1));
  const auto number = static_cast<uint32_t>(*field);
  if (!is_set) return EmitTo(OpCode::kStructGet, terms_.dtype(call), Known(args[0]), Known(args[1]), number);
  // Strings have no address.
  const bool is_text = terms_.kind(args[3]) == PrimKind::kStringImm;
  Emit(OpCode::kStructSet, terms_.dtype(args[3]), is_text ? ConstInt(0) : Known(args[3]), Known(args[0]),
       Known(args[1]), number);
  return ConstInt(0);
}

auto Compiler::MakeShape(PrimExpr call) -> Reg {
  const auto extents = terms_.operands(call);
  const DataType type = DataType::Int(64);
  const Reg shape = EmitTo(OpCode::kScratch, type, ConstInt(static_cast<int64_t>(extents.size())));
  for (size_t i = 0; i < extents.size(); ++i)
    Emit(OpCode::kStore, type, Known(extents[i]), shape, ConstInt(static_cast<int64_t>(i)), 1);
  return shape;
}

void Compiler::SetField(Reg structs, StructField field, DataType type, Reg value) {
  Emit(OpCode::kStructSet, type, value, structs, ConstInt(0), static_cast<uint32_t>(field));
}

// (data, shape, strides, rank, a value of the type, offset in elements).
auto Compiler::MakeArray(PrimExpr call) -> Reg {
  const auto args = terms_.operands(call);
  const DataType type = terms_.dtype(args[4]);
  const Reg array = EmitTo(OpCode::kScratch, DataType::UInt(8), ConstInt(kTensorBytes));
  const auto number = [&](StructField field, DataType of, int64_t value) {
    SetField(array, field, of, ConstInt(value));
  };
  SetField(array, StructField::kData, arith::kHandleType, Known(args[0]));
  SetField(array, StructField::kShape, arith::kHandleType, Known(args[1]));
  SetField(array, StructField::kStrides, arith::kHandleType, Known(args[2]));
  SetField(array, StructField::kNdim, DataType::Int(32), Known(args[3]));
  number(StructField::kTypeCode, DataType::UInt(8), static_cast<int64_t>(type.code));
  number(StructField::kTypeBits, DataType::UInt(8), type.bits);
  number(StructField::kTypeLanes, DataType::UInt(16), type.lanes);
  const auto bytes = static_cast<int64_t>(type.bytes());
  SetField(array, StructField::kByteOffset, DataType::UInt(64), Index(OpCode::kMul, Known(args[5]), ConstInt(bytes)));
  number(StructField::kDeviceId, DataType::Int(32), 0);
  number(StructField::kDeviceType, DataType::Int(32), device_type_);
  return array;
}

auto Compiler::StackAlloca(PrimExpr call, bool is_until_freed) -> Reg {
  const auto args = terms_.operands(call);
  const bool has_kind = args.size() == 2 && terms_.kind(args[0]) == PrimKind::kStringImm;
  const std::string_view kind = has_kind ? func_.context().text(terms_.string_value(args[0])) : "";
  const auto count = has_kind ? terms_.AsInt(args[1]) : std::nullopt;
  int64_t bytes = 0;
  if (kind == "shape" || kind == "arg_value") bytes = kValueBytes;
  if (kind == "arg_tcode") bytes = sizeof(int32_t);
  if (kind == "array") bytes = kTensorBytes;
  constexpr int64_t kMost = int64_t{1} << 40;
  if (bytes == 0 || !count || *count < 0 || *count > kMost)
    return Fail("memory on the stack for '" + std::string(kind) + "'");
  return EmitTo(OpCode::kScratch, DataType::UInt(8), ConstInt(bytes * *count), is_until_freed ? kUntilFreed : 0);
}

}  // namespace relayopt::tir
