// KernelContext: the interface between kernels and the evaluator.
#include "relayopt/relay/ops/kernel.h"

#include <fmt/format.h>

#include <utility>

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
  auto bytes = static_cast<int64_t>(dtype.bytes());
  bool empty = false;
  for (const int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  }
  if (empty) return 0;
  // No object is larger than a difference of pointers can say.
  return std::in_range<ptrdiff_t>(bytes) ? std::optional(static_cast<size_t>(bytes)) : std::nullopt;
}

}  // namespace relayopt
