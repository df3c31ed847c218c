// The lowering that formats of other systems share.
#pragma once

#include "relayopt/pass/pass.h"

namespace relayopt {

// LowerFor<target=relax|onnx>: operators that the target lacks are said with those that it has.
extern const PassDef kLowerForPass;

// Makes the passes of this layer known. Cheap; may be called again.
void RegisterConvertPasses();

}  // namespace relayopt
