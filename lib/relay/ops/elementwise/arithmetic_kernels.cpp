// Kernels of sums, products, powers and extrema.
#include <cmath>

#include "map_two.h"

namespace relayopt {

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

auto PowerKernel(KernelContext& kernel) -> KernelStatus {
  return MapTwo<void>(kernel, kFloats, [](auto a, auto b) { return std::pow(a, b); });
}
// When either operand is NaN, the result is the right operand.
auto MaximumKernel(KernelContext& kernel) -> KernelStatus {
  return MapTwo<void>(kernel, kAll, [](auto a, auto b) { return a > b ? a : b; });
}
auto MinimumKernel(KernelContext& kernel) -> KernelStatus {
  return MapTwo<void>(kernel, kAll, [](auto a, auto b) { return a < b ? a : b; });
}

}  // namespace relayopt
