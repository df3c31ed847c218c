// Operations on values, lane by lane.
#pragma once

#include "lib/tir/eval/program.h"

namespace relayopt::tir {

// The status of a result.
enum class Arith : uint8_t {
  kFine,
  kOverflow,        // of int32 or int64, or of a float cast to an integer; the result wraps or is 0
  kDivisionByZero,  // of integers; there is no result
};

// kAdd to kMax: `type` is that of operands and result, words of which dst has as many as there are lanes.
auto Operate(OpCode op, DataType type, uint64_t* dst, const uint64_t* a, const uint64_t* b) -> Arith;
// kEQ to kGE, of operands of the type.
void Compare(OpCode op, DataType type, uint64_t* dst, const uint64_t* a, const uint64_t* b);
auto Cast(DataType to, DataType from, uint64_t* dst, const uint64_t* a) -> Arith;

}  // namespace relayopt::tir
