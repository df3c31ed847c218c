// Computes operations on values, lane by lane.
#include "lib/tir/eval/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

auto Real(uint64_t word) -> double { return std::bit_cast<double>(word); }

auto OperateReal(OpCode op, double a, double b) -> double {
  switch (op) {
    case OpCode::kAdd: return a + b;
    case OpCode::kSub: return a - b;
    case OpCode::kMul: return a * b;
    case OpCode::kDiv: return a / b;
    case OpCode::kMod: return std::fmod(a, b);
    case OpCode::kFloorDiv: return std::floor(a / b);
    case OpCode::kFloorMod: {
      const double rest = std::fmod(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    // As generated code does: if one operand is NaN, the result is the second.
    case OpCode::kMin: return a < b ? a : b;
    default: return a > b ? a : b;
  }
}

// Signed arithmetic that detects overflow in types of indices.
auto OperateSigned(OpCode op, DataType type, int64_t a, int64_t b, Arith& what) -> int64_t {
  int64_t result = 0;
  bool overflows = false;
  switch (op) {
    case OpCode::kAdd: overflows = __builtin_add_overflow(a, b, &result); break;
    case OpCode::kSub: overflows = __builtin_sub_overflow(a, b, &result); break;
    case OpCode::kMul: overflows = __builtin_mul_overflow(a, b, &result); break;
    case OpCode::kMin: return std::min(a, b);
    case OpCode::kMax: return std::max(a, b);
    default:
      if (b == 0) {
        what = Arith::kDivisionByZero;
        return 0;
      }
      if (op == OpCode::kDiv) result = arith::TruncDivInt(a, b);
      if (op == OpCode::kMod) result = arith::TruncModInt(a, b);
      if (op == OpCode::kFloorDiv) result = arith::FloorDivInt(a, b);
      if (op == OpCode::kFloorMod) result = arith::FloorModInt(a, b);
      break;
  }
  const int64_t wrapped = arith::WrapToType(arith::ElementOf(type), result);
  if ((overflows || wrapped != result) && type.bits >= 32 && what == Arith::kFine) what = Arith::kOverflow;
  return wrapped;
}

auto OperateUnsigned(OpCode op, uint64_t a, uint64_t b, Arith& what) -> uint64_t {
  switch (op) {
    case OpCode::kAdd: return a + b;
    case OpCode::kSub: return a - b;
    case OpCode::kMul: return a * b;
    case OpCode::kMin: return std::min(a, b);
    case OpCode::kMax: return std::max(a, b);
    default: break;
  }
  if (b == 0) {
    what = Arith::kDivisionByZero;
    return 0;
  }
  return op == OpCode::kDiv || op == OpCode::kFloorDiv ? a / b : a % b;
}

template <typename T>
auto CompareAs(OpCode op, T a, T b) -> bool {
  switch (op) {
    case OpCode::kEQ: return a == b;
    case OpCode::kNE: return a != b;
    case OpCode::kLT: return a < b;
    case OpCode::kLE: return a <= b;
    case OpCode::kGT: return a > b;
    default: return a >= b;
  }
}

}  // namespace

auto Operate(OpCode op, DataType type, uint64_t* dst, const uint64_t* a, const uint64_t* b) -> Arith {
  Arith what = Arith::kFine;
  for (size_t i = 0; i < type.lanes; ++i) {
    if (type.is_float()) {
      dst[i] = std::bit_cast<uint64_t>(arith::RoundToType(type, OperateReal(op, Real(a[i]), Real(b[i]))));
    } else if (type.is_int()) {
      dst[i] =
          static_cast<uint64_t>(OperateSigned(op, type, static_cast<int64_t>(a[i]), static_cast<int64_t>(b[i]), what));
    } else {
      const uint64_t result = OperateUnsigned(op, a[i], b[i], what);
      dst[i] = static_cast<uint64_t>(arith::WrapToType(arith::ElementOf(type), static_cast<int64_t>(result)));
    }
  }
  return what;
}

void Compare(OpCode op, DataType type, uint64_t* dst, const uint64_t* a, const uint64_t* b) {
  for (size_t i = 0; i < type.lanes; ++i) {
    if (type.is_float())
      dst[i] = CompareAs(op, Real(a[i]), Real(b[i])) ? 1 : 0;
    else if (type.is_int())
      dst[i] = CompareAs(op, static_cast<int64_t>(a[i]), static_cast<int64_t>(b[i])) ? 1 : 0;
    else
      dst[i] = CompareAs(op, a[i], b[i]) ? 1 : 0;
  }
}

auto Cast(DataType to, DataType from, uint64_t* dst, const uint64_t* a) -> Arith {
  Arith what = Arith::kFine;
  for (size_t i = 0; i < to.lanes; ++i) {
    if (from.is_float() && to.is_float()) {
      dst[i] = std::bit_cast<uint64_t>(arith::RoundToType(to, Real(a[i])));
    } else if (to.is_float()) {
      // Rounded once, also from 64-bit integers to float32.
      const auto as = [&](auto number) {
        const double rounded = to.bits == 64 ? static_cast<double>(number) : static_cast<float>(number);
        return std::bit_cast<uint64_t>(arith::RoundToType(to, rounded));
      };
      dst[i] = from.is_int() ? as(static_cast<int64_t>(a[i])) : as(a[i]);
    } else if (from.is_float() && arith::IsBool(to)) {
      dst[i] = Real(a[i]) != 0 ? 1 : 0;
    } else if (from.is_float()) {
      const double number = std::trunc(Real(a[i]));
      const bool fits = number >= -0x1p63 && number < (to.is_uint() ? 0x1p64 : 0x1p63);
      const bool is_large = fits && number >= 0x1p63;
      const uint64_t word = !fits      ? 0
                            : is_large ? static_cast<uint64_t>(number)
                                       : static_cast<uint64_t>(static_cast<int64_t>(number));
      dst[i] = static_cast<uint64_t>(arith::WrapToType(arith::ElementOf(to), static_cast<int64_t>(word)));
      if (!fits || dst[i] != word) what = Arith::kOverflow;
    } else if (arith::IsBool(to)) {
      dst[i] = a[i] != 0 ? 1 : 0;
    } else if (arith::IsHandle(to)) {
      dst[i] = a[i];
    } else {
      dst[i] = static_cast<uint64_t>(arith::WrapToType(arith::ElementOf(to), static_cast<int64_t>(a[i])));
    }
  }
  return what;
}

}  // namespace relayopt::tir
