// Element types in kernels: selects the C++ type, and provides arithmetic that is defined for every value.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// The type in which elements of type T are computed: float for the half-precision types, bool for Bool, otherwise T
// itself. The result of each operation is rounded to T.
template <typename T>
struct ComputeOf {
  using type = T;
};
template <>
struct ComputeOf<Half> {
  using type = float;
};
template <>
struct ComputeOf<BFloat> {
  using type = float;
};
template <>
struct ComputeOf<Bool> {
  using type = bool;
};
template <typename T>
using Compute = typename ComputeOf<T>::type;

// Float element types, half precision included.
template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<Compute<T>>;

// Whether a < b, with NaN after all numbers, so that the order is total for any data.
template <typename T>
auto IsLess(T a, T b) -> bool {
  const auto x = static_cast<Compute<T>>(a);
  const auto y = static_cast<Compute<T>>(b);
  if constexpr (kIsFloat<T>) {
    if (std::isnan(y)) return !std::isnan(x);
  }
  return x < y;
}

// Names a type in a call of a generic lambda: `[&](auto tag) { using T = typename decltype(tag)::type; ... }`.
template <typename T>
struct ElementTag {
  using type = T;
};

// `visit(ElementTag<T>())` for the C++ type T of `dtype`, for all types, or for integers, or for floats; `visit`
// returns a KernelStatus. Another element type is an error, "no kernel for ...".
template <typename Visit>
auto VisitInts(KernelContext& kernel, DataType dtype, Visit&& visit) -> KernelStatus {
  if (dtype.lanes == 1 && dtype.is_int()) {
    switch (dtype.bits) {
      case 8: return visit(ElementTag<int8_t>());
      case 16: return visit(ElementTag<int16_t>());
      case 32: return visit(ElementTag<int32_t>());
      case 64: return visit(ElementTag<int64_t>());
      default: break;
    }
  } else if (dtype.lanes == 1 && dtype.is_uint()) {
    switch (dtype.bits) {
      case 8: return visit(ElementTag<uint8_t>());
      case 16: return visit(ElementTag<uint16_t>());
      case 32: return visit(ElementTag<uint32_t>());
      case 64: return visit(ElementTag<uint64_t>());
      default: break;
    }
  }
  return kernel.Error("there is no kernel for {}", ToString(dtype));
}
template <typename Visit>
auto VisitFloats(KernelContext& kernel, DataType dtype, Visit&& visit) -> KernelStatus {
  if (dtype == DataType::Float(32)) return visit(ElementTag<float>());
  if (dtype == DataType::Float(64)) return visit(ElementTag<double>());
  if (dtype == DataType::Float(16)) return visit(ElementTag<Half>());
  if (dtype == DataType::BFloat(16)) return visit(ElementTag<BFloat>());
  return kernel.Error("there is no kernel for {}", ToString(dtype));
}
// Integers and floats, but not bool.
template <typename Visit>
auto VisitNumbers(KernelContext& kernel, DataType dtype, Visit&& visit) -> KernelStatus {
  return dtype.is_float() ? VisitFloats(kernel, dtype, visit) : VisitInts(kernel, dtype, visit);
}
template <typename Visit>
auto VisitAll(KernelContext& kernel, DataType dtype, Visit&& visit) -> KernelStatus {
  return dtype.is_bool() ? visit(ElementTag<Bool>()) : VisitNumbers(kernel, dtype, visit);
}
// For kernels that only move elements: by the size of the element, as an unsigned integer.
template <typename Visit>
auto VisitSizes(KernelContext& kernel, DataType dtype, Visit&& visit) -> KernelStatus {
  switch (dtype.bytes()) {
    case 1: return visit(ElementTag<uint8_t>());
    case 2: return visit(ElementTag<uint16_t>());
    case 4: return visit(ElementTag<uint32_t>());
    case 8: return visit(ElementTag<uint64_t>());
    default: return kernel.Error("there is no kernel for {}", ToString(dtype));
  }
}

// Sum, difference and product that wrap around for integers. The operands have a compute type.
template <typename T>
auto WrapAdd(T a, T b) -> T {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <typename T>
auto WrapSubtract(T a, T b) -> T {
  if constexpr (std::is_floating_point_v<T>)
    return a - b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
template <typename T>
auto WrapMultiply(T a, T b) -> T {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// Quotients of integers; the divisor is not 0. The smallest number by -1 wraps around.
template <std::integral T>
auto TruncDivide(T a, T b) -> T {
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return WrapSubtract<T>(0, a);
  return static_cast<T>(a / b);
}
template <std::integral T>
auto TruncMod(T a, T b) -> T {
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}
template <std::integral T>
auto FloorMod(T a, T b) -> T {
  const T rest = TruncMod(a, b);
  return rest != 0 && ((rest < 0) != (b < 0)) ? static_cast<T>(rest + b) : rest;
}
template <std::integral T>
auto FloorDivide(T a, T b) -> T {
  const T quotient = TruncDivide(a, b);
  return TruncMod(a, b) != 0 && ((a < 0) != (b < 0)) ? static_cast<T>(quotient - 1) : quotient;
}

// Whether the float `value`, truncated, is a number of the integer type T.
template <std::integral T, std::floating_point F>
auto InRange(F value) -> bool {
  // Both bounds are powers of two and therefore exact; NaN fails the comparison.
  constexpr F kEnd = static_cast<F>(T{1} << (std::numeric_limits<T>::digits - 1)) * F{2};
  if constexpr (std::is_signed_v<T>)
    return (value >= -kEnd || std::trunc(value) >= -kEnd) && value < kEnd;
  else
    return value > F{-1} && value < kEnd;
}

// `value` as an element of type To, as `cast` does it: floats are truncated toward zero and rounded to the nearest
// narrower float, integers wrap around, anything but 0 (and NaN) is true. A float that no integer of the type equals
// when truncated sets `undefined`: it becomes the nearest number of the type, NaN becomes 0.
template <typename To, typename From>
auto CastElement(From value, bool& undefined) -> To {
  const auto number = static_cast<Compute<From>>(value);
  if constexpr (std::is_same_v<To, Bool>) {
    if constexpr (kIsFloat<From>)
      return number < 0 || number > 0;
    else
      return number != 0;
  } else if constexpr (std::is_same_v<To, Half> && std::is_same_v<From, double>) {
    // Rounds only once.
    Half half;
    half.bits = DoubleToHalf(number);
    return half;
  } else if constexpr (kIsFloat<To>) {
    return To(static_cast<Compute<To>>(number));
  } else if constexpr (kIsFloat<From>) {
    if (InRange<To>(number)) return static_cast<To>(number);
    undefined = true;
    if (std::isnan(number)) return 0;
    return number < 0 ? std::numeric_limits<To>::min() : std::numeric_limits<To>::max();
  } else {
    return static_cast<To>(number);
  }
}

}  // namespace relayopt
