// Gradients of arithmetic with broadcasting: summed over the axes along which an operand was broadcast.
#include "gradient_rules.h"

namespace relayopt {

namespace {

// Comparisons do not change with small changes of their operands.
constexpr Formula kNone = "zeros_like(x), zeros_like(y)"_formula;

constexpr GradientRow kArithmeticRows[] = {
    {"add"_op, "collapse_sum_like(g, x), collapse_sum_like(g, y)"_formula},
    {"divide"_op, "collapse_sum_like(g / y, x), collapse_sum_like(-(g * result / y), y)"_formula},
    {"less_equal"_op, kNone},
    {"multiply"_op, "collapse_sum_like(g * y, x), collapse_sum_like(g * x, y)"_formula},
    {"not_equal"_op, kNone},
    {"subtract"_op, "collapse_sum_like(g, x), collapse_sum_like(-g, y)"_formula},
    {"where"_op,
     "zeros = zeros_like(g);"
     "zeros_like(x), collapse_sum_like(where(x, g, zeros), y), collapse_sum_like(where(x, zeros, g), z)"_formula},
};

}  // namespace

auto ArithmeticGradients() -> std::span<const GradientRow> { return kArithmeticRows; }

}  // namespace relayopt
