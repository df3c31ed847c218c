// Constants that are views of elements owned by someone else.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "relayopt/core/constant.h"

namespace relayopt {

// Returns a constant that views row-major elements at any alignment, which must outlive it; bool is stored as one byte,
// 0 or 1. There is at least one element, and `data` has NumElements(shape) * dtype.bytes() bytes.
auto ViewOfElements(DataType dtype, std::vector<int64_t> shape, std::span<const std::byte> data) -> Constant;

}  // namespace relayopt
