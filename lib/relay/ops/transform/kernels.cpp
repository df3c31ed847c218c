// Kernels of operators that convert or rearrange elements.
#include "relayopt/relay/ops/transform.h"

#include <fmt/format.h>

#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/numbers.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

auto SameElementsKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  std::vector<int64_t> shape = KernelContext::Extents(kernel.result_type());
  // Type rules do not check divisibility if an extent is unknown.
  if (TensorBytes(shape, data.dtype()) != data.num_bytes()) {
    return kernel.Error("{} elements do not fill the shape ({})", data.size(), fmt::join(shape, ", "));
  }
  return kernel.Return(data.Reshaped(std::move(shape)));
}

auto CastKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  if (data.dtype() == kernel.result_type().dtype) return kernel.Return(data);
  Tensor result = kernel.UnsetResult();
  bool undefined = false;
  const KernelStatus status = VisitAll(kernel, data.dtype(), [&](auto from) {
    return VisitAll(kernel, result.dtype(), [&](auto to) {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      Map<From, To>(data, result, [&](From x) { return CastElement<To>(x, undefined); });
      return KernelStatus::kDone;
    });
  });
  if (undefined) kernel.MarkUndefined("a float out of the range of the integer type");
  return status == KernelStatus::kDone ? kernel.Return(std::move(result)) : status;
}

auto ReinterpretKernel(KernelContext& kernel) -> KernelStatus {
  const DataType from = kernel.input(0).dtype();
  const DataType to = kernel.result_type().dtype;
  if (from.bits != to.bits || from.lanes != to.lanes) {
    return kernel.Error("{} and {} have different widths", ToString(from), ToString(to));
  }
  return kernel.Return(kernel.input(0).Reinterpreted(to));
}

auto TransposeKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  const DimList& axes = kernel.attrs<TransposeAttrs>().axes;
  const std::vector<int64_t> own = RowMajorStrides(data.shape());
  std::vector<int64_t> strides(own.rbegin(), own.rend());
  for (size_t i = 0; i < axes.size(); ++i) strides[i] = own[*NormalizeAxis(axes[i].value(), data.rank())];
  return CopyStrided(kernel, data, 0, std::move(strides), kernel.UnsetResult());
}

}  // namespace relayopt
