// Adapts attributes that name the element type of the result.
#pragma once

#include "relayopt/core/context.h"

namespace relayopt {

// The attributes of a call whose operands become `reduced`: an element type of the result among them becomes it too.
auto ReducedAttrs(Context& context, AttrsId attrs, DataType reduced) -> AttrsId;

// Whether the numbers among the attributes exist in `reduced`.
auto CanReduceAttrs(const Context& context, AttrsId attrs, DataType reduced) -> bool;

}  // namespace relayopt
