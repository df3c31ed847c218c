// Replaces type variables by other types.
#pragma once

#include <span>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"

namespace relayopt {

// Replaces type variables by other types, in any number of types: a table of many variables is made only once.
class Substitution {
 public:
  // Replaces each of `vars` by the corresponding type in `by`.
  Substitution(Context& context, std::span<const TypeId> vars, std::span<const TypeId> by);

  auto operator()(TypeId type) const -> TypeId;

 private:
  Context* context_;
  absl::flat_hash_map<TypeId, TypeId> map_;
};

}  // namespace relayopt
