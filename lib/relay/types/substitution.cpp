// Replaces type variables by a table.
#include "relayopt/relay/types/substitution.h"

#include "relayopt/relay/types/unifier.h"

namespace relayopt {

Substitution::Substitution(Context& context, std::span<const TypeId> vars, std::span<const TypeId> by)
    : context_(&context) {
  map_.reserve(vars.size());
  for (size_t i = 0; i < vars.size(); ++i) map_.emplace(vars[i], by[i]);
}

auto Substitution::operator()(TypeId type) const -> TypeId {
  if (map_.empty()) return type;
  const auto leaf = [this](TypeId id) {
    const auto found = map_.find(id);
    return found == map_.end() ? id : found->second;
  };
  return RewriteType(*context_, type, leaf, [](const Dim& d) { return d; });
}

auto Substitute(Context& context, TypeId type, std::span<const TypeId> vars, std::span<const TypeId> by) -> TypeId {
  return Substitution(context, vars, by)(type);
}

}  // namespace relayopt
