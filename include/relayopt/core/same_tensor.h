// Equality of constants by content.
#pragma once

#include "relayopt/core/constant.h"

namespace relayopt {

// Whether two constants have one element type, one shape and the same bytes as elements. What still is the text of a
// record is compared as such first, and decoded only if that differs.
auto SameTensor(const Constant& a, const Constant& b) -> bool;

}  // namespace relayopt
