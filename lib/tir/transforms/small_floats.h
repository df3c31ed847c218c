// Floats that a target may not know: bfloat16 and those of 8 bits.
#pragma once

#include "relayopt/arith/prim_expr.h"

namespace relayopt::tir {

constexpr auto IsBFloat16(DataType type) -> bool { return type.code == TypeCode::kBFloat; }
constexpr auto IsFloat8(DataType type) -> bool { return type.code == TypeCode::kE4M3 || type.code == TypeCode::kE5M2; }

// Which floats a pass is about.
using IsSmallFloat = bool (*)(DataType type);

// The unsigned integers of as many bits and lanes.
constexpr auto BitsOf(DataType type) -> DataType { return {TypeCode::kUInt, type.bits, type.lanes}; }

// The bits of a value as another type of as many bits: itself where it has that type.
auto Reinterpret(arith::Terms& terms, DataType type, arith::PrimExpr value) -> arith::PrimExpr;

// A float as one of another format, by operations on its bits, rounded to nearest even. As TVM, infinities, NaNs and
// numbers below the smallest normal one become other numbers where the exponent has another number of bits.
auto ConvertBits(arith::Terms& terms, DataType type, arith::PrimExpr value) -> arith::PrimExpr;

}  // namespace relayopt::tir
