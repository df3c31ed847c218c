// Helpers for element-wise kernels with two operands.
#pragma once

#include <type_traits>

#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/numbers.h"

namespace relayopt {

// How MapTwo chooses the C++ type.
inline constexpr auto kInts = [](KernelContext& kernel, DataType dtype, auto visit) {
  return VisitInts(kernel, dtype, visit);
};
inline constexpr auto kFloats = [](KernelContext& kernel, DataType dtype, auto visit) {
  return VisitFloats(kernel, dtype, visit);
};
inline constexpr auto kAll = [](KernelContext& kernel, DataType dtype, auto visit) {
  return VisitAll(kernel, dtype, visit);
};

// Computes f(a, b) in the compute type of the operands, which have one element type. R is the element type of the
// result, or void for that of the operands.
template <typename R, typename Types, typename F>
auto MapTwo(KernelContext& kernel, Types types, F f) -> KernelStatus {
  const Tensor& a = kernel.input(0);
  const Tensor& b = kernel.input(1);
  if (a.dtype() != b.dtype()) {
    return kernel.Error("the operands are of {} and {}", ToString(a.dtype()), ToString(b.dtype()));
  }
  Tensor result = kernel.UnsetResult();
  const KernelStatus status = types(kernel, a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Out = std::conditional_t<std::is_void_v<R>, T, R>;
    MapBroadcast<T, T, Out>(a, b, result,
                            [&](T x, T y) { return f(static_cast<Compute<T>>(x), static_cast<Compute<T>>(y)); });
    return KernelStatus::kDone;
  });
  return status == KernelStatus::kDone ? kernel.Return(std::move(result)) : status;
}

// Computes a truth value for each pair.
template <typename F>
auto Compare(KernelContext& kernel, F f) -> KernelStatus {
  return MapTwo<Bool>(kernel, kAll, f);
}

}  // namespace relayopt
