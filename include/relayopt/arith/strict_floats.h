// The switch that makes arithmetic preserve floats bit by bit.
#pragma once

#include <atomic>

namespace relayopt {
class Context;
}

namespace relayopt::arith {

// A part of a context. While `on`, folding and simplification leave out rewrites that hold for real numbers only: `x -
// x` is not 0 for infinities and NaN, `x + 0` turns -0 into 0, and `not x < y` differs from `y <= x` for NaN.
struct StrictFloats {
  explicit StrictFloats(Context&) {}
  std::atomic<bool> on = false;

  static auto Of(Context& context) -> StrictFloats&;
};

}  // namespace relayopt::arith
