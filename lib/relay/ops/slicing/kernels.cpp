// Kernels of the slicing operators.
#include "relayopt/relay/ops/slicing.h"

#include <algorithm>

#include "lib/relay/ops/kernels/loops.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

auto StridedSliceKernel(KernelContext& kernel) -> KernelStatus {
  const auto& attrs = kernel.attrs<StridedSliceAttrs>();
  const Tensor& data = kernel.input(0);
  std::vector<int64_t> strides = RowMajorStrides(data.shape());
  int64_t offset = 0;
  const auto slices = SlicesOf(attrs, data.rank());
  if (!slices) return kernel.Error("axes must be axes of the data, and bounds numbers");
  std::vector<bool> sliced(data.rank());
  for (const AxisSlice& slice : *slices) {
    // The type rule allows an axis to be given twice; TVM then reads outside of the data.
    if (sliced[slice.axis]) return kernel.Error("axes must be different axes of the data");
    sliced[slice.axis] = true;
    const int64_t extent = data.extent(slice.axis);
    int64_t begin = slice.begin < 0 ? slice.begin + extent : slice.begin;
    begin = std::clamp<int64_t>(begin, slice.stride > 0 ? 0 : -1, slice.stride > 0 ? extent : extent - 1);
    offset += begin * strides[slice.axis];
    strides[slice.axis] *= slice.stride;
  }
  return CopyStrided(kernel, data, offset, std::move(strides), kernel.UnsetResult());
}

}  // namespace relayopt
