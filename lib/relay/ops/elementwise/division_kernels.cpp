// Kernels of quotients and remainders.
#include <algorithm>
#include <cmath>
#include <vector>

#include "map_two.h"

namespace relayopt {

namespace {

// Computes integers with `of_ints`, which never gets a divisor of 0, and floats with `of_floats`.
template <typename OfInts, typename OfFloats>
auto Division(KernelContext& kernel, OfInts of_ints, OfFloats of_floats) -> KernelStatus {
  const Tensor& divisor = kernel.input(1);
  if (divisor.dtype().is_float()) return MapTwo<void>(kernel, kFloats, of_floats);
  // With an empty dividend nothing is divided.
  if (kernel.input(0).size() != 0 && !divisor.dtype().is_bool()) {
    const std::vector<int64_t> numbers = Integers(divisor);
    if (std::find(numbers.begin(), numbers.end(), 0) != numbers.end()) return kernel.Error("division by zero");
  }
  return MapTwo<void>(kernel, kInts, of_ints);
}

}  // namespace

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

}  // namespace relayopt
