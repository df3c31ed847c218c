// Converts floats by operations on their bits.
#include "lib/tir/transforms/utils/small_floats.h"

#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/support/check.h"

namespace relayopt::tir {

using arith::PrimExpr;
using arith::Terms;

namespace {

struct FloatFormat {
  int exponent;
  int mantissa;
  int bias;
};

auto FormatOf(DataType type) -> FloatFormat {
  switch (type.code) {
    case TypeCode::kBFloat: return {8, 7, 127};
    case TypeCode::kE4M3: return {4, 3, 7};
    case TypeCode::kE5M2: return {5, 2, 15};
    default: break;
  }
  RELAYOPT_CHECK(type.code == TypeCode::kFloat, "a float format");
  if (type.bits == 16) return {5, 10, 15};
  if (type.bits == 32) return {8, 23, 127};
  return {11, 52, 1023};
}

}  // namespace

auto Reinterpret(Terms& terms, DataType type, PrimExpr value) -> PrimExpr {
  if (terms.dtype(value) == type) return value;
  return terms.Call(type, terms.Intrinsic("tir.reinterpret"_intrin), {value});
}

auto ConvertBits(Terms& terms, DataType type, PrimExpr value) -> PrimExpr {
  const FloatFormat from = FormatOf(terms.dtype(value));
  const FloatFormat to = FormatOf(type);
  const DataType wide = BitsOf(type);
  const int bias = to.bias - from.bias;
  const int shrink = from.mantissa - to.mantissa;
  const auto constant = [&](PrimExpr like, int64_t c) { return arith::MakeConst(terms, terms.dtype(like), c); };
  const auto left = [&](PrimExpr e, int bits) { return arith::ShiftLeft(terms, e, constant(e, bits)); };
  const auto right = [&](PrimExpr e, int bits) { return arith::ShiftRight(terms, e, constant(e, bits)); };
  const auto widen = [&](PrimExpr e) { return arith::CastTo(terms, wide, e); };

  PrimExpr bits = Reinterpret(terms, BitsOf(terms.dtype(value)), value);
  if (shrink > 0) {
    const PrimExpr odd = arith::BitwiseAnd(terms, right(bits, shrink), constant(bits, 1));
    const PrimExpr half = constant(bits, (int64_t{1} << (shrink - 1)) - 1);
    bits = arith::Add(terms, bits, arith::Add(terms, odd, half));
  }
  const PrimExpr shifted = shrink > 0 ? widen(right(bits, shrink)) : left(widen(bits), -shrink);
  if (from.exponent == to.exponent) {
    if (bias == 0) return Reinterpret(terms, type, shifted);
    const PrimExpr change = left(constant(shifted, bias > 0 ? bias : -bias), to.mantissa);
    return Reinterpret(terms, type, bias > 0 ? arith::Add(terms, shifted, change) : arith::Sub(terms, shifted, change));
  }
  const PrimExpr mantissa = arith::BitwiseAnd(terms, shifted, constant(shifted, (int64_t{1} << to.mantissa) - 1));
  const PrimExpr before = right(left(bits, 1), from.mantissa + 1);
  const PrimExpr sign = left(widen(right(bits, from.mantissa + from.exponent)), to.mantissa + to.exponent);
  PrimExpr biased = before;
  if (bias > 0) biased = arith::Add(terms, before, constant(before, bias));
  if (bias < 0) biased = arith::Sub(terms, before, constant(before, -bias));
  const PrimExpr exponent = left(widen(biased), to.mantissa);
  PrimExpr made = arith::BitwiseOr(terms, arith::BitwiseOr(terms, mantissa, exponent), sign);
  if (bias < 0) {
    const PrimExpr too_small = arith::Lt(terms, before, constant(before, -bias));
    // The condition of a conditional is a scalar.
    const PrimExpr zero = constant(made, 0);
    made =
        terms.lanes(made) == 1 ? arith::IfThenElse(terms, too_small, zero, made) : terms.Select(too_small, zero, made);
  }
  return Reinterpret(terms, type, made);
}

}  // namespace relayopt::tir
