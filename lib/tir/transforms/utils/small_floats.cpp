// Converts floats by operations on their bits.
#include "lib/tir/transforms/utils/small_floats.h"

#include <cmath>

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
  // Without infinities, the largest exponent is that of numbers, too, and only the largest number of all is NaN.
  bool has_infinity = true;

  auto bits() const -> int { return 1 + exponent + mantissa; }
  // The bits of the smallest normal number, of infinity, and of a NaN, each without a sign.
  auto normal() const -> int64_t { return int64_t{1} << mantissa; }
  auto infinity() const -> int64_t { return ((int64_t{1} << exponent) - 1) << mantissa; }
  auto nan() const -> int64_t { return infinity() | (has_infinity ? normal() / 2 : normal() - 1); }
};

auto FormatOf(DataType type) -> FloatFormat {
  switch (type.code) {
    case TypeCode::kBFloat: return {8, 7, 127};
    case TypeCode::kE4M3: return {4, 3, 7, false};
    case TypeCode::kE5M2: return {5, 2, 15};
    default: break;
  }
  RELAYOPT_CHECK(type.code == TypeCode::kFloat, "a float format");
  if (type.bits == 16) return {5, 10, 15};
  if (type.bits == 32) return {8, 23, 127};
  return {11, 52, 1023};
}

// Makes terms over the bits of floats.
struct Bits {
  Terms& terms;

  auto Constant(PrimExpr like, int64_t value) const { return arith::MakeConst(terms, terms.dtype(like), value); }
  auto Left(PrimExpr e, int bits) const { return arith::ShiftLeft(terms, e, Constant(e, bits)); }
  auto Right(PrimExpr e, int bits) const { return arith::ShiftRight(terms, e, Constant(e, bits)); }
  auto And(PrimExpr e, int64_t mask) const { return arith::BitwiseAnd(terms, e, Constant(e, mask)); }
  auto Plus(PrimExpr e, int64_t value) const { return arith::Add(terms, e, Constant(e, value)); }
  auto Minus(PrimExpr e, int64_t value) const { return arith::Sub(terms, e, Constant(e, value)); }
  // e, or `other` where `e` is less than `bound`.
  auto Unless(PrimExpr less, int64_t bound, PrimExpr other, PrimExpr e) const {
    return terms.Select(arith::Lt(terms, less, Constant(less, bound)), other, e);
  }
  // The bits without the last `shrink` ones, rounded to nearest even.
  auto Rounded(PrimExpr bits, int shrink) const {
    const PrimExpr odd = And(Right(bits, shrink), 1);
    return Right(arith::Add(terms, bits, Plus(odd, (int64_t{1} << (shrink - 1)) - 1)), shrink);
  }
};

// Returns 2^exponent as a literal.
auto PowerOfTwo(Terms& terms, DataType type, int exponent) -> PrimExpr {
  return arith::MakeFloat(terms, type, std::ldexp(1.0, exponent));
}

// From a format to one that has all its numbers. Both have a number below the smallest normal one as an integer times a
// power of two, but it is normal in the larger format.
auto Widen(Terms& terms, DataType type, PrimExpr value) -> PrimExpr {
  const Bits make{terms};
  const FloatFormat from = FormatOf(terms.dtype(value));
  const FloatFormat to = FormatOf(type);
  const DataType wide = BitsOf(type);
  const int grow = to.mantissa - from.mantissa;
  const PrimExpr bits = Reinterpret(terms, BitsOf(terms.dtype(value)), value);
  const auto widen = [&](PrimExpr e) { return arith::CastTo(terms, wide, e); };
  if (from.exponent == to.exponent) return Reinterpret(terms, type, make.Left(widen(bits), grow));
  const int64_t sign = int64_t{1} << (from.bits() - 1);
  const PrimExpr magnitude = make.And(bits, sign - 1);
  const PrimExpr shifted = make.Left(widen(magnitude), grow);
  const PrimExpr unit = PowerOfTwo(terms, type, 1 - from.bias - from.mantissa);
  const PrimExpr small = Reinterpret(terms, wide, arith::Mul(terms, arith::CastTo(terms, type, magnitude), unit));
  const PrimExpr normal = make.Plus(shifted, int64_t{to.bias - from.bias} << to.mantissa);
  const PrimExpr number = make.Unless(magnitude, from.normal(), small, normal);
  const PrimExpr special = from.has_infinity ? arith::BitwiseOr(terms, shifted, make.Constant(shifted, to.infinity()))
                                             : make.Constant(shifted, to.nan());
  const PrimExpr made = make.Unless(magnitude, from.has_infinity ? from.infinity() : from.nan(), number, special);
  const PrimExpr signs = make.Left(widen(make.And(bits, sign)), to.bits() - from.bits());
  return Reinterpret(terms, type, arith::BitwiseOr(terms, made, signs));
}

// From a format to one that has only some of its numbers. What is too large becomes infinity, or NaN if there is none.
auto Narrow(Terms& terms, DataType type, PrimExpr value) -> PrimExpr {
  const Bits make{terms};
  const DataType wide = terms.dtype(value);
  const FloatFormat from = FormatOf(wide);
  const FloatFormat to = FormatOf(type);
  const int shrink = from.mantissa - to.mantissa;
  const PrimExpr bits = Reinterpret(terms, BitsOf(wide), value);
  const PrimExpr magnitude = make.And(bits, from.infinity() | (from.normal() - 1));
  const auto narrow = [&](PrimExpr e) { return arith::CastTo(terms, BitsOf(type), e); };
  if (from.exponent == to.exponent) {
    // Rounding carries a NaN of many ones into the sign, and cuts one of few ones to infinity.
    const PrimExpr rounded = narrow(make.Rounded(bits, shrink));
    const PrimExpr cut = narrow(make.Right(bits, shrink));
    const PrimExpr nan = arith::BitwiseOr(terms, cut, make.Constant(cut, to.normal() / 2));
    return Reinterpret(terms, type, make.Unless(magnitude, from.infinity() + 1, rounded, nan));
  }
  const int bias = from.bias - to.bias;
  const int64_t shift = int64_t{bias} << to.mantissa;
  const PrimExpr rounded = make.Rounded(magnitude, shrink);
  const int64_t largest = shift + (to.has_infinity ? to.infinity() : to.nan());
  const PrimExpr normal = make.Minus(arith::Min(terms, rounded, make.Constant(rounded, largest)), shift);
  // Neighbours of this number are as far apart as those below the smallest normal one of the smaller format. So their
  // sum is rounded to one of these, whose bits are then the last ones.
  const int exponent = 1 - to.bias + shrink;
  const PrimExpr sum = arith::Add(terms, Reinterpret(terms, wide, magnitude), PowerOfTwo(terms, wide, exponent));
  const PrimExpr small =
      make.Minus(Reinterpret(terms, BitsOf(wide), sum), int64_t{exponent + from.bias} << from.mantissa);
  PrimExpr made = make.Unless(magnitude, int64_t{1 + bias} << from.mantissa, small, normal);
  if (to.has_infinity) made = make.Unless(magnitude, from.infinity() + 1, made, make.Constant(made, to.nan()));
  const PrimExpr signs = make.And(make.Right(bits, from.bits() - to.bits()), int64_t{1} << (to.bits() - 1));
  return Reinterpret(terms, type, narrow(arith::BitwiseOr(terms, made, signs)));
}

}  // namespace

auto Reinterpret(Terms& terms, DataType type, PrimExpr value) -> PrimExpr {
  if (terms.dtype(value) == type) return value;
  return terms.Call(type, terms.Intrinsic("tir.reinterpret"_intrin), {value});
}

auto ConvertBits(Terms& terms, DataType type, PrimExpr value) -> PrimExpr {
  const FloatFormat from = FormatOf(terms.dtype(value));
  const FloatFormat to = FormatOf(type);
  const bool widens = from.mantissa <= to.mantissa && from.exponent <= to.exponent;
  RELAYOPT_CHECK(widens || (from.mantissa > to.mantissa && from.exponent >= to.exponent),
                 "one of the two formats has all numbers of the other");
  return widens ? Widen(terms, type, value) : Narrow(terms, type, value);
}

}  // namespace relayopt::tir
