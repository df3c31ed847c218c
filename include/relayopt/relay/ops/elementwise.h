// Element-wise operators: one input and one output of the same shape, or two that broadcast.
#pragma once

#include "relayopt/relay/ops/kernels_elementwise.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

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
constexpr auto Unary(std::string_view name, Kernel kernel, std::string_view shape_function, std::string_view doc,
                     TypeRule type = IdentityRule) -> OpDef {
  return {.name = name,
          .inputs = "data",
          .type = type,
          .kernel = kernel,
          .fusion = Fusion::kElemWise,
          .shape_function = shape_function,
          .layout = ElementwiseLayout,
          .doc = doc};
}
constexpr auto Binary(std::string_view name, Kernel kernel, std::string_view doc, TypeRule type = BroadcastRule)
    -> OpDef {
  return {.name = name,
          .inputs = "lhs, rhs",
          .type = type,
          .kernel = kernel,
          .fusion = Fusion::kBroadcast,
          .shape_function = "s",
          .layout = BroadcastLayout,
          .doc = doc};
}

inline constexpr OpDef kElementwiseOps[] = {
    Unary("abs", AbsKernel, "", "absolute value"),
    Unary("acos", AcosKernel, "", "inverse cosine"),
    Unary("acosh", AcoshKernel, "", "inverse hyperbolic cosine"),
    Binary("add", AddKernel, "sum").With(Precision::kFollow).With(ScaleRule::kSum),
    Unary("asin", AsinKernel, "", "inverse sine"),
    Unary("asinh", AsinhKernel, "", "inverse hyperbolic sine"),
    Unary("atan", AtanKernel, "", "inverse tangent"),
    Unary("atanh", AtanhKernel, "", "inverse hyperbolic tangent"),
    Binary("bitwise_and", BitwiseAndKernel, "bits set in both"),
    Unary("bitwise_not", BitwiseNotKernel, "s", "flips all bits"),
    Binary("bitwise_or", BitwiseOrKernel, "bits set in either"),
    Binary("bitwise_xor", BitwiseXorKernel, "bits set in exactly one"),
    Unary("ceil", CeilKernel, "s", "rounds toward plus infinity"),
    {.name = "clip",
     .inputs = "data",
     .attrs = &kSchema<ClipAttrs>,
     .type = IdentityRule,
     .kernel = ClipKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = ElementwiseLayout,
     .doc = "limits each element to [a_min, a_max]"},
    Unary("copy", CopyKernel, "s", "the data itself").With(Precision::kFollow),
    Unary("cos", CosKernel, "", "cosine"),
    Unary("cosh", CoshKernel, "", "hyperbolic cosine"),
    Binary("divide", DivideKernel, "quotient; of integers rounded toward zero").With(Precision::kFollow),
    Binary("equal", EqualKernel, "a == b", BroadcastCompareRule),
    Unary("erf", ErfKernel, "", "error function").With(Precision::kNever),
    Unary("exp", ExpKernel, "s", "e to the power of the element").With(Precision::kNever),
    Unary("fast_erf", FastErfKernel, "s", "approximation of erf").With(Precision::kFollow),
    Unary("fast_exp", FastExpKernel, "s", "approximation of exp").With(Precision::kFollow),
    Unary("fast_tanh", FastTanhKernel, "s", "approximation of tanh").With(Precision::kFollow),
    {.name = "fixed_point_multiply",
     .inputs = "data",
     .attrs = &kSchema<FixedPointMultiplyAttrs>,
     .type = IdentityRule,
     .kernel = FixedPointMultiplyKernel,
     .fusion = Fusion::kElemWise,
     .layout = ElementwiseLayout,
     .doc = "multiplies int32 or int64 by multiplier * 2^(shift - 31), rounding half up"},
    Unary("floor", FloorKernel, "s", "rounds toward minus infinity"),
    Binary("floor_divide", FloorDivideKernel, "quotient rounded toward minus infinity"),
    Binary("floor_mod", FloorModKernel, "remainder with the sign of the divisor"),
    Binary("greater", GreaterKernel, "a > b", BroadcastCompareRule).With(Precision::kFollow),
    Binary("greater_equal", GreaterEqualKernel, "a >= b", BroadcastCompareRule).With(Precision::kFollow),
    Unary("isfinite", IsfiniteKernel, "", "whether the element is neither infinite nor NaN", IdentityCompareRule),
    Unary("isinf", IsinfKernel, "", "whether the element is infinite", IdentityCompareRule),
    Unary("isnan", IsnanKernel, "", "whether the element is NaN", IdentityCompareRule),
    Binary("left_shift", LeftShiftKernel, "a << b"),
    Binary("less", LessKernel, "a < b", BroadcastCompareRule).With(Precision::kFollow),
    Binary("less_equal", LessEqualKernel, "a <= b", BroadcastCompareRule).With(Precision::kFollow),
    Unary("log", LogKernel, "s", "natural logarithm"),
    Unary("log10", Log10Kernel, "", "logarithm to base 10"),
    Unary("log2", Log2Kernel, "s", "logarithm to base 2"),
    Binary("logical_and", LogicalAndKernel, "whether both are true"),
    Unary("logical_not", LogicalNotKernel, "s", "whether the element is false"),
    Binary("logical_or", LogicalOrKernel, "whether either is true"),
    Binary("logical_xor", LogicalXorKernel, "whether exactly one is true"),
    Binary("maximum", MaximumKernel, "the larger one").With(Precision::kFollow),
    Binary("minimum", MinimumKernel, "the smaller one").With(Precision::kFollow),
    Binary("mod", ModKernel, "remainder with the sign of the dividend"),
    Binary("multiply", MultiplyKernel, "product").With(Precision::kFollow).With(ScaleRule::kScale),
    Unary("negative", NegativeKernel, "s", "zero minus the element"),
    Binary("not_equal", NotEqualKernel, "a != b", BroadcastCompareRule),
    Unary("ones_like", OnesLikeKernel, "s", "ones of the data's type"),
    Binary("power", PowerKernel, "a to the power of b").With(Precision::kNever),
    Binary("right_shift", RightShiftKernel, "a >> b; keeps the sign of signed integers"),
    Unary("round", RoundKernel, "s", "rounds to the nearest integer, half away from zero"),
    Unary("rsqrt", RsqrtKernel, "s", "1 / sqrt of the element"),
    Unary("sigmoid", SigmoidKernel, "s", "1 / (1 + exp of the negated element)").With(Precision::kFollow),
    Unary("sign", SignKernel, "", "-1, 0 or 1"),
    Unary("sin", SinKernel, "", "sine"),
    Unary("sinh", SinhKernel, "", "hyperbolic sine"),
    Unary("sqrt", SqrtKernel, "s", "square root").With(Precision::kFollow),
    Binary("subtract", SubtractKernel, "difference").With(Precision::kFollow).With(ScaleRule::kSum),
    Unary("tan", TanKernel, "s", "tangent"),
    Unary("tanh", TanhKernel, "s", "hyperbolic tangent").With(Precision::kFollow),
    Unary("trunc", TruncKernel, "", "rounds toward zero"),
    Binary("trunc_divide", TruncDivideKernel, "quotient rounded toward zero"),
    Binary("trunc_mod", TruncModKernel, "remainder of the quotient rounded toward zero"),
    Unary("zeros_like", ZerosLikeKernel, "s", "zeros of the data's type"),
};

}  // namespace relayopt
