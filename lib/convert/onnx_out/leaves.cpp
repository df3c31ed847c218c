// Walks the tuples of a type to find its tensors.
#include "leaves.h"

#include <algorithm>
#include <vector>

#include "lib/convert/onnx/foreign.h"
#include "lib/convert/onnx/tensor_data.h"

namespace relayopt::onnx::out {

auto LeavesOf(const Context& context, TypeId id) -> Leaves {
  if (const Type& type = context.type(id); !type.is_tuple()) return {&type};
  Leaves leaves;
  std::vector<TypeId> pending = {id};
  while (!pending.empty()) {
    const Type& type = context.type(pending.back());
    pending.pop_back();
    if (!type.is_tuple()) {
      leaves.push_back(&type);
      continue;
    }
    pending.insert(pending.end(), type.args.rbegin(), type.args.rend());
  }
  return leaves;
}

auto IsTyped(const Context& context, TypeId id) -> bool {
  return id && std::ranges::all_of(LeavesOf(context, id),
                                   [](const Type* leaf) { return leaf->is_tensor() && leaf->dtype != kHandle; });
}

auto ValueOfType(const Type& type, Name name) -> ValueType {
  ValueType value;
  value.name = name;
  value.element_type = ElementTypeOf(type.dtype);
  value.shape.reserve(type.shape.size());
  for (const Dim& dim : type.shape) {
    value.shape.push_back({dim.is_int() ? std::optional(dim.value()) : std::nullopt, {}});
  }
  return value;
}

}  // namespace relayopt::onnx::out
