// Constants whose elements somebody else holds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "relayopt/core/constant.h"

namespace relayopt {

// A constant that is a view of row-major elements, bool as 0 or 1 in a byte each, at any alignment; they must outlive
// it. Asking for its numbers copies them each time. There is at least one element, and `data` has
// NumElements(shape) * dtype.bytes() bytes.
auto ViewOfElements(DataType dtype, std::vector<int64_t> shape, std::span<const std::byte> data) -> Constant;

}  // namespace relayopt
