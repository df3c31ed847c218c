// Constants that a narrower float type cannot hold.
#pragma once

#include <optional>

#include "relayopt/core/constant.h"

namespace relayopt {

// An element that becomes infinite, or 0 although it is not, and so changes what is computed beyond rounding.
struct LostElement {
  double value = 0;
  bool is_infinite = false;
};

// Returns an element of a float constant that leaves the range of `narrow`. Small elements among others that are kept
// round to 0 as they may, unless `zeros_count`: a divisor must not become 0.
auto FindLostElement(const Constant& constant, DataType narrow, bool zeros_count) -> std::optional<LostElement>;

// Whether a number is the greatest float32, as six digits give it, or beyond. As padding of a maximum, or as an
// identity of one, it stands for infinity.
auto StandsForInfinity(double value) -> bool;

// Whether a number that is not 0 becomes 0 in `narrow`.
auto BecomesZero(double value, DataType narrow) -> bool;

}  // namespace relayopt
