// Treats values made of tensors and (nested) tuples of tensors, tensor by tensor.
#pragma once

#include <optional>
#include <vector>

#include "relayopt/core/context.h"

namespace relayopt {

// Takes `value` of this type apart: `field(value, i)` is part i of a tuple, `leaf(type, value)` what anything that is
// not a tuple becomes, or nothing if that cannot be, and `join(parts)` a tuple of what its fields became. Fields are
// taken and treated one after the other. Returns nothing if a leaf returned nothing.
template <typename V, typename R, typename Field, typename Leaf, typename Join>
auto MapTensors(const Context& context, TypeId type, V value, Field&& field, Leaf&& leaf, Join&& join)
    -> std::optional<R> {
  struct Frame {
    TypeId type;
    V value;
    uint32_t next = 0;
    std::vector<R> parts = {};
  };
  std::vector<Frame> stack;
  stack.push_back({type, value});
  while (true) {
    Frame& frame = stack.back();
    std::optional<R> made;
    if (!frame.type || !context.type(frame.type).is_tuple()) {
      made = leaf(frame.type, frame.value);
      if (!made) return std::nullopt;
    } else if (const auto& fields = context.type(frame.type).args; frame.next < fields.size()) {
      const uint32_t i = frame.next++;
      V part = field(frame.value, i);
      stack.push_back({fields[i], std::move(part)});
      continue;
    } else {
      made = join(frame.parts);
    }
    stack.pop_back();
    if (stack.empty()) return made;
    stack.back().parts.push_back(*made);
  }
}

}  // namespace relayopt
