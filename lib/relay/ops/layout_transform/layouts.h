// Converts tensors between data layouts.
#pragma once

#include <optional>
#include <string_view>

#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/layout.h"

namespace relayopt {

// Returns the tensor converted from layout `from` to `to`; elements added by padding are 0. Returns nothing, with the
// error reported, if a text is not a layout, the layouts have different axes, the rank does not match `from`, or an
// axis is too large.
auto Relaid(KernelContext& kernel, const Tensor& data, std::string_view from, std::string_view to)
    -> std::optional<Tensor>;

// Returns the axis of the tensor that the upper-case letter names; reports when there is none, or when it is split.
auto PlainAxis(KernelContext& kernel, std::string_view layout, char letter, size_t rank) -> std::optional<size_t>;

}  // namespace relayopt
