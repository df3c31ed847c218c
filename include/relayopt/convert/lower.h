// The passes that prepare a module for formats with other operators.
#pragma once

#include <string_view>

#include "relayopt/pass/pass.h"

namespace relayopt {

// LowerFor<target=relax|onnx>: expresses operators that the target lacks by those that it has.
extern const PassDef kLowerForPass;

// Whether LowerFor replaces or removes calls of this operator for the target (relax or onnx).
auto HasLowering(std::string_view op, std::string_view target) -> bool;

// CombineFor<target=onnx>: turns groups of operators that are a single one of the target into composite functions.
extern const PassDef kCombineForPass;

// ExpandOnnx: expresses calls of ONNX's operators, as --onnx-keep leaves them, by operators of Relay.
extern const PassDef kExpandOnnxPass;

// Registers these passes. Cheap; may be called again.
void RegisterConvertPasses();

}  // namespace relayopt
