// Floats that a target may not know: bfloat16 and those of 8 bits.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/prim_expr.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

constexpr auto IsBFloat16(DataType type) -> bool { return type.code == TypeCode::kBFloat; }
constexpr auto IsFloat8(DataType type) -> bool { return type.code == TypeCode::kE4M3 || type.code == TypeCode::kE5M2; }

// The predicate for the float types that a pass treats.
using IsSmallFloat = bool (*)(DataType type);

// Returns the unsigned integers of as many bits and lanes.
constexpr auto BitsOf(DataType type) -> DataType { return {TypeCode::kUInt, type.bits, type.lanes}; }

// Rebuilds a term with `make(part)`, which is called once for each distinct part, operands before users, and finds the
// rebuilt operands in `made`.
template <typename Make>
auto MakeFromParts(const arith::Terms& terms, arith::PrimExpr root,
                   absl::flat_hash_map<arith::PrimExpr, arith::PrimExpr>& made, Make&& make) -> arith::PrimExpr {
  if (const auto known = made.find(root); known != made.end()) return known->second;
  for (const arith::PrimExpr part : arith::PostOrder(terms, root)) {
    if (made.contains(part)) continue;
    const arith::PrimExpr result = make(part);
    made[part] = result;
  }
  return made.at(root);
}

// Returns the bits of a value as another type of as many bits: itself where it has that type.
auto Reinterpret(arith::Terms& terms, DataType type, arith::PrimExpr value) -> arith::PrimExpr;

// Returns a float as one of another format, by operations on its bits: the same number, or the nearest one of that
// format, which is infinity, or NaN if there is none, for numbers that are too large. One of the formats has all
// numbers of the other.
auto ConvertBits(arith::Terms& terms, DataType type, arith::PrimExpr value) -> arith::PrimExpr;

}  // namespace relayopt::tir
