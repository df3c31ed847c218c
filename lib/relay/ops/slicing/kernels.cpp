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
  const size_t count = attrs.axes.null ? data.rank() : attrs.axes.size();
  std::vector<bool> sliced(data.rank());
  for (size_t i = 0; i < count; ++i) {
    const auto normal = NormalizeAxis(attrs.axes.null ? static_cast<int64_t>(i) : attrs.axes[i].value(), data.rank());
    // The type rule allows an axis to be given twice; TVM then reads outside of the data.
    if (!normal || sliced[*normal]) return kernel.Error("axes must be different axes of the data");
    const size_t axis = *normal;
    sliced[axis] = true;
    const int64_t extent = data.extent(axis);
    const bool has_stride = i < attrs.strides.size() && !attrs.strides[i].is_null();
    const int64_t given = has_stride ? attrs.strides[i].value() : 1;
    const int64_t stride = attrs.slice_mode == "end" ? given : 1;
    // When the list is too short, the default depends on the stride, even in a mode that ignores strides; see the type
    // rule.
    int64_t begin = (i < attrs.begin.size() ? stride : given) > 0 ? 0 : INT64_MAX;
    if (i < attrs.begin.size() && !attrs.begin[i].is_null()) begin = attrs.begin[i].value();
    if (begin < 0) begin += extent;
    begin = std::clamp<int64_t>(begin, stride > 0 ? 0 : -1, stride > 0 ? extent : extent - 1);
    offset += begin * strides[axis];
    strides[axis] *= stride;
  }
  return CopyStrided(kernel, data, offset, std::move(strides), kernel.UnsetResult());
}

}  // namespace relayopt
