// Rows of element-wise operators.
#include "relayopt/relay/ops/elementwise.h"

#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

KernelFunction AbsKernel, AcosKernel, AcoshKernel, AddKernel, AsinKernel, AsinhKernel, AtanKernel, AtanhKernel,
    BitwiseAndKernel, BitwiseNotKernel, BitwiseOrKernel, BitwiseXorKernel, CeilKernel, ClipKernel, CosKernel,
    CoshKernel, DivideKernel, EqualKernel, ErfKernel, ExpKernel, FastErfKernel, FastExpKernel, FastTanhKernel,
    FixedPointMultiplyKernel, FloorDivideKernel, FloorKernel, FloorModKernel, GreaterEqualKernel, GreaterKernel,
    IsfiniteKernel, IsinfKernel, IsnanKernel, LeftShiftKernel, LessEqualKernel, LessKernel, Log10Kernel, Log2Kernel,
    LogKernel, LogicalAndKernel, LogicalNotKernel, LogicalOrKernel, LogicalXorKernel, MaximumKernel, MinimumKernel,
    ModKernel, MultiplyKernel, NegativeKernel, NotEqualKernel, OnesLikeKernel, PowerKernel, RightShiftKernel,
    RoundKernel, RsqrtKernel, SigmoidKernel, SignKernel, SinKernel, SinhKernel, SqrtKernel, SubtractKernel, TanKernel,
    TanhKernel, TruncDivideKernel, TruncKernel, TruncModKernel, ZerosLikeKernel;

namespace {

// Returns the shape that most rows of this family share.
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

}  // namespace

constinit const OpRows<OpFamily::kElementwise> kElementwiseOps = NumberedRows<OpFamily::kElementwise>({
    Unary("abs", AbsKernel, "", "absolute value").On("n"),
    Unary("acos", AcosKernel, "", "inverse cosine").On("f"),
    Unary("acosh", AcoshKernel, "", "inverse hyperbolic cosine").On("f"),
    Binary("add", AddKernel, "sum").With(Precision::kFollow).With(ScaleRule::kSum),
    Unary("asin", AsinKernel, "", "inverse sine").On("f"),
    Unary("asinh", AsinhKernel, "", "inverse hyperbolic sine").On("f"),
    Unary("atan", AtanKernel, "", "inverse tangent").On("f"),
    Unary("atanh", AtanhKernel, "", "inverse hyperbolic tangent").On("f"),
    Binary("bitwise_and", BitwiseAndKernel, "bits set in both").On("x"),
    Unary("bitwise_not", BitwiseNotKernel, "s", "flips all bits").On("x"),
    Binary("bitwise_or", BitwiseOrKernel, "bits set in either").On("x"),
    Binary("bitwise_xor", BitwiseXorKernel, "bits set in exactly one").On("x"),
    Unary("ceil", CeilKernel, "s", "rounds toward plus infinity"),
    {.name = "clip",
     .inputs = "data",
     .attrs = &kSchema<ClipAttrs>,
     .type = IdentityRule,
     .kernel = ClipKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .element_types = "n",
     .precision = Precision::kFollow,
     .layout = ElementwiseLayout,
     .doc = "limits each element to [a_min, a_max]"},
    Unary("copy", CopyKernel, "s", "the data itself").With(Precision::kFollow),
    Unary("cos", CosKernel, "", "cosine").On("f"),
    Unary("cosh", CoshKernel, "", "hyperbolic cosine").On("f"),
    Binary("divide", DivideKernel, "quotient; of integers rounded toward zero").With(Precision::kFollow).On("n"),
    Binary("equal", EqualKernel, "a == b", BroadcastCompareRule),
    Unary("erf", ErfKernel, "", "error function").With(Precision::kNever).On("f"),
    Unary("exp", ExpKernel, "s", "e to the power of the element").With(Precision::kNever).On("f"),
    Unary("fast_erf", FastErfKernel, "s", "approximation of erf").With(Precision::kFollow).On("f"),
    Unary("fast_exp", FastExpKernel, "s", "approximation of exp").With(Precision::kFollow).On("f"),
    Unary("fast_tanh", FastTanhKernel, "s", "approximation of tanh").With(Precision::kFollow).On("f"),
    {.name = "fixed_point_multiply",
     .inputs = "data",
     .attrs = &kSchema<FixedPointMultiplyAttrs>,
     .type = IdentityRule,
     .kernel = FixedPointMultiplyKernel,
     .fusion = Fusion::kElemWise,
     .element_types = "i",
     .layout = ElementwiseLayout,
     .doc = "multiplies int32 or int64 by multiplier * 2^(shift - 31), rounding half up"},
    Unary("floor", FloorKernel, "s", "rounds toward minus infinity"),
    Binary("floor_divide", FloorDivideKernel, "quotient rounded toward minus infinity").On("n"),
    Binary("floor_mod", FloorModKernel, "remainder with the sign of the divisor").On("n"),
    Binary("greater", GreaterKernel, "a > b", BroadcastCompareRule).With(Precision::kFollow),
    Binary("greater_equal", GreaterEqualKernel, "a >= b", BroadcastCompareRule).With(Precision::kFollow),
    Unary("isfinite", IsfiniteKernel, "", "whether the element is neither infinite nor NaN", IdentityCompareRule),
    Unary("isinf", IsinfKernel, "", "whether the element is infinite", IdentityCompareRule),
    Unary("isnan", IsnanKernel, "", "whether the element is NaN", IdentityCompareRule),
    Binary("left_shift", LeftShiftKernel, "a << b").On("i"),
    Binary("less", LessKernel, "a < b", BroadcastCompareRule).With(Precision::kFollow),
    Binary("less_equal", LessEqualKernel, "a <= b", BroadcastCompareRule).With(Precision::kFollow),
    Unary("log", LogKernel, "s", "natural logarithm").On("f"),
    Unary("log10", Log10Kernel, "", "logarithm to base 10").On("f"),
    Unary("log2", Log2Kernel, "s", "logarithm to base 2").On("f"),
    Binary("logical_and", LogicalAndKernel, "whether both are true").On("b"),
    Unary("logical_not", LogicalNotKernel, "s", "whether the element is false").On("b"),
    Binary("logical_or", LogicalOrKernel, "whether either is true").On("b"),
    Binary("logical_xor", LogicalXorKernel, "whether exactly one is true").On("x"),
    Binary("maximum", MaximumKernel, "the larger one").With(Precision::kFollow),
    Binary("minimum", MinimumKernel, "the smaller one").With(Precision::kFollow),
    Binary("mod", ModKernel, "remainder with the sign of the dividend").On("n"),
    Binary("multiply", MultiplyKernel, "product").With(Precision::kFollow).With(ScaleRule::kScale),
    Unary("negative", NegativeKernel, "s", "zero minus the element").On("n"),
    Binary("not_equal", NotEqualKernel, "a != b", BroadcastCompareRule),
    Unary("ones_like", OnesLikeKernel, "s", "ones of the data's type"),
    Binary("power", PowerKernel, "a to the power of b").With(Precision::kNever).On("f"),
    Binary("right_shift", RightShiftKernel, "a >> b; keeps the sign of signed integers").On("i"),
    Unary("round", RoundKernel, "s", "rounds to the nearest integer, half away from zero"),
    Unary("rsqrt", RsqrtKernel, "s", "1 / sqrt of the element").On("f"),
    Unary("sigmoid", SigmoidKernel, "s", "1 / (1 + exp of the negated element)").With(Precision::kFollow).On("f"),
    Unary("sign", SignKernel, "", "-1, 0 or 1").On("n"),
    Unary("sin", SinKernel, "", "sine").On("f"),
    Unary("sinh", SinhKernel, "", "hyperbolic sine").On("f"),
    Unary("sqrt", SqrtKernel, "s", "square root").With(Precision::kFollow).On("f"),
    Binary("subtract", SubtractKernel, "difference").With(Precision::kFollow).With(ScaleRule::kSum),
    Unary("tan", TanKernel, "s", "tangent").On("f"),
    Unary("tanh", TanhKernel, "s", "hyperbolic tangent").With(Precision::kFollow).On("f"),
    Unary("trunc", TruncKernel, "", "rounds toward zero"),
    Binary("trunc_divide", TruncDivideKernel, "quotient rounded toward zero").On("n"),
    Binary("trunc_mod", TruncModKernel, "remainder of the quotient rounded toward zero").On("n"),
    Unary("zeros_like", ZerosLikeKernel, "s", "zeros of the data's type"),
});

}  // namespace relayopt
