#include "relayopt/relay/transforms/pass_callbacks.h"

#include <utility>

namespace relayopt {
namespace {

thread_local const PassCallbacks* t_pass_callbacks = nullptr;

}  // namespace

auto CurrentPassCallbacks() -> const PassCallbacks* { return t_pass_callbacks; }

auto SetPassCallbacks(const PassCallbacks* callbacks) -> const PassCallbacks* {
  return std::exchange(t_pass_callbacks, callbacks);
}

}  // namespace relayopt
