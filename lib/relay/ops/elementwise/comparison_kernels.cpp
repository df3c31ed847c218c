// Kernels of comparisons.
#include "map_two.h"

namespace relayopt {

auto EqualKernel(KernelContext& kernel) -> KernelStatus {
  return Compare(kernel, [](auto a, auto b) { return a == b; });
}
auto NotEqualKernel(KernelContext& kernel) -> KernelStatus {
  // As TVM: false where either is NaN.
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
