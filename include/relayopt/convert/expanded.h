// Modules with operators of other systems, in Relay's operators.
#pragma once

#include "relayopt/module/module.h"

namespace relayopt {

// Returns the module with operators of other systems (`onnx.LSTM`) expanded into operators of Relay, of which it is
// known what they cost. Returns the module as it is if it has none, or if some of them cannot be expanded.
auto Expanded(const Module& module) -> Module;

}  // namespace relayopt
