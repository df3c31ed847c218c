// Replaces type variables by other types.
#pragma once

#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"

namespace relayopt {

// Replaces type variables by other types, in any number of types: a table of many variables is made only once.
class Substitution {
 public:
  // Replaces each of `vars` by the corresponding type in `by`.
  Substitution(Context& context, std::span<const TypeId> vars, std::span<const TypeId> by);

  // Returns the type with its variables replaced.
  auto operator()(TypeId type) const -> TypeId;
  // Replaces a variable by another type from now on. Returns what replaced it before: itself if nothing did.
  auto Exchange(TypeId var, TypeId by) -> TypeId { return std::exchange(map_.try_emplace(var, var).first->second, by); }

 private:
  Context* context_;
  absl::flat_hash_map<TypeId, TypeId> map_;
};

// Returns the type in which each of `vars` is replaced by the corresponding type in `by`.
auto Substitute(Context& context, TypeId type, std::span<const TypeId> vars, std::span<const TypeId> by) -> TypeId;

}  // namespace relayopt
