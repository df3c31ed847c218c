// The numbers of windows that move over data, for each spatial axis.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "relayopt/core/attrs.h"

namespace relayopt {

// Padding of `spatial` axes as ONNX has it: all beginnings, then all ends. Returns nothing if it is not known,
// or of another number of axes.
auto FullPadding(const DimList& padding, size_t spatial) -> std::optional<std::vector<int64_t>>;
// Returns one number for each of `spatial` axes, or nothing if they are not known, or not as many.
auto PerAxis(const DimList& list, size_t spatial) -> std::optional<std::vector<int64_t>>;

}  // namespace relayopt
