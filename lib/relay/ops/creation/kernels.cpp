// Kernels of operators that create tensors from sizes and scalars, of size queries, and of broadcasting.
#include "relayopt/relay/ops/creation.h"

#include <algorithm>
#include <utility>

#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/numbers.h"

namespace relayopt {

namespace {

// Returns the result with every element `value`, rounded to its type.
template <typename T>
auto FillWith(KernelContext& kernel, T value) -> KernelStatus {
  Tensor result = kernel.NewResult();
  bool undefined = false;
  const KernelStatus status = VisitAll(kernel, result.dtype(), [&](auto tag) {
    using R = typename decltype(tag)::type;
    std::fill_n(result.mutable_data<R>(), result.size(), CastElement<R>(value, undefined));
    return KernelStatus::kDone;
  });
  if (undefined) kernel.MarkUndefined("a float out of the range of the integer type");
  return status == KernelStatus::kDone ? kernel.Return(std::move(result)) : status;
}

auto FillWithScalar(KernelContext& kernel, const Tensor& scalar) -> KernelStatus {
  return VisitAll(kernel, scalar.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return FillWith(kernel, scalar.data<T>()[0]);
  });
}

}  // namespace

auto FullKernel(KernelContext& kernel) -> KernelStatus { return FillWithScalar(kernel, kernel.input(0)); }
auto FullLikeKernel(KernelContext& kernel) -> KernelStatus { return FillWithScalar(kernel, kernel.input(1)); }
auto OnesKernel(KernelContext& kernel) -> KernelStatus { return FillWith(kernel, Bool(true)); }
auto ZerosKernel(KernelContext& kernel) -> KernelStatus { return kernel.Return(kernel.NewResult()); }

auto NdarraySizeKernel(KernelContext& kernel) -> KernelStatus { return FillWith(kernel, kernel.input(0).size()); }

auto ShapeOfKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  // In this case the type of the result is that of a scalar.
  if (data.rank() == 0) return kernel.Error("the shape for a scalar must be that of a scalar");
  Tensor result = kernel.NewResult();
  bool undefined = false;
  const KernelStatus status = VisitNumbers(kernel, result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* extents = result.mutable_data<T>();
    for (const int64_t extent : data.shape()) {
      *extents = CastElement<T>(extent, undefined);
      if constexpr (!kIsFloat<T>) undefined |= !std::in_range<T>(extent);
      ++extents;
    }
    return KernelStatus::kDone;
  });
  if (undefined) kernel.MarkUndefined("an extent out of the range of the integer type");
  return status == KernelStatus::kDone ? kernel.Return(std::move(result)) : status;
}

auto BroadcastToKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  Tensor result = kernel.UnsetResult();
  // The type rule takes any shape, as TVM's does.
  if (!BroadcastsTo(data.shape(), result.shape())) return kernel.Error("the data cannot be broadcast to the shape");
  std::vector<int64_t> strides = BroadcastStrides(data.shape(), result.shape());
  return CopyStrided(kernel, data, 0, std::move(strides), std::move(result));
}

}  // namespace relayopt
