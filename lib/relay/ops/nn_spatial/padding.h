// Padding of tensors by widths that come from attributes or operands.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// The elements that are added before and after an axis; negative ones are removed.
struct PadWidth {
  int64_t before = 0;
  int64_t after = 0;
};

// The data padded along every axis. `mode` is that of nn.pad; `fill` has one element of any type. Nothing, with the
// error reported, for extents that are negative or too large, and for a mirror image that is larger than the data.
auto Padded(KernelContext& kernel, const Tensor& data, std::span<const PadWidth> widths, std::string_view mode,
            const Tensor& fill) -> std::optional<Tensor>;

}  // namespace relayopt
