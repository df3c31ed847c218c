// Operators of one tensor that work element by element.
#include <cmath>
#include <limits>

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "shared.h"

namespace relayopt::onnx {

auto ConvertRename(Node& n) -> Results { return n.em().Call(n.row().relay, n.ins()); }

namespace {

auto ConvertRelu(Node& n) -> Results { return Relu(n, n.in(0)); }

auto ConvertSign(Node& n) -> Results { return KeepNaN(n, n.in(0), n.em().Call("sign"_op, {n.in(0)})); }

auto ConvertLeakyRelu(Node& n) -> Results {
  return n.em().Call("nn.leaky_relu"_op, {n.in(0)}, {{"alpha", n.Decimal("alpha")}});
}

auto ConvertRound(Node& n) -> Results { return n.exact() ? RoundHalfEven(n.em(), n.in(0)) : ConvertFormula(n); }

auto ConvertIsInf(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  // Relay has no test for 16-bit floats.
  ExprId result = em.Call("isinf"_op, {x});
  const auto only = [&](const OpDef* side) {
    // As TVM: truth values are multiplied.
    result = em.Call("multiply"_op, {result, em.Call(side, {x, em.Scalar(em.dtype(x), 0)})});
  };
  if (!n.Flag("detect_negative")) only("greater"_op);
  if (!n.Flag("detect_positive")) only("less"_op);
  return result;
}

auto ConvertThresholdedRelu(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const ExprId bound = em.Call("full_like"_op, {x, em.Scalar(dtype, n.Float("alpha"))});
  // A product of an infinity and 0 is NaN.
  if (n.exact()) return Where(em, Greater(em, x, bound), x, em.Scalar(dtype, 0.0));
  return Mul(em, x, Cast(em, Greater(em, x, bound), dtype));
}

auto ConvertGelu(Node& n) -> Results {
  return Computed(n, n.Choice("approximate", "none,tanh") == "tanh" ? kTanhGelu : kGelu, n.in(0));
}

// Whether a double represents the bound of a clip of integers exactly.
auto IsExactBound(double bound) -> bool {
  constexpr double kLargest = 9007199254740992;
  return std::fabs(bound) <= kLargest;
}

// The bound if none is given: in evaluations the greatest finite number, as ONNX says.
auto DefaultBound(Node& n, DataType dtype) -> double {
  return n.keeps_nan(n.in(0)) ? LargestFinite(dtype) : std::numeric_limits<double>::infinity();
}

auto ConvertClip(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  const double bound = DefaultBound(n, em.dtype(x));
  if (n.opset() < 11) {
    const double least = n.Has("min") ? n.Decimal("min") : -bound;
    return KeepNaN(n, x, Clip(em, x, least, n.Has("max") ? n.Decimal("max") : bound));
  }
  const auto low = em.DoublesOf(n.in(1));
  const auto high = em.DoublesOf(n.in(2));
  const bool is_wide = !em.dtype(x).is_float() && em.dtype(x).bits == 64;
  const bool are_numbers = low && high && low->size() == 1 && high->size() == 1;
  if (are_numbers && (!is_wide || (IsExactBound(low->front()) && IsExactBound(high->front())))) {
    // The greater bound wins, as in ONNX.
    return KeepNaN(n, x, Clip(em, x, std::min(low->front(), high->front()), high->front()));
  }
  const ExprId given = x;
  const bool has_bounds = std::isfinite(bound);
  // onnxruntime takes lists of one element for scalars; they add no axis to the result.
  const auto bound_of = [&](size_t i, double standard) {
    if (!n.has(i)) return em.Scalar(em.dtype(x), standard);
    return em.rank(x) == 0 && em.rank(n.in(i)) == 1 ? Squeeze(em, n.in(i), {0}) : n.in(i);
  };
  if (n.has(1) || has_bounds) x = Maximum(em, x, bound_of(1, -bound));
  if (n.has(2) || has_bounds) x = Minimum(em, x, bound_of(2, bound));
  return n.has(1) || n.has(2) ? KeepNaN(n, given, x) : x;
}

// Returns the row of an operator that Relay has under another name; `kernels` is none if the ONNX writer does not use
// the row.
constexpr auto Rename(std::string_view name, std::string_view versions, const OpDef* relay, Types kernels,
                      std::string_view attributes = "") -> OpRow {
  return OpRow(name, versions, "X", attributes, ConvertRename).Of(relay, kernels).ByTypes();
}

// Returns the row of a unary operator with a formula; `exact` is the formula for exact imports if it differs.
constexpr auto Computes(std::string_view name, std::string_view versions, Formula formula,
                        std::string_view attributes = "", Formula exact = {}) -> OpRow {
  return OpRow(name, versions, "X", attributes, ConvertFormula).Computing(formula, exact).ByTypes();
}

constexpr OpRow kElementwiseRows[] = {
    Rename("Abs", "1 6 13", "abs"_op, kArithmetic, "ints consumed_inputs"),
    Rename("Acos", "7", "acos"_op, kSmallFloats),
    Rename("Acosh", "9", "acosh"_op, kSmallFloats),
    Rename("Asin", "7", "asin"_op, kSmallFloats),
    Rename("Asinh", "9", "asinh"_op, kSmallFloats),
    Rename("Atan", "7", "atan"_op, kSmallFloats),
    Rename("Atanh", "9", "atanh"_op, kSmallFloats),
    Rename("BitwiseNot", "18", "bitwise_not"_op, 0),
    Rename("Ceil", "1 6 13", "ceil"_op, kReals, "ints consumed_inputs"),
    Rename("Cos", "7", "cos"_op, kReals),
    Rename("Cosh", "9", "cosh"_op, kSmallFloats),
    Rename("Erf", "9 13", "erf"_op, kSmallFloats),
    Rename("Exp", "1 6 13", "exp"_op, kReals, "ints consumed_inputs"),
    Rename("Floor", "1 6 13", "floor"_op, kReals, "ints consumed_inputs"),
    Rename("IsNaN", "9 13 20", "isnan"_op, kReals),
    Rename("Log", "1 6 13", "log"_op, kReals, "ints consumed_inputs"),
    Rename("Neg", "1 6 13", "negative"_op, 0, "ints consumed_inputs"),
    Rename("Not", "1", "logical_not"_op, kB),
    OpRow("Relu", "1 6 13 14", "X", "ints consumed_inputs", ConvertRelu).ByTypes(),
    Rename("Sigmoid", "1 6 13", "sigmoid"_op, kReals, "ints consumed_inputs"),
    OpRow("Sign", "9 13", "input", "", ConvertSign).Of("sign"_op, kArithmetic).ByTypes(),
    Rename("Sin", "7", "sin"_op, kReals),
    Rename("Sinh", "9", "sinh"_op, kSmallFloats),
    Rename("Sqrt", "1 6 13", "sqrt"_op, kReals, "ints consumed_inputs"),
    Rename("Tan", "7", "tan"_op, kSmallFloats),
    Rename("Tanh", "1 6 13", "tanh"_op, kReals, "ints consumed_inputs"),
    Computes("Reciprocal", "1 6 13", "1 / X"_formula, "ints consumed_inputs"),
    // As TVM: infinities become NaN.
    OpRow("Round", "11", "X", "", ConvertRound)
        .Computing("half = 0.5; rounded = ceil(X - half);"
                   "rounded + (1 - (ceil(X + half) - floor(X + half))) * abs(mod(rounded, 2))"_formula),
    OpRow("IsInf", "10 20", "X", "int detect_negative = 1; int detect_positive = 1", ConvertIsInf)
        .Of("isinf"_op, kF32 | kF64)
        .ByTypes(),
    OpRow("LeakyRelu", "1 6 16", "X", "float alpha = 0.01; ints consumed_inputs", ConvertLeakyRelu).ByTypes(),
    // The exact ones do not overflow.
    Computes("Softplus", "1", "log(exp(X) + 1)"_formula, "", "nn.relu(X) + log(exp(-abs(X)) + 1)"_formula),
    Computes("Mish", "18", "X * tanh(log(1 + exp(X)))"_formula, "",
             "X * tanh(nn.relu(X) + log(exp(-abs(X)) + 1))"_formula),
    Computes("Softsign", "1", "X / (1 + abs(X))"_formula),
    Computes("Elu", "1 6", "-alpha * nn.relu(1 - exp(X)) + nn.relu(X)"_formula,
             "float alpha = 1; ints consumed_inputs"),
    Computes("Selu", "1 6", "gamma * (-alpha * nn.relu(1 - exp(X)) + nn.relu(X))"_formula,
             "float alpha = 1.67326319217681884765625; float gamma = 1.05070102214813232421875; ints consumed_inputs"),
    // The right operand is the result where it is NaN.
    Computes("Celu", "12", "zero = 0; maximum(zero, X) + minimum(zero, alpha * (exp(X / alpha) - 1))"_formula,
             "float alpha = 1"),
    {"ThresholdedRelu", "10", "X", "float alpha = 1", ConvertThresholdedRelu},
    Computes("HardSigmoid", "1 6", "clip(X * alpha + beta, 0, 1)"_formula,
             "float alpha = 0.2; float beta = 0.5; ints consumed_inputs"),
    Computes("HardSwish", "14", "X * clip(X * (1 / 6) + 0.5, 0, 1)"_formula),
    Computes("Shrink", "9",
             "zeros = zeros_like(X); where(X < -lambd, X + bias, zeros) + where(X > lambd, X - bias, zeros)"_formula,
             "float lambd = 0.5; float bias = 0",
             // Where lambd is negative both conditions can hold, and the first one counts.
             "where(X < -lambd, X + bias, where(X > lambd, X - bias, zeros_like(X)))"_formula),
    OpRow("Gelu", "20", "X", "string approximate = none", ConvertGelu).Computing(kGelu).ByTypes(),
    {"Clip", "1 6 11 12 13", "input, min?, max?", "float min; float max; ints consumed_inputs", ConvertClip},
    Computes("Affine", "1", "alpha * X + beta"_formula, "float alpha = 1; float beta = 0"),
    Computes("Scale", "1", "X * scale"_formula, "float scale = 1"),
    Computes("ScaledTanh", "1", "tanh(beta * X) * alpha"_formula, "float alpha = 1; float beta = 1"),
    Computes("ParametricSoftplus", "1", "log(exp(beta * X) + 1) * alpha"_formula, "float alpha = 1; float beta = 1"),
};

}  // namespace

auto ElementwiseRows() -> std::span<const OpRow> { return kElementwiseRows; }

}  // namespace relayopt::onnx
