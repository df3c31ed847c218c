// The lowering that formats of other systems share.
#pragma once

#include <string_view>

#include "relayopt/pass/pass.h"

namespace relayopt {

// LowerFor<target=relax|onnx>: operators that the target lacks are said with those that it has.
extern const PassDef kLowerForPass;

// Whether LowerFor says calls of this operator with others for that system (relax or onnx), or leaves them out.
auto HasLowering(std::string_view op, std::string_view target) -> bool;

// CombineFor<target=onnx>: several operators that are one of the target become a composite function.
extern const PassDef kCombineForPass;

// Makes the passes of this layer known. Cheap; may be called again.
void RegisterConvertPasses();

}  // namespace relayopt
