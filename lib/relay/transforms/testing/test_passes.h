// Rows of passes that misbehave on purpose. They can be found by name, but no header shows them.
#pragma once

#include "relayopt/pass/pass.h"

namespace relayopt {

extern const PassDef kTestAllocatePass;
extern const PassDef kTestMiscompilePass;
extern const PassDef kTestPlantedFaultPass;
extern const PassDef kTestSleepPass;

}  // namespace relayopt
