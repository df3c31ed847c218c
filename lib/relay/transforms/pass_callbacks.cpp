#include "relayopt/relay/transforms/pass_callbacks.h"

namespace relayopt {

auto CallbacksOf(const PassContext& context) -> const PassCallbacks* {
  for (const InstrumentRef& instrument : context.instruments()) {
    if (const auto* callbacks = dynamic_cast<const PassCallbacks*>(instrument.get())) return callbacks;
  }
  return nullptr;
}

}  // namespace relayopt
