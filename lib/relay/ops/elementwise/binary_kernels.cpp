// Kernels of the element-wise operators of two operands.
#include <algorithm>
#include <cmath>

#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/numbers.h"
#include "relayopt/relay/ops/elementwise.h"

namespace relayopt {

namespace {

// How MapTwo chooses the C++ type.
constexpr auto kInts = [](KernelContext& kernel, DataType dtype, auto visit) {
  return VisitInts(kernel, dtype, visit);
};
constexpr auto kFloats = [](KernelContext& kernel, DataType dtype, auto visit) {
  return VisitFloats(kernel, dtype, visit);
};
constexpr auto kAll = [](KernelContext& kernel, DataType dtype, auto visit) { return VisitAll(kernel, dtype, visit); };

// f(a, b) in the compute type of the operands, which have one element type. R is the element type of the result, or
// void for that of the operands.
template <typename R, typename Types, typename F>
auto MapTwo(KernelContext& kernel, Types types, F f) -> KernelStatus {
  const Tensor& a = kernel.input(0);
  const Tensor& b = kernel.input(1);
  if (a.dtype() != b.dtype()) {
    return kernel.Error("the operands are of {} and {}", ToString(a.dtype()), ToString(b.dtype()));
  }
  Tensor result = kernel.NewResult();
  const KernelStatus status = types(kernel, a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Out = std::conditional_t<std::is_void_v<R>, T, R>;
    MapBroadcast<T, T, Out>(a, b, result,
                            [&](T x, T y) { return f(static_cast<Compute<T>>(x), static_cast<Compute<T>>(y)); });
    return KernelStatus::kDone;
  });
  return status == KernelStatus::kDone ? kernel.Return(std::move(result)) : status;
}

template <typename F>
auto Compare(KernelContext& kernel, F f) -> KernelStatus {
  return MapTwo<Bool>(kernel, kAll, f);
}

// Integers by `of_ints`, which never gets a divisor of 0; floats by `of_floats`.
template <typename OfInts, typename OfFloats>
auto Division(KernelContext& kernel, OfInts of_ints, OfFloats of_floats) -> KernelStatus {
  const Tensor& divisor = kernel.input(1);
  if (divisor.dtype().is_float()) return MapTwo<void>(kernel, kFloats, of_floats);
  // An empty dividend is divided by nothing.
  if (kernel.input(0).size() != 0 && !divisor.dtype().is_bool()) {
    const std::vector<int64_t> numbers = Integers(divisor);
    if (std::find(numbers.begin(), numbers.end(), 0) != numbers.end()) return kernel.Error("division by zero");
  }
  return MapTwo<void>(kernel, kInts, of_ints);
}

// f(x, amount) for amounts that are less than the width; others are undefined and taken modulo the width.
template <typename F>
auto Shift(KernelContext& kernel, F f) -> KernelStatus {
  bool undefined = false;
  const KernelStatus status = MapTwo<void>(kernel, kInts, [&](auto x, auto amount) {
    using T = decltype(x);
    constexpr uint64_t kWidth = 8 * sizeof(T);
    const auto by = static_cast<uint64_t>(amount);
    undefined |= by >= kWidth;
    return f(x, by % kWidth);
  });
  if (undefined) kernel.MarkUndefined("a shift by the width of the type or more");
  return status;
}

}  // namespace

// A bool is an integer of one bit, which wraps like any other.
auto AddKernel(KernelContext& kernel) -> KernelStatus {
  return MapTwo<void>(kernel, kAll, []<typename T>(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
      return a != b;
    else
      return WrapAdd(a, b);
  });
}
auto SubtractKernel(KernelContext& kernel) -> KernelStatus {
  return MapTwo<void>(kernel, kAll, []<typename T>(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
      return a != b;
    else
      return WrapSubtract(a, b);
  });
}
auto MultiplyKernel(KernelContext& kernel) -> KernelStatus {
  return MapTwo<void>(kernel, kAll, []<typename T>(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else
      return WrapMultiply(a, b);
  });
}

auto DivideKernel(KernelContext& kernel) -> KernelStatus {
  return Division(
      kernel, [](auto a, auto b) { return TruncDivide(a, b); }, [](auto a, auto b) { return a / b; });
}
auto TruncDivideKernel(KernelContext& kernel) -> KernelStatus {
  return Division(
      kernel, [](auto a, auto b) { return TruncDivide(a, b); }, [](auto a, auto b) { return std::trunc(a / b); });
}
auto FloorDivideKernel(KernelContext& kernel) -> KernelStatus {
  return Division(
      kernel, [](auto a, auto b) { return FloorDivide(a, b); }, [](auto a, auto b) { return std::floor(a / b); });
}
auto ModKernel(KernelContext& kernel) -> KernelStatus {
  return Division(
      kernel, [](auto a, auto b) { return TruncMod(a, b); }, [](auto a, auto b) { return std::fmod(a, b); });
}
auto TruncModKernel(KernelContext& kernel) -> KernelStatus {
  return Division(
      kernel, [](auto a, auto b) { return TruncMod(a, b); }, [](auto a, auto b) { return a - std::trunc(a / b) * b; });
}
auto FloorModKernel(KernelContext& kernel) -> KernelStatus {
  return Division(
      kernel, [](auto a, auto b) { return FloorMod(a, b); }, [](auto a, auto b) { return a - std::floor(a / b) * b; });
}

auto PowerKernel(KernelContext& kernel) -> KernelStatus {
  return MapTwo<void>(kernel, kFloats, [](auto a, auto b) { return std::pow(a, b); });
}
// Where either is NaN the result is the right operand.
auto MaximumKernel(KernelContext& kernel) -> KernelStatus {
  return MapTwo<void>(kernel, kAll, [](auto a, auto b) { return a > b ? a : b; });
}
auto MinimumKernel(KernelContext& kernel) -> KernelStatus {
  return MapTwo<void>(kernel, kAll, [](auto a, auto b) { return a < b ? a : b; });
}

auto LeftShiftKernel(KernelContext& kernel) -> KernelStatus {
  return Shift(kernel, [](auto x, uint64_t by) { return static_cast<decltype(x)>(static_cast<uint64_t>(x) << by); });
}
auto RightShiftKernel(KernelContext& kernel) -> KernelStatus {
  return Shift(kernel, [](auto x, uint64_t by) { return static_cast<decltype(x)>(x >> by); });
}

auto BitwiseAndKernel(KernelContext& kernel) -> KernelStatus {
  if (kernel.input(0).dtype().is_bool()) return LogicalAndKernel(kernel);
  return MapTwo<void>(kernel, kInts, [](auto a, auto b) { return static_cast<decltype(a)>(a & b); });
}
auto BitwiseOrKernel(KernelContext& kernel) -> KernelStatus {
  if (kernel.input(0).dtype().is_bool()) return LogicalOrKernel(kernel);
  return MapTwo<void>(kernel, kInts, [](auto a, auto b) { return static_cast<decltype(a)>(a | b); });
}
auto BitwiseXorKernel(KernelContext& kernel) -> KernelStatus {
  if (kernel.input(0).dtype().is_bool()) return Compare(kernel, [](auto a, auto b) { return a != b; });
  return MapTwo<void>(kernel, kInts, [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); });
}

namespace {

template <typename F>
auto MapBools(KernelContext& kernel, F f) -> KernelStatus {
  const DataType dtype = kernel.input(0).dtype();
  if (!dtype.is_bool()) return kernel.Error("there is no kernel for {}", ToString(dtype));
  return Compare(kernel, f);
}

}  // namespace

auto LogicalAndKernel(KernelContext& kernel) -> KernelStatus {
  return MapBools(kernel, [](bool a, bool b) { return a && b; });
}
auto LogicalOrKernel(KernelContext& kernel) -> KernelStatus {
  return MapBools(kernel, [](bool a, bool b) { return a || b; });
}
auto LogicalXorKernel(KernelContext& kernel) -> KernelStatus { return BitwiseXorKernel(kernel); }

auto EqualKernel(KernelContext& kernel) -> KernelStatus {
  return Compare(kernel, [](auto a, auto b) { return a == b; });
}
auto NotEqualKernel(KernelContext& kernel) -> KernelStatus {
  // The reference's comparison is ordered: false where either is NaN.
  return Compare(kernel, [](auto a, auto b) { return a < b || a > b; });
}
auto LessKernel(KernelContext& kernel) -> KernelStatus {
  return Compare(kernel, [](auto a, auto b) { return a < b; });
}
auto LessEqualKernel(KernelContext& kernel) -> KernelStatus {
  return Compare(kernel, [](auto a, auto b) { return a <= b; });
}
auto GreaterKernel(KernelContext& kernel) -> KernelStatus {
  return Compare(kernel, [](auto a, auto b) { return a > b; });
}
auto GreaterEqualKernel(KernelContext& kernel) -> KernelStatus {
  return Compare(kernel, [](auto a, auto b) { return a >= b; });
}

}  // namespace relayopt
