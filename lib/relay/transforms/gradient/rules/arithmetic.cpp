// Gradients of arithmetic with broadcasting: summed over the axes along which an operand was broadcast.
#include "gradient_rules.h"

namespace relayopt {

namespace {

auto AddGradient(GradientContext& r) -> Gradients {
  return std::vector<ExprId>{r.CollapseSumLike(r.gradient(), r.arg(0)), r.CollapseSumLike(r.gradient(), r.arg(1))};
}

auto SubtractGradient(GradientContext& r) -> Gradients {
  return std::vector<ExprId>{r.CollapseSumLike(r.gradient(), r.arg(0)),
                             r.CollapseSumLike(r.Negative(r.gradient()), r.arg(1))};
}

auto MultiplyGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId y = r.arg(1);
  return std::vector<ExprId>{r.CollapseSumLike(r.Multiply(r.gradient(), y), x),
                             r.CollapseSumLike(r.Multiply(r.gradient(), x), y)};
}

auto DivideGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId y = r.arg(1);
  const ExprId of_y = r.Negative(r.Divide(r.Multiply(r.gradient(), r.call()), y));
  return std::vector<ExprId>{r.CollapseSumLike(r.Divide(r.gradient(), y), x), r.CollapseSumLike(of_y, y)};
}

auto WhereGradient(GradientContext& r) -> Gradients {
  const ExprId condition = r.arg(0);
  const ExprId zeros = r.ZerosLike(r.gradient());
  return std::vector<ExprId>{r.ZerosLike(condition),
                             r.CollapseSumLike(r.Where(condition, r.gradient(), zeros), r.arg(1)),
                             r.CollapseSumLike(r.Where(condition, zeros, r.gradient()), r.arg(2))};
}

// Comparisons do not change with small changes of their operands.
auto ComparisonGradient(GradientContext& r) -> Gradients {
  return std::vector<ExprId>{r.ZerosLike(r.arg(0)), r.ZerosLike(r.arg(1))};
}

constexpr GradientRow kArithmeticRows[] = {
    {"add"_op, AddGradient},           {"divide"_op, DivideGradient},        {"less_equal"_op, ComparisonGradient},
    {"multiply"_op, MultiplyGradient}, {"not_equal"_op, ComparisonGradient}, {"subtract"_op, SubtractGradient},
    {"where"_op, WhereGradient},
};

}  // namespace

auto ArithmeticGradients() -> std::span<const GradientRow> { return kArithmeticRows; }

}  // namespace relayopt
