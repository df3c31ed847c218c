// Kernels of the operators that join and split tensors.
#include "relayopt/relay/ops/join.h"

#include <algorithm>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

auto ConcatenateKernel(KernelContext& kernel) -> KernelStatus {
  Tensor result = kernel.UnsetResult();
  const int64_t given = kernel.attrs<ConcatenateAttrs>().axis;
  const size_t axis = *NormalizeAxis(given, result.rank());
  const int64_t rows = Product(result.shape().first(axis));
  if (result.size() == 0) return kernel.Return(std::move(result));
  std::byte* to = result.MutableBytes();
  for (int64_t row = 0; row < rows; ++row) {
    for (const Tensor& field : kernel.tuple(0)) {
      const size_t bytes = field.num_bytes() / static_cast<size_t>(rows);
      std::copy_n(field.bytes().data() + static_cast<size_t>(row) * bytes, bytes, to);
      to += bytes;
    }
  }
  return kernel.Return(std::move(result));
}

}  // namespace relayopt
