// Gradients of element-wise operators.
#include <cmath>

#include "gradient_rules.h"
#include "relayopt/relay/ops/elementwise.h"

namespace relayopt {

namespace {

auto ClipGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const auto& attrs = r.attrs<ClipAttrs>();
  // For integers, only gradients strictly between the bounds are passed on.
  const bool is_float = r.ElementType(x).is_float();
  const double low = is_float ? attrs.a_min : std::ceil(attrs.a_min);
  const double high = is_float ? attrs.a_max : std::floor(attrs.a_max);
  const ExprId lows = r.Call("broadcast_to_like"_op, {r.Scalar(x, low), x});
  const ExprId highs = r.Call("broadcast_to_like"_op, {r.Scalar(x, high), x});
  const ExprId zeros = r.ZerosLike(x);
  const ExprId passed = r.Multiply(r.OnesLike(x), r.gradient());
  const ExprId above = r.Where(r.Call("less"_op, {highs, x}), zeros, passed);
  return std::vector<ExprId>{r.Where(r.Call("less"_op, {x, lows}), zeros, above)};
}

constexpr GradientRow kElementwiseRows[] = {
    {"abs"_op, "ones = ones_like(x); where(x < zeros_like(x), -ones * g, ones * g)"_formula},
    {"acos"_op, "ones = ones_like(x); g * (-ones / sqrt(ones - x * x))"_formula},
    {"acosh"_op, "ones = ones_like(x); g * ones / sqrt(x * x - ones)"_formula},
    {"asin"_op, "ones = ones_like(x); g * ones / sqrt(ones - x * x)"_formula},
    {"asinh"_op, "ones = ones_like(x); g * ones / sqrt(ones + x * x)"_formula},
    {"atan"_op, "ones = ones_like(x); g * ones / (ones + x * x)"_formula},
    {"atanh"_op, "ones = ones_like(x); g * ones / (ones - x * x)"_formula},
    {"cast"_op, "cast_like(g, x)"_formula},
    {"cast_like"_op, "cast_like(g, x), zeros_like(y)"_formula},
    {"clip"_op, ClipGradient},
    {"copy"_op, "g"_formula},
    {"cos"_op, "g * (-ones_like(x) * sin(x))"_formula},
    {"cosh"_op, "g * sinh(x)"_formula},
    // 2 / sqrt(pi) * exp(-x^2)
    {"erf"_op, "1.1283791670955126 * exp(-x * x) * g"_formula},
    {"exp"_op, "g * exp(x)"_formula},
    {"log"_op, "g * ones_like(x) / x"_formula},
    {"log10"_op, "g * ones_like(x) / (log(10) * x)"_formula},
    {"log2"_op, "g * ones_like(x) / (log(2) * x)"_formula},
    {"negative"_op, "-g"_formula},
    {"nn.leaky_relu"_op, "where(x < zeros_like(x), g * alpha, g)"_formula},
    {"nn.relu"_op, "zeros = zeros_like(x); where(x < zeros, zeros, ones_like(x) * g)"_formula},
    {"sigmoid"_op, "g * result * (ones_like(result) - result)"_formula},
    {"sin"_op, "g * cos(x)"_formula},
    {"sinh"_op, "g * cosh(x)"_formula},
    {"sqrt"_op, "half = 0.5; g * half * power(x, negative(half))"_formula},
    {"tan"_op, "g / (cos(x) * cos(x))"_formula},
    {"tanh"_op, "g * (ones_like(result) - result * result)"_formula},
    // The operand that was selected gets the gradient; of equal ones the first.
    {"maximum"_op,
     "zeros = zeros_like(g); is_first = greater_equal(x, y);"
     "collapse_sum_like(where(is_first, g, zeros), x), collapse_sum_like(where(is_first, zeros, g), y)"_formula},
    {"minimum"_op,
     "zeros = zeros_like(g); is_first = less_equal(x, y);"
     "collapse_sum_like(where(is_first, g, zeros), x), collapse_sum_like(where(is_first, zeros, g), y)"_formula},
    // 0 where y is 0, and where log(x) is not defined.
    {"power"_op,
     "zeros = zeros_like(g); of_base = g * y * power(x, y - ones_like(y)); of_exponent = g * result * log(x);"
     "collapse_sum_like(where(equal(y, zeros_like(y)), zeros, of_base), x),"
     "collapse_sum_like(where(x > zeros_like(x), of_exponent, zeros), y)"_formula},
};

}  // namespace

auto ElementwiseGradients() -> std::span<const GradientRow> { return kElementwiseRows; }

}  // namespace relayopt
