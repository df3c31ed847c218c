// Shapes, and tensors whose elements are moved: helpers for the start and end of kernels of structured operators.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "numbers.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// Returns the call's record of attributes, or null, with the error reported, if it has none of this class.
template <typename A>
auto AttrsOf(KernelContext& kernel) -> const A* {
  const A* attrs = kernel.attrs_if<A>();
  if (attrs == nullptr) kernel.Error("needs attributes of class {}", A::kTypeKey);
  return attrs;
}

// `status` with the result when it is kDone.
inline auto Finish(KernelContext& kernel, KernelStatus status, Tensor result) -> KernelStatus {
  return status == KernelStatus::kDone ? kernel.Return(std::move(result)) : status;
}

// Returns the result if there is one, else the failure that the kernel has reported.
inline auto ReturnIt(KernelContext& kernel, std::optional<Tensor> result) -> KernelStatus {
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

// One operation on elements of type T, rounded to it; integers wrap around.
template <typename T>
auto Plus(T a, T b) -> T {
  return T(WrapAdd<Compute<T>>(a, b));
}
template <typename T>
auto Minus(T a, T b) -> T {
  return T(WrapSubtract<Compute<T>>(a, b));
}
template <typename T>
auto Times(T a, T b) -> T {
  return T(WrapMultiply<Compute<T>>(a, b));
}

// Returns a number as an element of type T; see CastElement.
template <typename T, typename From>
auto As(From value) -> T {
  bool undefined = false;
  return CastElement<T>(value, undefined);
}

// a / b, truncated toward zero for integers; b is positive.
template <typename T>
auto Quotient(T a, int64_t b) -> T {
  using C = Compute<T>;
  if constexpr (kIsFloat<T>)
    return T(static_cast<C>(a) / static_cast<C>(As<T>(b)));
  else if constexpr (std::is_signed_v<C>)
    return static_cast<T>(static_cast<int64_t>(a) / b);
  else
    return static_cast<T>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
}

// Returns the least and the greatest finite number of the type.
template <typename T>
auto Greatest() -> T {
  if constexpr (std::is_same_v<T, Half>)
    return T(65504.0F);
  else if constexpr (std::is_same_v<T, BFloat>)
    return T(0x1.FEp127F);
  else
    return T(std::numeric_limits<Compute<T>>::max());
}
template <typename T>
auto Lowest() -> T {
  if constexpr (kIsFloat<T>)
    return T(-static_cast<Compute<T>>(Greatest<T>()));
  else
    return T(std::numeric_limits<Compute<T>>::lowest());
}

// Returns the values of a list attribute; elements that are not constant count as 0.
auto Numbers(const DimList& list) -> std::vector<int64_t>;

// A shape as seen from one axis: `outer` times `extent` times `inner` elements.
struct AxisView {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
};
auto ViewAxis(std::span<const int64_t> shape, size_t axis) -> AxisView;

// Returns the permutation that moves `last` (different axes, in this order) after all others, and the inverse of a
// permutation.
auto AxesLast(size_t rank, std::span<const size_t> last) -> std::vector<size_t>;
auto InversePermutation(std::span<const size_t> permutation) -> std::vector<size_t>;

// Returns the tensor whose axis i is axis `axes[i]` of the given one; the same tensor if no axis moves.
auto Permuted(const Tensor& data, std::span<const size_t> axes) -> Tensor;

// Returns the tensor converted to another element type, as by `cast`, or nothing, with the error reported, if there is
// no such conversion.
auto Converted(KernelContext& kernel, const Tensor& data, DataType dtype) -> std::optional<Tensor>;

// Returns a tensor of the same rank: along axis a, position i of the result is position `positions[a][i]` of the data,
// or, where that is -1, `fill`, a tensor of one element of the data's type, or zero when there is none.
auto Chosen(const Tensor& data, const std::vector<std::vector<int64_t>>& positions, const Tensor* fill = nullptr)
    -> Tensor;

// 0, 1, ... `count` - 1.
auto Iota(int64_t count) -> std::vector<int64_t>;

// Copies element `from` of `source` to element `to` of `target`, which have one element type.
void CopyElements(const Tensor& source, int64_t from, Tensor& target, int64_t to, int64_t count);

}  // namespace relayopt
