// Passes that misbehave on purpose, for tests of what relayopt does about it. The tool and the tests have them, the
// installed library does not. They can be found by name, but lists do not show them.
#pragma once

#include "relayopt/check/planted_faults.h"
#include "relayopt/pass/pass.h"

namespace relayopt {

// Registers them, and the faults that can be planted. Cheap; may be called again.
void RegisterTestPasses();

// The same for tensor programs.
extern const PassDef kTestMiscompilePrimFuncPass;
// Applies one of TVM's wrong rules.
extern const PassDef kTestPlantedFaultPass;
extern const PassDef kTestTirFaultPass;
// Returns the wrong rules, as the option of that pass
// names them. The faults of tir.TestPlantedFault.
auto PlantedTirFaults() -> std::vector<PlantedFault>;
void RegisterPlantedFaults();

}  // namespace relayopt
