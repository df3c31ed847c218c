// Looks variables and types up, from the innermost call outward.
#include "partial_envs.h"

namespace relayopt::partial {

auto Envs::New(EnvId outer) -> EnvId {
  Env env{.outer = outer};
  if (outer) {
    // Jumps as in a skew-binary list: after two jumps of equal length comes one of the combined length.
    const Env& around = envs_[outer.value()];
    const EnvId far = around.jump ? envs_[around.jump.value()].jump : EnvId();
    const bool joins = far && around.depth - envs_[around.jump.value()].depth ==
                                  envs_[around.jump.value()].depth - envs_[far.value()].depth;
    env.jump = joins ? far : outer;
    env.depth = around.depth + 1;
    env.generic = around.generic;
  }
  envs_.push_back(std::move(env));
  return EnvId(envs_.size() - 1);
}

auto Envs::Find(const Where& here, ExprId var) const -> ValueId {
  const Env& own = envs_[here.env.value()];
  if (const auto found = own.vars.find(var); found != own.vars.end()) return found->second;
  const uint32_t depth = depths_.at({here.from, var});
  EnvId env = here.env;
  while (envs_[env.value()].depth != depth) {
    const Env& at = envs_[env.value()];
    env = envs_[at.jump.value()].depth >= depth ? at.jump : at.outer;
  }
  return envs_[env.value()].vars.at(var);
}

auto Envs::TypeIn(EnvId env, TypeId type) const -> TypeId {
  if (!type || !IsGeneric(env)) return type;
  for (EnvId at = envs_[env.value()].generic; at;) {
    const Env& generic = envs_[at.value()];
    type = (*generic.type_args)(type);
    at = generic.outer ? envs_[generic.outer.value()].generic : EnvId();
  }
  return type;
}

}  // namespace relayopt::partial
