// Walks over the parts of types. Parts may be shared, so that a walk that met each occurrence would take exponential
// time.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/core/context.h"
#include "relayopt/core/extents.h"

namespace relayopt {

// Whether `test` holds for a type or one of its parts: fields of tuples, parameters and results of functions,
// arguments.
template <typename Test>
auto AnyPart(const Context& context, TypeId root, Test&& test) -> bool {
  std::vector<TypeId> pending = {root};
  absl::flat_hash_set<TypeId> seen;
  while (!pending.empty()) {
    const TypeId id = pending.back();
    pending.pop_back();
    if (!id || !seen.insert(id).second) continue;
    const Type& type = context.type(id);
    if (test(type)) return true;
    pending.push_back(type.result);
    pending.insert(pending.end(), type.args.begin(), type.args.end());
  }
  return false;
}

// Whether an extent of the type or of one of its parts is not a number.
inline auto HasUnknownExtent(const Context& context, TypeId root) -> bool {
  return AnyPart(context, root, [](const Type& part) { return !AllKnown(part.shape); });
}

}  // namespace relayopt
