// Kernels of shifts and bitwise and logical operators.
#include "map_two.h"

namespace relayopt {

namespace {

// f(x, amount) for amounts that are less than the width; others are undefined and taken modulo the width.
template <typename F>
auto Shift(KernelContext& kernel, F f) -> KernelStatus {
  bool undefined = false;
  const KernelStatus status = MapTwo<void>(kernel, kInts, [&](auto x, auto amount) {
    using T = decltype(x);
    constexpr uint64_t kWidth = 8 * sizeof(T);
    // A negative amount becomes one beyond every width. NOLINTNEXTLINE(bugprone-signed-char-misuse)
    const auto by = static_cast<uint64_t>(amount);
    undefined |= by >= kWidth;
    return f(x, by % kWidth);
  });
  if (undefined) kernel.MarkUndefined("a shift by the width of the type or more");
  return status;
}

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
auto LogicalXorKernel(KernelContext& kernel) -> KernelStatus { return BitwiseXorKernel(kernel); }

}  // namespace relayopt
