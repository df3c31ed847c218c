// Element-wise operators: one input and one output of the same shape, or two that broadcast.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `clip`.
struct ClipAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ClipAttrs";
  double a_min = 0;
  double a_max = 0;
  static constexpr auto Fields() {
    return std::array{
        Required<&ClipAttrs::a_min>("lower bound"),
        Required<&ClipAttrs::a_max>("upper bound"),
    };
  }
};

// The attributes of `fixed_point_multiply`.
struct FixedPointMultiplyAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.FixedPointMultiplyAttrs";
  int64_t multiplier = 0;
  int64_t shift = 0;
  static constexpr auto Fields() {
    return std::array{
        Required<&FixedPointMultiplyAttrs::multiplier>("factor in Q31 format"),
        Required<&FixedPointMultiplyAttrs::shift>("binary exponent of the factor"),
    };
  }
};

}  // namespace relayopt
