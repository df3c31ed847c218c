// Element-wise operators: one input and one output of the same shape, or two that broadcast.
#pragma once

#include "relayopt/ops/type_rules.h"

namespace relayopt {

struct ClipAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ClipAttrs";
  double a_min = 0;
  double a_max = 0;
  static constexpr auto Fields() {
    return std::array{
        Required<&ClipAttrs::a_min>("a_min", "lower bound"),
        Required<&ClipAttrs::a_max>("a_max", "upper bound"),
    };
  }
};

struct FixedPointMultiplyAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.FixedPointMultiplyAttrs";
  int64_t multiplier = 0;
  int64_t shift = 0;
  static constexpr auto Fields() {
    return std::array{
        Required<&FixedPointMultiplyAttrs::multiplier>("multiplier", "factor in Q31 format"),
        Required<&FixedPointMultiplyAttrs::shift>("shift", "binary exponent of the factor"),
    };
  }
};

// The shape that most rows of this family share.
constexpr auto Unary(std::string_view name, std::string_view shape_function, std::string_view doc,
                     TypeRule type = IdentityRule) -> OpDef {
  return {.name = name,
          .inputs = "data",
          .type = type,
          .fusion = Fusion::kElemWise,
          .shape_function = shape_function,
          .layout = "ElemwiseArbitraryLayout",
          .doc = doc};
}
constexpr auto Binary(std::string_view name, std::string_view doc, TypeRule type = BroadcastRule) -> OpDef {
  return {.name = name,
          .inputs = "lhs, rhs",
          .type = type,
          .fusion = Fusion::kBroadcast,
          .shape_function = "s",
          .layout = "BinaryBroadcastLayout",
          .doc = doc};
}

inline constexpr OpDef kElementwiseOps[] = {
    Unary("abs", "", "absolute value"),
    Unary("acos", "", "inverse cosine"),
    Unary("acosh", "", "inverse hyperbolic cosine"),
    Binary("add", "sum"),
    Unary("asin", "", "inverse sine"),
    Unary("asinh", "", "inverse hyperbolic sine"),
    Unary("atan", "", "inverse tangent"),
    Unary("atanh", "", "inverse hyperbolic tangent"),
    Binary("bitwise_and", "bits set in both"),
    Unary("bitwise_not", "s", "flips all bits"),
    Binary("bitwise_or", "bits set in either"),
    Binary("bitwise_xor", "bits set in exactly one"),
    Unary("ceil", "s", "rounds toward plus infinity"),
    {.name = "clip",
     .inputs = "data",
     .attrs = &kSchema<ClipAttrs>,
     .type = IdentityRule,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .layout = "ElemwiseArbitraryLayout",
     .doc = "limits each element to [a_min, a_max]"},
    Unary("copy", "s", "the data itself"),
    Unary("cos", "", "cosine"),
    Unary("cosh", "", "hyperbolic cosine"),
    Binary("divide", "quotient; of integers rounded toward zero"),
    Binary("equal", "a == b", BroadcastCompareRule),
    Unary("erf", "", "error function"),
    Unary("exp", "s", "e to the power of the element"),
    Unary("fast_erf", "s", "approximation of erf"),
    Unary("fast_exp", "s", "approximation of exp"),
    Unary("fast_tanh", "s", "approximation of tanh"),
    {.name = "fixed_point_multiply",
     .inputs = "data",
     .attrs = &kSchema<FixedPointMultiplyAttrs>,
     .type = IdentityRule,
     .fusion = Fusion::kElemWise,
     .layout = "ElemwiseArbitraryLayout",
     .doc = "multiplies int32 by multiplier * 2^(shift - 31), rounding half up"},
    Unary("floor", "s", "rounds toward minus infinity"),
    Binary("floor_divide", "quotient rounded toward minus infinity"),
    Binary("floor_mod", "remainder with the sign of the divisor"),
    Binary("greater", "a > b", BroadcastCompareRule),
    Binary("greater_equal", "a >= b", BroadcastCompareRule),
    Unary("isfinite", "", "whether the element is neither infinite nor NaN", IdentityCompareRule),
    Unary("isinf", "", "whether the element is infinite", IdentityCompareRule),
    Unary("isnan", "", "whether the element is NaN", IdentityCompareRule),
    Binary("left_shift", "a << b"),
    Binary("less", "a < b", BroadcastCompareRule),
    Binary("less_equal", "a <= b", BroadcastCompareRule),
    Unary("log", "s", "natural logarithm"),
    Unary("log10", "", "logarithm to base 10"),
    Unary("log2", "s", "logarithm to base 2"),
    Binary("logical_and", "whether both are true"),
    Unary("logical_not", "s", "whether the element is false"),
    Binary("logical_or", "whether either is true"),
    Binary("logical_xor", "whether exactly one is true"),
    Binary("maximum", "the larger one"),
    Binary("minimum", "the smaller one"),
    Binary("mod", "remainder with the sign of the dividend"),
    Binary("multiply", "product"),
    Unary("negative", "s", "zero minus the element"),
    Binary("not_equal", "a != b", BroadcastCompareRule),
    Unary("ones_like", "s", "ones of the data's type"),
    Binary("power", "a to the power of b"),
    Binary("right_shift", "a >> b; keeps the sign of signed integers"),
    Unary("round", "s", "rounds to the nearest integer, half away from zero"),
    Unary("rsqrt", "s", "1 / sqrt of the element"),
    Unary("sigmoid", "s", "1 / (1 + exp of the negated element)"),
    Unary("sign", "", "-1, 0 or 1"),
    Unary("sin", "", "sine"),
    Unary("sinh", "", "hyperbolic sine"),
    Unary("sqrt", "s", "square root"),
    Binary("subtract", "difference"),
    Unary("tan", "s", "tangent"),
    Unary("tanh", "s", "hyperbolic tangent"),
    Unary("trunc", "", "rounds toward zero"),
    Binary("trunc_divide", "quotient rounded toward zero"),
    Binary("trunc_mod", "remainder of the quotient rounded toward zero"),
    Unary("zeros_like", "s", "zeros of the data's type"),
};

}  // namespace relayopt
