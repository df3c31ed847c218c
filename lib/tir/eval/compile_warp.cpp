// Compiles calls of the matrix instructions of PTX.
#include <string>

#include "lib/tir/eval/compiler.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

auto Compiler::ComputeWarpCall(PrimExpr call, arith::IntrinsicId intrinsic) -> std::optional<Reg> {
  switch (intrinsic.index) {
    case "tir.ptx_mma"_intrin.index: return MultiplyMatrices(call, false);
    case "tir.ptx_mma_sp"_intrin.index: return MultiplyMatrices(call, true);
    case "tir.ptx_ldmatrix"_intrin.index: return LoadMatrices(call);
    case "tir.mma_store"_intrin.index: return StoreMatrix(call);
    case "tir.mma_fill"_intrin.index: return FillMatrix(call);
    default: return std::nullopt;
  }
}

auto Compiler::AddOperand(WarpCall& call, PrimExpr pointer, PrimExpr offset) -> bool {
  const DataType type = ElementOfPointer(pointer);
  call.operands.push_back({Known(pointer), Known(offset), type});
  return type.lanes == 1 && type.bytes() != 0 && CanCompute(type);
}

auto Compiler::EmitWarp(WarpCall call) -> Reg {
  program_->warp_calls.push_back(std::move(call));
  Emit(OpCode::kWarp, DataType::Void(), 0, static_cast<uint32_t>(program_->warp_calls.size() - 1));
  return ConstInt(0);
}

// (shape, layout of a, of b, type of a, of b, of c, a, offset, b, offset, c, offset, saturate[, bits]), or with
// (metadata, offset, selector) before saturate.
auto Compiler::MultiplyMatrices(PrimExpr call, bool is_sparse) -> Reg {
  const auto args = terms_.operands(call);
  const auto text = [&](size_t i) -> std::string_view {
    const bool is_text = i < args.size() && terms_.kind(args[i]) == PrimKind::kStringImm;
    return is_text ? func_.context().text(terms_.string_value(args[i])) : "";
  };
  const auto saturates = terms_.AsInt(args[is_sparse ? 15 : 12]);
  const MmaNames names{text(0), text(1), text(2), text(3), text(4), text(5), is_sparse ? "" : text(13)};
  std::optional<Mma> mma = saturates ? FindMma(names, is_sparse, *saturates != 0) : std::nullopt;
  if (mma && is_sparse) {
    const int64_t selector = terms_.AsInt(args[14]).value_or(-1);
    if (selector < 0 || selector >= (mma->k == 32 ? 2 : 4)) mma.reset();
    if (mma) mma->selector = static_cast<int>(selector);
  }
  if (!mma) {
    std::string what = std::string("a ") + (is_sparse ? "sparse " : "") + "matrix instruction " +
                       std::string(names.shape) + "." + std::string(names.a_layout) + "." +
                       std::string(names.b_layout) + " of " + std::string(names.a) + ", " + std::string(names.b) +
                       " and " + std::string(names.c);
    return Fail(std::move(what));
  }
  WarpCall made{.kind = WarpCall::Kind::kMultiply, .mma = *mma};
  for (size_t i = 6; i < (is_sparse ? 14 : 12); i += 2) {
    if (!AddOperand(made, args[i], args[i + 1])) return Fail("a matrix in memory without a type");
  }
  if (made.operands[2].type.bits != mma->c.bits) return Fail("a product in memory of another type");
  return EmitWarp(std::move(made));
}

// (transposes, number of matrices, type, registers, offset, rows, offset).
auto Compiler::LoadMatrices(PrimExpr call) -> Reg {
  const auto args = terms_.operands(call);
  const auto transposes = terms_.AsInt(args[0]);
  const int64_t count = terms_.AsInt(args[1]).value_or(0);
  const bool is_text = terms_.kind(args[2]) == PrimKind::kStringImm;
  const std::string_view type = is_text ? func_.context().text(terms_.string_value(args[2])) : "";
  if (!transposes || (count != 1 && count != 2 && count != 4) || type != ".b16")
    return Fail("a load of " + std::to_string(count) + " matrices of type '" + std::string(type) + "'");
  WarpCall made{.kind = WarpCall::Kind::kLoad, .count = static_cast<int>(count), .is_transposed = *transposes != 0};
  const bool is_typed = AddOperand(made, args[3], args[4]) && AddOperand(made, args[5], args[6]);
  if (!is_typed) return Fail("a matrix in memory without a type");
  if (made.is_transposed && terms_.dtype(call).bits == 8) {
    made.kind = WarpCall::Kind::kLoadBytes;
    const bool has_bytes = made.operands[0].type.bits == 8 && made.operands[1].type.bits == 8;
    if (count != 4 || !has_bytes) return Fail("a transposing load of other than 4 matrices of bytes");
  }
  return EmitWarp(std::move(made));
}

// (rows, columns, memory, registers, offset, stride of a row).
auto Compiler::StoreMatrix(PrimExpr call) -> Reg {
  const auto args = terms_.operands(call);
  const DataType type = terms_.dtype(call);
  if (!terms_.IsInt(args[0], 16) || !terms_.IsInt(args[1], 16))
    return Fail("a store of a matrix of other than 16 x 16");
  WarpCall made{.kind = WarpCall::Kind::kStore, .mma = {.m = 16, .n = 8, .k = 8, .a = type, .c = type}};
  const bool is_typed = AddOperand(made, args[3], args[4]) && AddOperand(made, args[2], args[5]);
  const bool fits = is_typed && type.lanes == 1 && made.operands[0].type == type && made.operands[1].type == type;
  if (!fits) return Fail("a store of a matrix of another type");
  return EmitWarp(std::move(made));
}

// (count, registers, offset): each thread fills its own registers with zeros.
auto Compiler::FillMatrix(PrimExpr call) -> Reg {
  const auto args = terms_.operands(call);
  const int64_t count = terms_.AsInt(args[0]).value_or(0);
  const DataType type = ElementOfPointer(args[1]);
  constexpr int64_t kMost = 1 << 12;
  if (count < 1 || count > kMost || type.lanes != 1 || !CanCompute(type) || type.bytes() == 0)
    return Fail("a fill of " + std::to_string(count) + " elements of type " + ToString(type));
  const DataType all = {type.code, type.bits, static_cast<uint16_t>(count)};
  const Reg to = EmitTo(OpCode::kAddress, type, Known(args[1]), Known(args[2]));
  Emit(OpCode::kStore, all, Widen(ConstInt(0), 1, static_cast<size_t>(count)), to, ConstInt(0), all.lanes);
  return ConstInt(0);
}

}  // namespace relayopt::tir
