// The list of the passes that formats need.
#include "relayopt/convert/lower.h"
#include "relayopt/pass/registry.h"

namespace relayopt {

void RegisterConvertPasses() {
  static constexpr const PassDef* kPasses[] = {&kCombineForPass, &kLowerForPass};
  RegisterPasses(kPasses);
}

}  // namespace relayopt
