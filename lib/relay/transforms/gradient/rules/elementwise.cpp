// Gradients of element-wise operators. `x` is the argument, `g` the gradient of the result.
#include <cmath>

#include "gradient_rules.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/nn_activation.h"

namespace relayopt {

namespace {

auto One(ExprId gradient) -> Gradients { return std::vector<ExprId>{gradient}; }

auto LogGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  return One(r.Divide(r.Multiply(r.gradient(), r.OnesLike(x)), x));
}

// g / (log(base) * x)
auto LogOfBase(GradientContext& r, double base) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId factor = r.Emit("log"_op, {r.Scalar(x, base)});
  return One(r.Divide(r.Multiply(r.gradient(), r.OnesLike(x)), r.Multiply(factor, x)));
}
auto Log2Gradient(GradientContext& r) -> Gradients { return LogOfBase(r, 2); }
auto Log10Gradient(GradientContext& r) -> Gradients { return LogOfBase(r, 10); }

auto TanGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId a = r.Emit("cos"_op, {x});
  const ExprId b = r.Emit("cos"_op, {x});
  return One(r.Divide(r.gradient(), r.Multiply(a, b)));
}

auto CosGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId minus = r.Negative(r.OnesLike(x));
  return One(r.Multiply(r.gradient(), r.Multiply(minus, r.Emit("sin"_op, {x}))));
}

// g * f(x)
auto Scaled(GradientContext& r, const OpDef* derivative) -> Gradients {
  return One(r.Multiply(r.gradient(), r.Emit(derivative, {r.arg(0)})));
}
auto SinGradient(GradientContext& r) -> Gradients { return Scaled(r, "cos"_op); }
auto CoshGradient(GradientContext& r) -> Gradients { return Scaled(r, "sinh"_op); }
auto SinhGradient(GradientContext& r) -> Gradients { return Scaled(r, "cosh"_op); }
auto ExpGradient(GradientContext& r) -> Gradients { return Scaled(r, "exp"_op); }

auto AcosGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId ones = r.OnesLike(x);
  const ExprId root = r.Emit("sqrt"_op, {r.Subtract(ones, r.Multiply(x, x))});
  return One(r.Multiply(r.gradient(), r.Divide(r.Negative(ones), root)));
}

auto AcoshGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId ones = r.OnesLike(x);
  const ExprId root = r.Emit("sqrt"_op, {r.Subtract(r.Multiply(x, x), ones)});
  return One(r.Divide(r.Multiply(r.gradient(), ones), root));
}

// g * 1 / f(1 + x * x), or 1 - x * x
auto OverSquare(GradientContext& r, bool plus, bool root) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId ones = r.OnesLike(x);
  const ExprId square = r.Multiply(x, x);
  ExprId below = plus ? r.Add(ones, square) : r.Subtract(ones, square);
  if (root) below = r.Emit("sqrt"_op, {below});
  return One(r.Divide(r.Multiply(r.gradient(), ones), below));
}
auto AsinGradient(GradientContext& r) -> Gradients { return OverSquare(r, false, true); }
auto AsinhGradient(GradientContext& r) -> Gradients { return OverSquare(r, true, true); }
auto AtanGradient(GradientContext& r) -> Gradients { return OverSquare(r, true, false); }
auto AtanhGradient(GradientContext& r) -> Gradients { return OverSquare(r, false, false); }

auto SqrtGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId half = r.Scalar(x, 0.5);
  const ExprId power = r.Emit("power"_op, {x, r.Negative(half)});
  return One(r.Multiply(r.Multiply(r.gradient(), half), power));
}

auto ErfGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  // 2 / sqrt(pi)
  const ExprId factor = r.Scalar(x, 1.1283791670955126);
  const ExprId bell = r.Emit("exp"_op, {r.Multiply(r.Negative(x), x)});
  return One(r.Multiply(r.Multiply(factor, bell), r.gradient()));
}

auto SigmoidGradient(GradientContext& r) -> Gradients {
  const ExprId y = r.call();
  return One(r.Multiply(r.Multiply(r.gradient(), y), r.Subtract(r.OnesLike(y), y)));
}

auto TanhGradient(GradientContext& r) -> Gradients {
  const ExprId y = r.call();
  return One(r.Multiply(r.gradient(), r.Subtract(r.OnesLike(y), r.Multiply(y, y))));
}

auto ReluGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId zeros = r.ZerosLike(x);
  const ExprId passed = r.Multiply(r.OnesLike(x), r.gradient());
  return One(r.Where(r.Emit("less"_op, {x, zeros}), zeros, passed));
}

auto AbsGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId ones = r.OnesLike(x);
  const ExprId is_negative = r.Emit("less"_op, {x, r.ZerosLike(x)});
  const ExprId falling = r.Multiply(r.Negative(ones), r.gradient());
  return One(r.Where(is_negative, falling, r.Multiply(ones, r.gradient())));
}

auto ClipGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const auto& attrs = r.attrs<ClipAttrs>();
  // For integers, only gradients strictly between the bounds are passed on.
  const bool is_float = r.ElementType(x).is_float();
  const double low = is_float ? attrs.a_min : std::ceil(attrs.a_min);
  const double high = is_float ? attrs.a_max : std::floor(attrs.a_max);
  const ExprId lows = r.Emit("broadcast_to_like"_op, {r.Scalar(x, low), x});
  const ExprId highs = r.Emit("broadcast_to_like"_op, {r.Scalar(x, high), x});
  const ExprId zeros = r.ZerosLike(x);
  const ExprId passed = r.Multiply(r.OnesLike(x), r.gradient());
  const ExprId above = r.Where(r.Emit("less"_op, {highs, x}), zeros, passed);
  return One(r.Where(r.Emit("less"_op, {x, lows}), zeros, above));
}

auto LeakyReluGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId falling = r.Multiply(r.gradient(), r.Scalar(x, r.attrs<LeakyReluAttrs>().alpha));
  return One(r.Where(r.Emit("less"_op, {x, r.ZerosLike(x)}), falling, r.gradient()));
}

// The operand that was selected gets the gradient; of equal ones the first.
auto SelectedGradient(GradientContext& r, const OpDef* selects_first) -> Gradients {
  const ExprId zeros = r.ZerosLike(r.gradient());
  const ExprId is_first = r.Emit(selects_first, {r.arg(0), r.arg(1)});
  return std::vector<ExprId>{r.CollapseSumLike(r.Where(is_first, r.gradient(), zeros), r.arg(0)),
                             r.CollapseSumLike(r.Where(is_first, zeros, r.gradient()), r.arg(1))};
}
auto MaximumGradient(GradientContext& r) -> Gradients { return SelectedGradient(r, "greater_equal"_op); }
auto MinimumGradient(GradientContext& r) -> Gradients { return SelectedGradient(r, "less_equal"_op); }

// g * b * a^(b - 1) and g * a^b * log(a): 0 where b is 0, and where log(a) is not defined.
auto PowerGradient(GradientContext& r) -> Gradients {
  const ExprId a = r.arg(0);
  const ExprId b = r.arg(1);
  const ExprId zeros = r.ZerosLike(r.gradient());
  const ExprId lower = r.Emit("power"_op, {a, r.Subtract(b, r.OnesLike(b))});
  const ExprId of_base = r.Multiply(r.Multiply(r.gradient(), b), lower);
  const ExprId of_exponent = r.Multiply(r.Multiply(r.gradient(), r.call()), r.Emit("log"_op, {a}));
  const ExprId is_constant = r.Emit("equal"_op, {b, r.ZerosLike(b)});
  const ExprId has_log = r.Emit("greater"_op, {a, r.ZerosLike(a)});
  return std::vector<ExprId>{r.CollapseSumLike(r.Where(is_constant, zeros, of_base), a),
                             r.CollapseSumLike(r.Where(has_log, of_exponent, zeros), b)};
}

auto NegativeGradient(GradientContext& r) -> Gradients { return One(r.Negative(r.gradient())); }
auto CopyGradient(GradientContext& r) -> Gradients { return One(r.gradient()); }
auto CastGradient(GradientContext& r) -> Gradients { return One(r.Emit("cast_like"_op, {r.gradient(), r.arg(0)})); }
auto CastLikeGradient(GradientContext& r) -> Gradients {
  return std::vector<ExprId>{r.Emit("cast_like"_op, {r.gradient(), r.arg(0)}), r.ZerosLike(r.arg(1))};
}

constexpr GradientRow kElementwiseRows[] = {
    {"abs"_op, AbsGradient},           {"acos"_op, AcosGradient},    {"acosh"_op, AcoshGradient},
    {"asin"_op, AsinGradient},         {"asinh"_op, AsinhGradient},  {"atan"_op, AtanGradient},
    {"atanh"_op, AtanhGradient},       {"cast"_op, CastGradient},    {"cast_like"_op, CastLikeGradient},
    {"clip"_op, ClipGradient},         {"copy"_op, CopyGradient},    {"cos"_op, CosGradient},
    {"cosh"_op, CoshGradient},         {"erf"_op, ErfGradient},      {"exp"_op, ExpGradient},
    {"log"_op, LogGradient},           {"log10"_op, Log10Gradient},  {"log2"_op, Log2Gradient},
    {"negative"_op, NegativeGradient}, {"nn.relu"_op, ReluGradient}, {"sigmoid"_op, SigmoidGradient},
    {"sin"_op, SinGradient},           {"sinh"_op, SinhGradient},    {"sqrt"_op, SqrtGradient},
    {"tan"_op, TanGradient},           {"tanh"_op, TanhGradient},    {"maximum"_op, MaximumGradient},
    {"minimum"_op, MinimumGradient},   {"power"_op, PowerGradient},  {"nn.leaky_relu"_op, LeakyReluGradient},
};

}  // namespace

auto ElementwiseGradients() -> std::span<const GradientRow> { return kElementwiseRows; }

}  // namespace relayopt
