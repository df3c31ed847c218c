// How calls of intrinsics are computed: the functions that their rows name.
#pragma once

#include <algorithm>
#include <cmath>

#include "relayopt/arith/intrinsics.h"

namespace relayopt::arith::eval {

// Floats of up to 32 bits are computed as float, so that functions of the C library give the same result as in compiled
// code.
template <typename F>
auto Unary(Lanes result, std::span<const Lanes> args) -> bool {
  const bool is_double = ElementOf(args[0].type) == DataType::Float(64);
  for (size_t i = 0; i < result.size(); ++i) {
    const double x = args[0].real(i);
    result.Set(i, is_double ? F()(x) : static_cast<double>(F()(static_cast<float>(x))));
  }
  return true;
}
template <typename F>
auto Binary(Lanes result, std::span<const Lanes> args) -> bool {
  const bool is_double = ElementOf(args[0].type) == DataType::Float(64);
  for (size_t i = 0; i < result.size(); ++i) {
    const double x = args[0].real(i);
    // The exponent of ldexp is an integer.
    const double y = IsInteger(args[1].type) ? static_cast<double>(args[1].integer(i)) : args[1].real(i);
    result.Set(i, is_double ? F()(x, y) : static_cast<double>(F()(static_cast<float>(x), static_cast<float>(y))));
  }
  return true;
}

#define RELAYOPT_UNARY(Name, expression) \
  struct Name {                          \
    template <typename T>                \
    auto operator()(T x) const -> T {    \
      return expression;                 \
    }                                    \
  };
RELAYOPT_UNARY(Acos, std::acos(x))
RELAYOPT_UNARY(Acosh, std::acosh(x))
RELAYOPT_UNARY(Asin, std::asin(x))
RELAYOPT_UNARY(Asinh, std::asinh(x))
RELAYOPT_UNARY(Atan, std::atan(x))
RELAYOPT_UNARY(Atanh, std::atanh(x))
RELAYOPT_UNARY(Ceil, std::ceil(x))
RELAYOPT_UNARY(Cos, std::cos(x))
RELAYOPT_UNARY(Cosh, std::cosh(x))
RELAYOPT_UNARY(Erf, std::erf(x))
RELAYOPT_UNARY(Exp, std::exp(x))
RELAYOPT_UNARY(Exp10, std::pow(T(10), x))
RELAYOPT_UNARY(Exp2, std::exp2(x))
RELAYOPT_UNARY(Fabs, std::abs(x))
RELAYOPT_UNARY(Floor, std::floor(x))
RELAYOPT_UNARY(Log, std::log(x))
RELAYOPT_UNARY(Log10, std::log10(x))
RELAYOPT_UNARY(Log1p, std::log1p(x))
RELAYOPT_UNARY(Log2, std::log2(x))
RELAYOPT_UNARY(Nearbyint, std::nearbyint(x))
// Ties to even, as literals fold.
RELAYOPT_UNARY(Round, std::nearbyint(x))
RELAYOPT_UNARY(Rsqrt, T(1) / std::sqrt(x))
RELAYOPT_UNARY(Sigmoid, T(1) / (T(1) + std::exp(-x)))
RELAYOPT_UNARY(Sin, std::sin(x))
RELAYOPT_UNARY(Sinh, std::sinh(x))
RELAYOPT_UNARY(Sqrt, std::sqrt(x))
RELAYOPT_UNARY(Tan, std::tan(x))
RELAYOPT_UNARY(Tanh, std::tanh(x))
RELAYOPT_UNARY(Trunc, std::trunc(x))
#undef RELAYOPT_UNARY

#define RELAYOPT_BINARY(Name, expression)  \
  struct Name {                            \
    template <typename T>                  \
    auto operator()(T x, T y) const -> T { \
      return expression;                   \
    }                                      \
  };
RELAYOPT_BINARY(Atan2, std::atan2(x, y))
RELAYOPT_BINARY(Copysign, std::copysign(x, y))
RELAYOPT_BINARY(Fmod, std::fmod(x, y))
RELAYOPT_BINARY(Hypot, std::hypot(x, y))
// Beyond these exponents every result is 0 or infinite.
RELAYOPT_BINARY(Ldexp, std::ldexp(x, static_cast<int>(std::clamp<T>(y == y ? y : 0, -5000, 5000))))
RELAYOPT_BINARY(Nextafter, std::nextafter(x, y))
RELAYOPT_BINARY(Pow, std::pow(x, y))
#undef RELAYOPT_BINARY

#define RELAYOPT_EVALUATE(Name) auto Name(Lanes result, std::span<const Lanes> args)->bool;
RELAYOPT_EVALUATE(BitwiseAnd)
RELAYOPT_EVALUATE(BitwiseNot)
RELAYOPT_EVALUATE(BitwiseOr)
RELAYOPT_EVALUATE(BitwiseXor)
RELAYOPT_EVALUATE(CountLeadingZeros)
RELAYOPT_EVALUATE(FusedMultiplyAdd)
RELAYOPT_EVALUATE(IsNan)
RELAYOPT_EVALUATE(IsNull)
RELAYOPT_EVALUATE(LargeUInt)
RELAYOPT_EVALUATE(MultiplyShift)
RELAYOPT_EVALUATE(MultiplyShiftPerAxis)
RELAYOPT_EVALUATE(PopCount)
RELAYOPT_EVALUATE(Reinterpret)
RELAYOPT_EVALUATE(Same)
RELAYOPT_EVALUATE(ShiftLeft)
RELAYOPT_EVALUATE(ShiftRight)
RELAYOPT_EVALUATE(Undefined)
RELAYOPT_EVALUATE(VectorCombine)
RELAYOPT_EVALUATE(VectorHigh)
RELAYOPT_EVALUATE(VectorLow)
#undef RELAYOPT_EVALUATE

}  // namespace relayopt::arith::eval
