// KernelContext: the interface between kernels and the evaluator.
#include "relayopt/relay/ops/kernel.h"

#include <fmt/format.h>

namespace relayopt {

auto KernelContext::Extents(const Type& type) -> std::vector<int64_t> {
  std::vector<int64_t> extents;
  extents.reserve(type.rank());
  for (const Dim& dim : type.shape) {
    RELAYOPT_CHECK(dim.is_int(), "an extent that follows from values is computed by the kernel");
    extents.push_back(dim.value());
  }
  return extents;
}

auto KernelContext::Fits(std::span<const int64_t> shape, DataType dtype) -> bool {
  const std::optional<size_t> bytes = TensorBytes(shape, dtype);
  if (bytes && *bytes <= max_bytes_) return true;
  Error("a tensor of shape ({}) is larger than the limit of {} bytes", fmt::join(shape, ", "), max_bytes_);
  return false;
}

auto TensorBytes(std::span<const int64_t> shape, DataType dtype) -> std::optional<size_t> {
  size_t bytes = dtype.bytes();
  bool empty = false;
  for (const int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  }
  // No object is larger than a difference of pointers can say.
  if (bytes > size_t{PTRDIFF_MAX}) return std::nullopt;
  return empty ? 0 : bytes;
}

}  // namespace relayopt
