// Whether arithmetic of floats keeps every bit.
#pragma once

#include <atomic>

namespace relayopt {
class Context;
}

namespace relayopt::arith {

// A part of a context. While `on`, folding and simplification leave out what holds for real numbers only: `x - x` is 0
// for neither infinities nor NaN, `x + 0` is not -0, `not x < y` is not `y <= x`.
struct StrictFloats {
  explicit StrictFloats(Context&) {}
  std::atomic<bool> on = false;

  static auto Of(Context& context) -> StrictFloats&;
};

}  // namespace relayopt::arith
