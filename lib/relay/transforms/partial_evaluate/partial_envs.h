// Environments: the variables that calls of closures have bound.
#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "partial_values.h"
#include "relayopt/relay/types/substitution.h"

namespace relayopt::partial {

// The variables of one call of a closure.
struct Env {
  // The call around it, and one further out, chosen so that any enclosing call is reached in a logarithmic number of
  // steps.
  EnvId outer;
  EnvId jump;
  // How many calls are around it: the same for every call of a literal, which is why `Envs::depths_` works.
  uint32_t depth = 0;
  absl::flat_hash_map<ExprId, ValueId> vars;
  // Replaces type parameters by their types in this call.
  std::optional<Substitution> type_args;
  // The innermost call with type parameters, starting from this one; none if there is none.
  EnvId generic;
};

class Envs {
 public:
  // Creates the environment of a new call, inside of `outer` or (invalid) of none.
  auto New(EnvId outer) -> EnvId;
  auto operator[](EnvId id) -> Env& { return envs_[id.value()]; }

  void Bind(const Where& here, ExprId var, ValueId value) {
    Env& env = envs_[here.env.value()];
    env.vars[var] = value;
    depths_[{here.from, var}] = env.depth;
  }
  auto Find(const Where& here, ExprId var) const -> ValueId;

  auto IsGeneric(EnvId env) const -> bool { return static_cast<bool>(envs_[env.value()].generic); }
  // Returns a type with the type parameters of the call, and of the calls around it, replaced.
  auto TypeIn(EnvId env, TypeId type) const -> TypeId;

 private:
  std::deque<Env> envs_;
  // How deep the environments are that bind a variable of a function.
  absl::flat_hash_map<std::pair<const Function*, ExprId>, uint32_t> depths_;
};

}  // namespace relayopt::partial
