// Properties of the data of deformable convolutions.
#pragma once

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Whether data of four axes is a call of nn.pad that puts zeros around height and width, at least one on each side, and
// nothing else: then Relay's deformable convolution is ONNX's.
auto IsPaddedWithZeros(const Function& function, ExprId data) -> bool;

}  // namespace relayopt
