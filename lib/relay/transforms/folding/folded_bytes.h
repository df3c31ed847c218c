// What constants and nodes take in a model.
#pragma once

#include <optional>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// About what a node and the names of its values take in a file.
inline constexpr size_t kNodeBytes = 128;

// Returns the bytes of a tensor of this type, or nothing if that depends on the run or it is a tuple.
inline auto BytesOfType(const Context& context, TypeId id) -> std::optional<size_t> {
  const Type* type = TensorType(context, id);
  const auto shape = type == nullptr ? std::nullopt : KnownExtents(type->shape);
  return shape ? TensorBytes(*shape, type->dtype) : std::nullopt;
}

}  // namespace relayopt
